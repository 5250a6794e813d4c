import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestLog } from './request-log.js';

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

test('a refusal has the request whose failure brought it about', () => {
  const { attempts } = parse('#1800000000000', '+w1-1 250', '-w1-1 251 503 BreakerOpenError w2-7');
  const [{ status, error, opener }] = attempts.get('w1-1') ?? [];
  assert.deepEqual([status, error, opener], [503, 'BreakerOpenError', 'w2-7']);
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
  const lines = ['#1800000000000', '+w9-9 1', '+w1-1 2', '!w1-1 3 app', '+w9-9 4', '+w1-1 5', '-w1-1 6 200'];
  const { repeated, attempts, received } = parse(...lines);
  assert.deepEqual([repeated, received], [['w9-9', 'w1-1'], 4]);
  assert.deepEqual(
    attempts.get('w1-1')?.map(({ outcome }) => outcome),
    ['broken', 'answered'],
  );
});
