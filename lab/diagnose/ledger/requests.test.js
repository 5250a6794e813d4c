import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestLog } from '../../adapters/request-log.js';
import { tracesOf } from './requests.js';

const wanted = new Set(['w1-1', 'w2-7']);

/** @param {string[]} lines */
const parse = (...lines) => parseRequestLog(lines.join('\n'), 'app-1', wanted);

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

test('a request that came without an id, or with one that a proxy gave it, is none that the generator can be asked about', () => {
  assert.equal(parse('#1800000000000', '+ 1', '+5f2c9d1e 2', '+w1-1 3', '+12-34 4').received, 2);
});

test('an answer that the client had is the one that the node logs, though the clock of the node is ahead', () => {
  const failed = { id: 'w1-1', t: 1_800_000_000.9, waited_s: 1, status: 500, code: 1500, kind: 'status' };
  const { attempts } = parse('#1800000000000', '+w1-1 5250', '-w1-1 5750 500 MongoNetworkError');
  const [told] = tracesOf({ failures: [failed], attempts }, null);
  assert.deepEqual([told.attempts.map(({ error }) => error), told.late], [['MongoNetworkError'], []]);
  const [given] = tracesOf({ failures: [{ ...failed, status: 0, kind: 'timeout' }], attempts }, null);
  assert.deepEqual([given.attempts, given.late.length], [[], 1]);
});
