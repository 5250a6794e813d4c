import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify, isRight } from './classify.js';

/** @param {{ requests?: number, failures?: number, rows?: [string, string, number][], unattributed?: number, bottleneck?: string }} run */
const resultOf = ({ requests = 10_000, failures = 0, rows = [], unattributed = 0, bottleneck }) =>
  /** @type {any} */ ({
    metrics: { requests, failures },
    ledger: { failures: rows.map(([tier, cause, count]) => ({ tier, cause, count })), unattributed },
    bottleneck: bottleneck ? { tier: bottleneck, evidence: [] } : null,
  });

test('a run with failures is called by the tier and cause of its first row', () => {
  const rows = /** @type {[string, string, number][]} */ ([
    ['pool', 'pool-wait-timeout', 90],
    ['app', 'app-error', 10],
  ]);
  assert.deepEqual(classify(resultOf({ failures: 100, rows })), { tier: 'pool', cause: 'pool-wait-timeout' });
});

test('a run whose failures are mostly unplaced is called unattributed', () => {
  const rows = /** @type {[string, string, number][]} */ ([['app', 'app-error', 40]]);
  assert.equal(classify(resultOf({ failures: 100, rows, unattributed: 60 })).tier, 'unattributed');
  assert.equal(classify(resultOf({ failures: 100, unattributed: 100 })).tier, 'unattributed');
});

test('a handful of failures in ten thousand requests is not what a run is about', () => {
  const rows = /** @type {[string, string, number][]} */ ([['app', 'app-error', 5]]);
  assert.deepEqual(classify(resultOf({ failures: 5, rows, bottleneck: 'app' })), { tier: 'app', cause: 'saturated' });
  assert.deepEqual(classify(resultOf({ failures: 5, rows })), { tier: 'none', cause: 'none' });
});

test('a diagnosis is right when tier and cause are the expected ones, and a star stands for an ending', () => {
  const expected = { tier: 'load-balancer', cause: 'connection-table-full*' };
  assert.ok(isRight(expected, { tier: 'load-balancer', cause: 'connection-table-full-idle' }));
  assert.ok(!isRight(expected, { tier: 'app', cause: 'connection-table-full-idle' }));
  assert.ok(!isRight(expected, { tier: 'load-balancer', cause: 'balancer-down' }));
  assert.ok(!isRight({ tier: 'app', cause: 'app-error' }, { tier: 'app', cause: 'app-errors' }));
});
