import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readerOf, seen, T, told } from '../fixtures/proxy-record.js';
import { read } from './read.js';
import { readStats } from './stats.js';

const fixture = (/** @type {string} */ name) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');

const readLog = readerOf(read);

const recorded = readLog(fixture('httplog.log'));

test('requests of the load are counted by outcome, those before and after left out', () => {
  const { source, received, answered_ok, answered_error, aborted, sightings } = recorded;
  assert.deepEqual(
    { source, received, answered_ok, answered_error, aborted },
    { source: 'HTTP log', received: 6, answered_ok: 3, answered_error: 2, aborted: 1 },
  );
  assert.deepEqual(
    sightings.map(({ id }) => id),
    ['1-1', '2-1', '3-1', '4-1', '5-1', '6-1'],
  );
});

test('a good request has its times and the server that answered it', () => {
  const { received, ended, asked, own, error, place } = seen(recorded, '1-1');
  assert.ok(Math.abs(received - (T + 1)) < 1e-6 && Math.abs((ended ?? 0) - (T + 1.124)) < 1e-6);
  assert.deepEqual([told(asked), own, error, place], [[['app-1', 200, true, null]], [], '', '']);
});

test('repeated attempts at one server stand before the last, which says why it failed', () => {
  const { asked, error, place } = seen(recorded, '3-1');
  assert.deepEqual(told(asked), [
    ['app-2', null, false, null],
    ['app-2', null, false, null],
    ['app-2', null, false, null],
    ['app-2', null, false, 'connection_refused'],
  ]);
  assert.deepEqual([error, place, asked[3].message?.to], ['SC', 'connecting to the server', 'app-2']);
});

test('after a redispatch the repeated attempts belong to the backend, and the answer to the server that is named', () => {
  assert.deepEqual(told(seen(recorded, '4-1').asked), [
    ['app', null, false, null],
    ['app', null, false, null],
    ['app', null, false, null],
    ['app-1', 200, true, null],
  ]);
});

test('without a server to ask, the request itself is told so', () => {
  const { asked, own } = seen(recorded, '5-1');
  assert.deepEqual([asked, own.map(({ signal }) => signal)], [[], ['destination_unavailable']]);
});

test('a client that left is told of the request, and the server that it waited for has no answer', () => {
  const { outcome, status, asked, own, place } = seen(recorded, '6-1');
  assert.deepEqual([outcome, status, place], ['broken', null, 'waiting for the answer']);
  assert.deepEqual([told(asked), own.map(({ signal }) => signal)], [[['app-1', null, true, null]], ['client-gone']]);
});

test('what was said of requests and of servers stands in the order of time, each once', () => {
  assert.deepEqual(
    recorded.messages.map(({ signal, to }) => [signal, to ?? null]),
    [
      ['benched', 'app-2'],
      ['connection_refused', 'app-2'],
      ['destination_unavailable', null],
      ['destination_unavailable', null],
      ['client-gone', 'app-1'],
      ['restored', 'app-2'],
    ],
  );
});

test('a log with ids covers the requests, and says what it does not', () => {
  assert.deepEqual(recorded.coverage, { requests: 'full', reasons: 'partial', limits: 'none' });
  assert.equal(recorded.uncovered.length, 4);
  assert.match(recorded.uncovered[0], /repeated attempts/);
  assert.match(recorded.uncovered[1], /watch: 2/);
  assert.match(recorded.uncovered[2], /waits in the kernel/);
  assert.match(recorded.uncovered[3], /without an answer or a line/);
  assert.equal(recorded.closes_unlogged, true);
});

test('a log without ids covers requests in part, and the sentence says what to add', () => {
  const { coverage, uncovered, sightings } = readLog(fixture('httplog.log').replace(/ \{[^}]*\}/g, ''));
  assert.deepEqual([coverage.requests, sightings.every(({ id }) => id === '')], ['partial', true]);
  assert.match(uncovered[0], /^HAProxy’s log has no request id: .*capture request header X-Request-Id len 64.*watch: 2/);
});

test('no HTTP log at all is said to be none, and counts nothing', () => {
  const record = readLog('2026-11-21T20:00:01.000000000Z [NOTICE]   (1) : New worker (8) forked\n');
  assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
  assert.deepEqual([record.received, record.answered_ok, record.answered_error, record.aborted], [null, null, null, null]);
  assert.match(record.uncovered[0], /no line of its default HTTP log/);
});

test('in the lab’s format servers are known by their address, in messages about them too', () => {
  const record = readLog(fixture('lab-format.log'));
  assert.deepEqual(told(seen(record, '1-1').asked), [['app-1', 200, true, null]]);
  assert.deepEqual(told(seen(record, '2-1').asked), [['app-2', null, true, 'connection_terminated']]);
  assert.deepEqual(
    seen(record, '3-1').own.map(({ signal }) => signal),
    ['queue-timeout'],
  );
  assert.deepEqual(
    record.messages.filter(({ signal }) => signal === 'benched').map(({ to }) => to),
    ['app-2'],
  );
  assert.deepEqual([record.coverage.requests, record.uncovered[0]], ['partial', '1 of HAProxy’s 4 lines have no request id.']);
});

test('samples give limits and counters, and lines that HAProxy dropped are missing requests', () => {
  const answer = fixture('show-stat.txt');
  const samples = [answer, answer.replace('DroppedLogs: 0', 'DroppedLogs: 3')].map((text, index) => ({ t: T + index, ...readStats(text) }));
  const { coverage, limits, counters, uncovered } = readLog(fixture('httplog.log'), samples);
  assert.deepEqual(coverage, { requests: 'partial', reasons: 'partial', limits: 'full' });
  assert.deepEqual([limits[0].resource, counters.retries.length], ['connections of the process', 2]);
  assert.match(uncovered[0], /could not write all of its log lines/);
});

test('an empty record is no error', () => {
  assert.deepEqual([readLog('').sightings, readLog('').messages], [[], []]);
});

test('how long it had a request, and a server behind it, is what its timers say', () => {
  // 205 ms in the queue, 1 ms for the connection, 101 ms until the answer, 309 ms in all.
  assert.deepEqual(seen(recorded, '2-1').took_ms, { whole: 309, behind: 104, connect: 1 });
  assert.equal(seen(recorded, '3-1').took_ms, undefined);
});

test('what it says twice counts once, whichever of its outputs comes first in the record', () => {
  const lines = fixture('httplog.log').split('\n');
  const isEngines = (/** @type {string} */ line) => /Z \[(?:NOTICE|WARNING|ALERT)\]/.test(line);
  const apart = [...lines.filter(isEngines), ...lines.filter((line) => !isEngines(line))].join('\n');
  assert.deepEqual(
    readLog(apart).messages.map(({ signal }) => signal),
    recorded.messages.map(({ signal }) => signal),
  );
});
