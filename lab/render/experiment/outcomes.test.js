import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomesSection } from './outcomes.js';

/** @type {(id: string, outcomes: object | null) => any} */
const arm = (id, outcomes) => ({
  id,
  outcomes: outcomes && { done_rps: 0, accepted_rps: 0, refused_rps: 0, failed_rps: 0, ...outcomes },
  metrics: { cpu_ms_per_good: { median: 1.23, low: 1, high: 2 } },
  typical_run: null,
});
const pageOf = (/** @type {any[]} */ arms) => String(outcomesSection(/** @type {any} */ ({ arms })));

test('every arm has a bar of one scale, and only what there is has a part', () => {
  const page = pageOf([arm('2a', { done_rps: 600, failed_rps: 400 }), arm('2a-list', { done_rps: 500, accepted_rps: 300 })]);
  assert.match(page, /2a<\/b>[\s\S]*part done" style="width:60%"[\s\S]*part lost" style="width:40%"/);
  assert.match(page, /2a-list<\/b>[\s\S]*part done" style="width:50%"[\s\S]*part accepted" style="width:30%"/);
  assert.doesNotMatch(page, /part refused/);
  assert.match(page, />40.%</);
});

test('arms of a result from before have none, and a single arm is no comparison', () => {
  assert.equal(outcomesSection(/** @type {any} */ ({ arms: [arm('a', null), arm('b', { done_rps: 1 })] })), null);
});
