import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DROPPED_LINES } from '../hop-counts.js';
import { countersOf, limitsOf, readStats } from './stats.js';

const answer = readFileSync(new URL('./fixtures/show-stat.txt', import.meta.url), 'utf8');

/** @param {string} text @param {number} t */
function sample(text, t) {
  const stats = readStats(text);
  assert.ok(stats);
  return { t, ...stats };
}

test('the answer is read: the process’s numbers, and a row for each frontend, backend and server', () => {
  const { info, rows } = sample(answer, 0);
  assert.deepEqual(info, { 'Ulimit-n': 4131, Maxsock: 4131, Maxconn: 2048, CurrConns: 41, DroppedLogs: 0, Idle_pct: 37 });
  assert.deepEqual(
    rows.map(({ proxy, name, status, values }) => [proxy, name, status, values.scur, values.slim]),
    [
      ['web', 'FRONTEND', 'OPEN', 40, 1000],
      ['app', 's1', 'UP', 20, 20],
      ['app', 's2', 'UP', 20, 20],
      ['app', 'BACKEND', 'UP', 58, 100],
    ],
  );
});

test('what is no such answer is none', () => {
  for (const text of ['', 'HTTP/1.1 400 Bad request', 'Maxconn: 5\n']) assert.equal(readStats(text), null);
});

test('a row that was cut off keeps the columns that it has', () => {
  const rows = sample(answer.slice(0, answer.indexOf('app,BACKEND,17,38,58')).concat('app,BACKEND,17,38'), 0).rows;
  assert.deepEqual(rows.at(-1)?.values, { qcur: 17 });
});

test('limits are those of the process, of each frontend and server, of a server’s queue, and of all servers together with what waits', () => {
  const limits = limitsOf([sample(answer, 1), sample(answer.replace('CurrConns: 41', 'CurrConns: 2048'), 2)]);
  assert.deepEqual(
    limits.map(({ resource, size, used }) => [resource, size, used.map((reading) => reading.used)]),
    [
      ['connections of the process', 2048, [41, 2048]],
      ['connections of frontend web', 1000, [40, 40]],
      ['connections to server app/s1', 20, [20, 20]],
      ['connections to server app/s2', 20, [20, 20]],
      ['queue of server app/s2', 64, [1, 1]],
      ['connections to all servers of app, waiting requests included', 40, [58, 58]],
    ],
  );
  assert.deepEqual(
    limits[0].used.map(({ t }) => t),
    [1, 2],
  );
});

test('servers of which one has no limit have none together', () => {
  const limits = limitsOf([sample(answer.replace('app,s1,0,3,20,20,20,', 'app,s1,0,3,20,20,,'), 1)]);
  assert.ok(!limits.some(({ resource }) => resource.includes('all servers') || resource.includes('app/s1')));
});

test('counters are summed over what is of one kind, and named by a signal where one says the same', () => {
  const counters = countersOf([sample(answer, 1), sample(answer.replace('DroppedLogs: 0', 'DroppedLogs: 7'), 2)]);
  const last = Object.fromEntries(Object.entries(counters).map(([name, values]) => [name, values[1].value]));
  assert.deepEqual(last, {
    http_request_denied: 2,
    'bad requests': 1,
    'answers with a status of 500 and above': 9,
    requests: 623,
    'failed connections to servers': 3,
    'failed answers of servers': 3,
    retries: 9,
    redispatches: 3,
    'client-gone': 6,
    http_response_incomplete: 1,
    ejected: 1,
    [DROPPED_LINES]: 7,
  });
});

test('without a sample there are no limits and no counters', () => {
  assert.deepEqual([limitsOf([]), countersOf([])], [[], {}]);
});
