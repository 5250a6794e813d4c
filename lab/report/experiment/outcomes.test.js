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

test('arms of several loads stand by their load, on one scale', () => {
  const under = (/** @type {string} */ load, /** @type {number} */ done) => ({ ...arm(`2a (${load})`, { done_rps: done }), load });
  const page = pageOf([under('patient', 500), under('surge', 1000)]);
  assert.match(page, /load patient<[\s\S]*>2a<[\s\S]*width:50%[\s\S]*load surge<[\s\S]*>2a<[\s\S]*width:100%/);
  assert.doesNotMatch(pageOf([arm('a', { done_rps: 1 }), arm('b', { done_rps: 2 })]), /class="load"/);
});

test('the verdict of each arm stands beside its bar, where pairs were compared', () => {
  const arms = [arm('2a', { done_rps: 600 }), arm('2a-slots', { done_rps: 900 })];
  const pairs = [{ base: '2a', other: '2a-slots', href: 'pairs/x/compare.html', verdict: { word: 'better' } }];
  const page = String(outcomesSection(/** @type {any} */ ({ arms, pairs })));
  assert.match(page, /2a-slots<\/b>[\s\S]*stamp better[\s\S]*href="\.\/pairs\/x\/compare\.html">against 2a</);
  assert.equal(page.split('class="stamp').length, 2);
  assert.doesNotMatch(pageOf(arms), /Verdict/);
});

test('arms of a result from before have none, and a single arm is no comparison', () => {
  assert.equal(outcomesSection(/** @type {any} */ ({ arms: [arm('a', null), arm('b', { done_rps: 1 })] })), null);
});
