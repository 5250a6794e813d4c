import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summaryOfAll } from './summaries.js';

/** @param {Record<string, any>} metrics @param {number} [ms] */
const summary = (metrics, ms = 1000) => ({ state: { testRunDurationMs: ms }, metrics });

test('one summary stays as it is, and of none there is none', () => {
  const only = summary({ a: { type: 'counter', values: { count: 1, rate: 2 } } });
  assert.equal(summaryOfAll([only]), only);
  assert.equal(summaryOfAll([]), null);
});

test('counts add up, means by their counts, and percentiles of several are left out', () => {
  const one = summary({
    requests: { type: 'counter', values: { count: 10, rate: 5 } },
    took: { type: 'trend', contains: 'time', values: { count: 1, avg: 10, min: 10, max: 10, 'p(95)': 10 } },
    idle: { type: 'trend', values: { count: 0, avg: 0, min: 0, max: 0 } },
    failed: { type: 'rate', values: { rate: 1, passes: 1, fails: 0 } },
    users: { type: 'gauge', values: { value: 5, min: 1, max: 5 } },
  });
  const other = summary(
    {
      requests: { type: 'counter', values: { count: 30, rate: 15 } },
      took: { type: 'trend', contains: 'time', values: { count: 3, avg: 30, min: 20, max: 50, 'p(95)': 48 } },
      idle: { type: 'trend', values: { count: 2, avg: 7, min: 6, max: 8 } },
      failed: { type: 'rate', values: { rate: 0, passes: 0, fails: 3 } },
      users: { type: 'gauge', values: { value: 6, min: 1, max: 6 } },
      dropped: { type: 'counter', values: { count: 4, rate: 2 } },
    },
    1500,
  );
  const joined = summaryOfAll([one, other]);
  assert.equal(joined?.state.testRunDurationMs, 1500);
  assert.deepEqual(Object.fromEntries(Object.entries(joined?.metrics ?? {}).map(([name, { values }]) => [name, values])), {
    requests: { count: 40 },
    took: { count: 4, avg: 25, min: 10, max: 50 },
    idle: { count: 2, avg: 7, min: 6, max: 8 },
    failed: { passes: 1, fails: 3, rate: 0.25 },
    users: { value: 11, min: 2, max: 11 },
    dropped: { count: 4 },
  });
});
