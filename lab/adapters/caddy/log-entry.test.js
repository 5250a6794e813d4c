import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEntry } from './log-entry.js';

const ACCESS =
  '{"level":"info","ts":1646861401.5241024,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"127.0.0.1","remote_port":"41342","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/","headers":{"X-Request-Id":["7-1"]}},"user_id":"","duration":0.000929675,"size":10900,"status":200,"resp_headers":{"Content-Length":["10900"]}}';

/** @param {string} text */
function readLine(text) {
  const entry = readEntry({ t: 9, text });
  assert.ok(entry, text);
  return entry;
}

test('a line of the access log is read', () => {
  assert.deepEqual(readLine(ACCESS), {
    kind: 'access',
    t: 1646861401.5241024,
    logger: 'http.log.access',
    message: 'handled request',
    id: '7-1',
    client: '127.0.0.1:41342',
    method: 'GET',
    status: 200,
    duration_s: 0.000929675,
    size: 10900,
    promised: 10900,
    upstream: '',
    host: '',
    error: '',
    own: false,
    text: ACCESS,
  });
});

for (const [logger, message, kind] of [
  ['http.log.access.log0', 'handled request', 'access'],
  ['http.log.error', 'EOF', 'error'],
  ['http.log.error.log0', 'no upstreams available', 'error'],
  ['http.handlers.reverse_proxy', 'upstream roundtrip', 'attempt'],
  ['http.handlers.reverse_proxy', 'aborting with incomplete response', 'abort'],
  ['http.handlers.reverse_proxy', 'selected upstream', 'other'],
  ['http.handlers.reverse_proxy.health_checker.active', 'host is up', 'health'],
  ['http.stdlib', 'http: Accept error', 'other'],
  ['http.log.accessories', 'handled request', 'other'],
  ['', 'serving initial configuration', 'other'],
]) {
  test(`"${message}" of ${logger || 'no logger'} is of the kind ${kind}`, () => {
    assert.equal(readLine(JSON.stringify({ logger, msg: message })).kind, kind);
    const own = readLine(JSON.stringify({ doubletake: logger, msg: message }));
    assert.deepEqual([own.kind, own.own], [kind, true]);
  });
}

test('an older line has the client in one, and a time that is no number is that of the engine', () => {
  const { client, t, duration_s } = readLine(
    '{"ts":"2026-11-21T20:00:00Z","msg":"x","request":{"remote_addr":"10.0.0.7:4"},"duration":"1.5ms"}',
  );
  assert.deepEqual({ client, t, duration_s }, { client: '10.0.0.7:4', t: 9, duration_s: null });
});

test('a status of 0 is none', () => {
  assert.equal(readLine('{"msg":"handled request","status":0}').status, null);
});

test('half a line, another format and other JSON are none', () => {
  const others = [
    '',
    ACCESS.slice(0, -20),
    '2022/04/28 04:22:21.925\tINFO\thttp.log.access\thandled request\t{}',
    '{"message":"x"}',
    '[]',
    '{"msg":5}',
  ];
  for (const text of others) assert.equal(readEntry({ t: 9, text }), null, text);
});

test('what a client sends in its headers is its headers’ alone', () => {
  const hostile = ACCESS.replace('["7-1"]', '["7-1\\"}},\\"status\\":502,\\"x\\":{\\"y\\":{\\"z\\":[\\""]');
  const { status, id } = readLine(hostile);
  assert.deepEqual([status, id.startsWith('7-1"')], [200, true]);
});
