import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readerOf, seen, T, told } from '../fixtures/proxy-record.js';
import { readMetrics } from './metrics.js';
import { read } from './read.js';

const fixture = (/** @type {string} */ name) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');

const readLog = readerOf(read);

const plain = readLog(fixture('default-log.log'));
const own = readLog(fixture('lab-format.log'));

test('requests are counted by outcome from the access log', () => {
  const { source, received, answered_ok, answered_error, aborted } = plain;
  assert.deepEqual(
    { source, received, answered_ok, answered_error, aborted },
    { source: 'access log', received: 5, answered_ok: 1, answered_error: 2, aborted: 2 },
  );
});

test('an error tells which service was asked last, and why it failed', () => {
  const { asked, error } = seen(plain, '2-1');
  assert.deepEqual(
    [told(asked), error],
    [[['app-2', null, false, 'connection_refused']], 'dial tcp 172.18.0.5:3000: connect: connection refused'],
  );
  assert.deepEqual(
    seen(plain, '3-1').own.map(({ signal }) => signal),
    ['destination_unavailable'],
  );
});

test('in the default log a status of 0 is taken for a client that left, and the record says so', () => {
  const { outcome, status, own: said } = seen(plain, '4-1');
  assert.deepEqual([outcome, status, said.map(({ signal }) => signal)], ['broken', null, ['client-gone']]);
  assert.ok(plain.uncovered.some((sentence) => sentence.includes('status 0')));
});

test('an answer that ended short is joined with the line that says why', () => {
  const { outcome, own: said } = seen(plain, '5-1');
  assert.deepEqual([outcome, said.map(({ signal }) => signal)], ['broken', ['http_response_incomplete']]);
});

test('checks and the end of the service are messages, in the order of time', () => {
  assert.deepEqual(
    plain.messages.slice(-3).map(({ signal, to }) => [signal, to ?? null]),
    [
      ['benched', 'app-2'],
      ['restored', 'app-2'],
      ['shut-down', null],
    ],
  );
});

test('the default log covers requests, and reasons in part', () => {
  assert.deepEqual(plain.coverage, { requests: 'full', reasons: 'partial', limits: 'none' });
  assert.match(plain.uncovered[0], /does not name the service behind/);
});

test('without an access log only errors are on record, and nothing is counted', () => {
  const errors = fixture('default-log.log')
    .split('\n')
    .filter((line) => !line.includes('http.log.access'))
    .join('\n');
  const record = readLog(errors);
  assert.deepEqual(
    record.sightings.map(({ id }) => id),
    ['2-1', '3-1'],
  );
  assert.deepEqual([record.source, record.received, record.coverage.requests], ['error log', null, 'partial']);
  assert.match(record.uncovered[0], /^Caddy wrote no access log in JSON/);
  assert.ok(record.uncovered.some((sentence) => sentence.startsWith('Caddy did not say of which request an answer broke off, once:')));
});

test('beside the lab’s own log the default one does not count again', () => {
  assert.deepEqual([own.received, own.answered_ok, own.answered_error, own.aborted], [6, 3, 1, 2]);
});

test('each attempt has its service and why it failed', () => {
  assert.deepEqual(told(seen(own, '2-1').asked), [
    ['app-2', null, false, 'connection_refused'],
    ['app-1', 200, true, null],
  ]);
  assert.deepEqual([told(seen(own, '3-1').asked), seen(own, '3-1').own], [[['app-1', null, true, 'connection_terminated']], []]);
});

test('at this level a client that left is told from a request that no route took', () => {
  const left = seen(own, '4-1');
  assert.deepEqual(
    [left.outcome, told(left.asked), left.own.map(({ signal }) => signal)],
    ['broken', [['app-1', null, true, null]], ['client-gone']],
  );
  const routeless = seen(own, '5-1');
  assert.deepEqual([routeless.outcome, routeless.status, routeless.own], ['answered', 200, []]);
});

test('an answer that broke off is the fault of the attempt', () => {
  const { outcome, place, asked } = seen(own, '6-1');
  assert.deepEqual([outcome, place, told(asked)], ['broken', 'sending the answer', [['app-1', 200, true, 'http_response_incomplete']]]);
});

test('the lab’s log covers requests and reasons', () => {
  assert.deepEqual(own.coverage, { requests: 'full', reasons: 'full', limits: 'none' });
  assert.equal(own.uncovered.length, 2);
});

test('samples give the file descriptors, and without checks who was left out', () => {
  const text = fixture('metrics.txt');
  const samples = [text, text.replace('"app-2:3000"} 1', '"app-2:3000"} 0')].map((one, index) => ({
    t: T + 1 + index,
    ...readMetrics(one),
  }));
  const { limits, coverage, messages } = readLog(fixture('lab-format.log'), samples);
  assert.deepEqual([limits[0].resource, coverage.limits], ['file descriptors', 'full']);
  assert.deepEqual(
    messages.filter(({ signal }) => signal === 'benched').map(({ t, to }) => [t, to]),
    [[T + 2, 'app-2']],
  );
});

test('a request that came without an id is said to be so', () => {
  const { coverage, uncovered } = readLog(fixture('lab-format.log').replace(/"X-Request-Id":\["1-1"\],?/g, ''));
  assert.equal(coverage.requests, 'partial');
  assert.match(uncovered[0], /^1 of the 6 requests/);
});

test('an empty record is no error, and covers nothing', () => {
  const record = readLog('');
  assert.deepEqual([record.coverage, record.sightings, record.messages], [{ requests: 'none', reasons: 'none', limits: 'none' }, [], []]);
});
