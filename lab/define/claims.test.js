import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures, scenarioOf } from './architectures.js';
import { armsOfTest } from './claim-arms.js';
import { claimsFor, claimsOf } from './claims.js';
import { experiments } from './experiments.js';
import { metricOf } from './metrics.js';
import { shapeOf } from './scenarios.js';

const claims = claimsFor(2);

test('every claim names an experiment, and in its tests only arms and metrics that there are', () => {
  for (const { id, experiment, tests, relief } of claims) {
    const arms = experiments[experiment].arms.map((arm) => arm.id);
    const named = tests.flatMap(armsOfTest);
    for (const arm of [...named, ...(relief ? [relief.before, ...relief.rows.map((row) => row.arm)] : [])])
      assert.ok(arms.includes(arm), `${id} names the arm ${arm}, which ${experiment} does not have`);
    for (const part of tests) if (part.kind === 'compare') assert.ok(metricOf(part.metric));
    assert.ok(tests.length > 0 && tests.every(({ threshold }) => Number.isFinite(threshold)), id);
  }
});

test('ids of claims are unique', () => {
  assert.equal(new Set(claims.map(({ id }) => id)).size, claims.length);
});

test('every experiment names architectures, a load, and in its pairs and its curve its own arms', () => {
  for (const [id, { arms, pairs, load, curve }] of Object.entries(experiments)) {
    const ids = arms.map((arm) => arm.id);
    assert.equal(new Set(ids).size, ids.length, id);
    for (const { architecture } of arms) assert.ok(architectures[architecture], `${id}: ${architecture}`);
    for (const arm of [...pairs.flat(), ...Object.keys(curve?.x ?? {})]) assert.ok(ids.includes(arm), `${id}: ${arm}`);
    const scenario = scenarioOf(arms[0].architecture);
    assert.ok(shapeOf(scenario, load), id);
    // One load cannot be two things.
    assert.ok(
      arms.every(({ architecture }) => scenarioOf(architecture) === scenario),
      `${id}: one scenario`,
    );
    if (curve) assert.ok(metricOf(curve.metric));
  }
});

test('a metric that is not there is an error', () => {
  assert.throws(() => metricOf('speed'), /no metric speed/);
});

test('a claim that replaces another has an id of its own, and the other one is gone', () => {
  for (const { id, replaces } of claims.filter((claim) => claim.replaces !== undefined))
    assert.ok(!claims.some((claim) => claim.id === replaces), `${id} replaces ${replaces}, which is still there`);
});

test('what a pool can gain is counted in the cores of the machine that measures, up to its six threads', () => {
  const thresholds = [1, 2, 16].map((cores) => claimsOf('pools', cores).find(({ id }) => id === 'P5')?.tests[0].threshold);
  assert.deepEqual(thresholds, [0.75, 1.5, 4.5]);
});

test("by the lab's measure the source's own databases differ by more than it says", () => {
  const [, twenty] = claimsOf('workers').find(({ id }) => id === 'W3')?.tests ?? [];
  assert.equal(twenty.published?.toFixed(4), '0.0239');
  assert.ok(Number(twenty.published) > twenty.threshold);
});

test('the published p95 of successes is far from what is said of it, and growth is counted in requests', () => {
  const found = Object.fromEntries(claimsOf('doubling').map((claim) => [claim.id, claim]));
  assert.equal(found.D1a.tests[0].published?.toFixed(2), '1.98');
  assert.equal(found.D1b.tests[0].published?.toFixed(3), '1.456');
  assert.ok(found.D5a.tests.every((part) => part.kind === 'published' && Math.abs(part.value - 269.85 / 492) < 1e-9));
});
