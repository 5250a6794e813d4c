import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judged, NOTHING, runJudged } from '../fixtures/judged.js';
import { setIteration } from '../fixtures/record.js';
import { setCpu } from '../fixtures/record-tiers.js';
import { FROM, WARMUP_S } from '../fixtures/story.js';

/** @typedef {import('../fixtures/story.js').Raw} Raw */

/** Two stages, of which the second begins at that second; the generator is at its quota throughout the second. @type {(second: number) => (raw: Raw) => void} */
const spoilFrom = (second) => (raw) => {
  raw.manifest.shape.stages = [
    { duration_s: second, target: 3, held: true },
    { duration_s: 10 - second, target: 3, held: true },
  ];
  // Of ten seconds at most five, so that the whole run is not INVALID by itself.
  setCpu(raw, 'k6', 1, second + 1, Math.min(10, second + 5));
};

test('a healthy run is valid in every stage, with nothing to say', () => {
  for (const balanced of [true, false]) {
    assert.deepEqual(runJudged(undefined, { balanced }), NOTHING);
    const stages = [
      { target: 3, from_s: 0, to_s: 2, verdict: 'VALID', reasons: [] },
      { target: 3, from_s: 2, to_s: 10, verdict: 'VALID', reasons: [] },
    ];
    assert.deepEqual(judged(undefined, { balanced }).stages, stages);
  }
});

test('an INVALID stage makes the run suspect as long as most requests lie in others', () => {
  const { verdict, reasons, stages } = judged(spoilFrom(6));
  assert.deepEqual([verdict, stages[0].verdict, stages[1].verdict], ['SUSPECT', 'VALID', 'INVALID']);
  assert.deepEqual(reasons, [
    "the generator's CPU was at its quota for 40 % of the seconds; the limit is 10 %",
    "in seconds 6 to 10 (held at 3 users), the generator's CPU was at its quota for 100 % of the seconds; the limit is 50 %",
  ]);
});

test('INVALID stages with more than half of the requests make the run invalid', () => {
  const { verdict, reasons } = judged(spoilFrom(4));
  assert.equal(verdict, 'INVALID');
  assert.ok(reasons.includes('INVALID stages hold 60 % of the requests; the limit is 50 %'), reasons.join('\n'));
});

test('a doubt that the whole run shows is not told again for its stages', () => {
  const { reasons, stages } = judged((raw) => setIteration(raw, 32));
  assert.equal(reasons.length, 1);
  for (const stage of stages) assert.deepEqual(stage.reasons, reasons);
});

test('of several stages with the same doubt the worst is told', () => {
  const { reasons } = judged((raw) => {
    raw.manifest.shape.stages = [2, 3, 5].map((duration_s) => ({ duration_s, target: 3, held: true }));
    raw.snapshots[WARMUP_S].metrics.iteration_duration = { avg: 34 };
    raw.snapshots[WARMUP_S + 2].metrics.iteration_duration = { avg: 36 };
  });
  assert.deepEqual(reasons, [
    "in seconds 0 to 2 (held at 3 users), the worst stage for it, the generator's own overhead took 6.3 % of the users' time; the limit is 5 %",
  ]);
});

test('every reason is told, and the worst one decides', () => {
  const { verdict, reasons } = judged((raw) => {
    setCpu(raw, 'k6', 1, 3, 4);
    setIteration(raw, 34);
    raw.host = raw.host.filter(({ t }) => t <= FROM + 3 || t >= FROM + 8);
  });
  assert.equal(verdict, 'INVALID');
  for (const reason of [/own overhead/, /at its quota/, /observers have a gap of 5 s/])
    assert.ok(
      reasons.some((found) => reason.test(found)),
      `${reason} in:\n${reasons.join('\n')}`,
    );
});
