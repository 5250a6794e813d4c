import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestLog, tracesOf } from './requests.js';

const wanted = new Set(['w1-1', 'w2-7']);

/** @param {string[]} lines */
const parse = (...lines) => parseRequestLog(lines.join('\n'), 'app-1', wanted);

test('a request is received, and answered with a status and the name of its error', () => {
  const { attempts } = parse('#1800000000000', '+w1-1 250', '-w1-1 750 500 MongoNetworkError');
  assert.deepEqual(attempts.get('w1-1'), [
    {
      node: 'app-1',
      received: 1_800_000_000.25,
      ended: 1_800_000_000.75,
      outcome: 'answered',
      status: 500,
      error: 'MongoNetworkError',
      place: '',
    },
  ]);
});

test('a request that was broken off has the place where it was, and no status', () => {
  const { attempts } = parse('#1800000000000', '+w1-1 250', '!w1-1 900 database');
  const [{ outcome, place, status, ended }] = attempts.get('w1-1') ?? [];
  assert.deepEqual([outcome, place, status, ended], ['broken', 'database', null, 1_800_000_000.9]);
});

test('each life of a node counts its milliseconds from its own start, and a request of the first is not ended by the second', () => {
  const { attempts } = parse('#1800000000000', '+w1-1 100', '+w2-7 200', '#1800000005000', '+w1-1 50', '-w1-1 60 200');
  assert.deepEqual(
    attempts.get('w2-7')?.map(({ received, ended, outcome }) => [received, ended, outcome]),
    [[1_800_000_000.2, null, 'open']],
  );
  const lives = attempts.get('w1-1')?.map(({ received, outcome }) => [received, outcome]);
  assert.deepEqual(lives, [
    [1_800_000_000.1, 'open'],
    [1_800_000_005.05, 'answered'],
  ]);
});

test('half a line, as a node leaves it that is killed, is no request', () => {
  for (const half of ['+w1-1', '+w1-1 ', '-w', '+', '']) {
    const { attempts } = parse('#1800000000000', '+w2-7 100', half);
    assert.deepEqual([...attempts.keys()], ['w2-7'], half);
  }
});

test('only wanted requests are kept, and an end without a beginning is none', () => {
  const { attempts } = parse('#1800000000000', '+w9-9 100', '-w9-9 200 200', '-w1-1 300 200');
  assert.deepEqual([...attempts.values()].flat(), []);
});

test('a name that a node received more than once is told, wanted or not, and each of its attempts has its own end', () => {
  const { repeated, attempts } = parse('#1800000000000', '+w9-9 1', '+w1-1 2', '!w1-1 3 app', '+w9-9 4', '+w1-1 5', '-w1-1 6 200');
  assert.deepEqual(repeated, ['w9-9', 'w1-1']);
  assert.deepEqual(
    attempts.get('w1-1')?.map(({ outcome }) => outcome),
    ['broken', 'answered'],
  );
});

test('a failed request is joined with the line and the attempts of its name, in the order of their ends', () => {
  const failed = (/** @type {string} */ id, /** @type {number} */ t) => ({ id, t, waited_s: 1, status: 0, code: 1000, kind: 'eof' });
  const { attempts } = parse('#1800000000000', '+w1-1 250');
  const seen = { id: 'w2-7', status: 499 };
  const raw = { failures: [failed('w2-7', 1_800_000_009), failed('w1-1', 1_800_000_004)], attempts };
  const traces = tracesOf(raw, /** @type {any} */ ({ sightings: [seen, { id: 'w9-9' }] }));
  assert.deepEqual(
    traces.map((trace) => [trace.id, trace.seen?.status ?? null, trace.attempts.length]),
    [
      ['w1-1', null, 1],
      ['w2-7', 499, 0],
    ],
  );
  assert.deepEqual(
    tracesOf(raw, null).map((trace) => trace.seen),
    [null, null],
  );
});
