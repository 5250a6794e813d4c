import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHttpLine } from './http-line.js';

const T = Date.parse('2026-11-21T20:00:00Z') / 1000;

/** The manual's example of section 8.2.3, in the raw format. */
const PLAIN =
  '10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1"';
const PLAIN_T = Date.parse('2009-02-06T12:14:14.770Z') / 1000;

/** @param {string} text @param {number} [t] */
function readLine(text, t = PLAIN_T) {
  const line = readHttpLine({ t, text });
  assert.ok(line, text);
  return line;
}

/** @type {(one: number, other: number) => void} */
const isNear = (one, other) => assert.ok(Math.abs(one - other) < 1e-6, `${one} is not ${other}`);

test('every field of the manual’s example is read', () => {
  const { received, ended, ...line } = readLine(PLAIN);
  isNear(received, Date.parse('2009-02-06T12:14:14.655Z') / 1000);
  isNear(ended, Date.parse('2009-02-06T12:14:14.764Z') / 1000);
  assert.deepEqual(line, {
    id: '',
    address: '',
    frontend: 'http-in',
    backend: 'static',
    server: 'srv1',
    timers_ms: { request: 10, queue: 0, connect: 30, response: 69, active: 109 },
    early: false,
    status: 200,
    state: '----',
    connections: { process: 1, frontend: 1, backend: 1, server: 1 },
    retries: 0,
    redispatched: false,
    queued: { server: 0, backend: 0 },
    captured: ['1wt.eu', ''],
    request: 'GET /index.html HTTP/1.1',
    text: PLAIN,
  });
});

test('what another format of the log puts before the message does not matter', () => {
  for (const before of ['<134>', '<134>Feb  6 12:14:14 localhost haproxy[14389]: ', 'haproxy[14389]: '])
    assert.equal(readLine(before + PLAIN).server, 'srv1');
});

test('timers of phases that were never reached, and a status that was never sent, are none', () => {
  const { timers_ms, status, server } = readLine(
    '127.0.0.1:34548 [15/Oct/2003:15:18:55.798] px-http px-http/<NOSRV> -1/-1/-1/-1/8490 -1 0 - - CR-- 2/2/2/2/0 0/0 "<BADREQ>"',
  );
  assert.deepEqual(timers_ms, { request: null, queue: null, connect: null, response: null, active: 8490 });
  assert.deepEqual([status, server], [null, null]);
  const zero = readLine('10.0.0.1:3 [15/Oct/2003:15:18:55.798] a a/<NOSRV> -1/-1/-1/-1/8 0 0 - - CR-- 2/2/2/2/0 0/0 ""');
  assert.deepEqual([zero.status, zero.request], [null, '']);
});

test('positions in the queues, retries and a redispatch are read', () => {
  const { queued, retries, redispatched, connections } = readLine(
    '10.0.0.9:3 [21/Nov/2026:20:00:00.000] web app/s2 0/1230/7/147/1384 200 243 - - ---- 324/239/238/99/+3 4/9 "HEAD / HTTP/1.0"',
  );
  assert.deepEqual({ queued, retries, redispatched }, { queued: { server: 4, backend: 9 }, retries: 3, redispatched: true });
  assert.deepEqual(connections, { process: 324, frontend: 239, backend: 238, server: 99 });
});

test('a line that is written before the end says so', () => {
  const line = readLine(
    '10.0.0.9:3 [15/Oct/2003:08:32:17.654] px px/srv1 9/0/7/14/+30 200 +243 - - ---- 3/3/3/1/0 0/0 "GET /image.iso HTTP/1.0"',
  );
  assert.deepEqual([line.early, line.timers_ms.active, line.status], [true, 30, 200]);
});

test('the id is that of the captured headers which looks like one, whatever stands beside it', () => {
  const line = (/** @type {string} */ captured) => readLine(PLAIN.replace('{1wt.eu} {}', captured)).id;
  assert.equal(line('{7-12}'), '7-12');
  assert.equal(line('{shop.local|w7-12|curl/8.0 (x 1-1)}'), 'w7-12');
  assert.equal(line('{shop.local||} {|864}'), '');
  assert.equal(line('{2026-11-21}'), '');
});

test('an SSL frontend is called by its name, and a line of the HTTPS format is read like another', () => {
  const line = readLine(`${PLAIN.replace('http-in ', 'http-in~ ')} 0/0/0/0/0 1wt.eu/TLSv1.3/TLS_AES_256_GCM_SHA384`);
  assert.deepEqual([line.frontend, line.request], ['http-in', 'GET /index.html HTTP/1.1']);
});

test('the date is of the container’s time zone, which the engine’s time of the line tells', () => {
  const text = '10.0.0.9:3 [21/Nov/2026:21:30:00.500] web app/s1 0/0/1/8/10 200 4 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"';
  isNear(readLine(text, T + 0.52).received, T + 0.5);
  isNear(readLine(text.replace('21:30:00', '12:00:00'), T + 2).received, T + 0.5);
});

test('a line in the lab’s format has the id, the server’s address and its end in milliseconds', () => {
  const own = `doubletake1 id=5-3 to=172.18.0.4:3000 end=${T * 1000 + 1124} ${PLAIN}`;
  const { id, address, received, ended, server } = readLine(own, T + 2);
  assert.deepEqual({ id, address, server }, { id: '5-3', address: '172.18.0.4', server: 'srv1' });
  isNear(ended, T + 1.124);
  isNear(received, T + 1.015);
});

test('in the lab’s format what is not there is empty', () => {
  for (const columns of ['id= to=-:- end=1000', 'id=- to=-:0 end=1000']) {
    const { id, address } = readLine(`doubletake1 ${columns} ${PLAIN}`);
    assert.deepEqual([id, address], ['', '']);
  }
  assert.equal(readLine(`doubletake1 id=1-1 to=fd00::4:3000 end=1000 ${PLAIN}`).address, 'fd00::4');
});

test('a request that was cut off keeps what was written of it, and half a line is none', () => {
  assert.equal(readLine(PLAIN.slice(0, -10)).request, 'GET /index.html');
  for (const length of [0, 9, 40, 70, 84, 96, 104]) assert.equal(readHttpLine({ t: PLAIN_T, text: PLAIN.slice(0, length) }), null);
});

test('lines of other formats, and what a client writes to look like one, are no requests', () => {
  const others = [
    '',
    'Server app/s1 is DOWN, reason: Layer4 timeout',
    '10.0.1.2:33313 [06/Feb/2009:12:12:51.443] fnt bck/srv1 0/0/5007 212 -- 0/0/0/0/3 0/0',
    '127.0.0.1:56059 [03/Dec/2012:17:35:10.380] frt/f1: Connection error during SSL handshake',
    '{"status":200,"request":"GET / HTTP/1.1"}',
    PLAIN.replace('06/Feb', '06/Xxx'),
    `10.0.0.1 "GET /x ${PLAIN}"`,
  ];
  for (const text of others) assert.equal(readHttpLine({ t: PLAIN_T, text }), null, text);
});

test('what a client writes into its request changes nothing of the columns before it', () => {
  const line = readLine(
    `10.0.0.9:3 [21/Nov/2026:20:00:00.000] web app/s1 0/0/1/8/10 200 4 - - ---- 1/1/1/1/0 0/0 {9-9 SC-- 1/1/1/1/9 0/0} "GET /${PLAIN.replace(/"/g, '#22')}"`,
    T,
  );
  assert.deepEqual([line.state, line.retries, line.backend, line.id], ['----', 0, 'app', '']);
});
