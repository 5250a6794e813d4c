import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { setRamp, setRate } from '../fixtures/record-rates.js';
import { setCpu } from '../fixtures/record-tiers.js';
import { programRecord } from '../fixtures/scenario-records.js';
import { timelineOf } from '../time/timeline.js';
import { lawsOf } from './laws.js';

/** @param {(raw: import('../fixtures/story.js').Raw) => void} [change] of a healthy ramp with two nodes */
function lawsIn(change) {
  const raw = recordOf({ balanced: true });
  setRamp(raw);
  change?.(raw);
  const facts = factsOf(raw);
  const timeline = timelineOf(raw, facts.window);
  const laws = lawsOf(facts, timeline);
  return { ...laws, boundAt: (/** @type {number} */ t_s) => laws.boundRps[timeline.findIndex((row) => row.t_s === t_s)] };
}

test('the bound is drawn over all the run from what a request cost in its calmest stage', () => {
  // In the first stage 100 requests a second cost the nodes 6 ms each, of which their core bears 167 a second.
  const change = (/** @type {import('../fixtures/story.js').Raw} */ raw) => {
    for (const name of ['app-1', 'app-2']) {
      setCpu(raw, name, 0.6, 1, 3);
      setCpu(raw, name, 1, 4);
    }
  };
  const { calmest, boundAt, stages } = lawsIn(change);
  assert.equal(calmest, 0);
  assert.deepEqual([boundAt(-1), boundAt(0), boundAt(3), boundAt(10)], [null, null, 166.7, 166.7]);
  assert.deepEqual(
    stages.map(({ boundRps, boundBy }) => [boundRps, boundBy]),
    [
      // Four users, in the first second, ask for 138.
      [157.1, 'app'],
      [166.7, 'app'],
      [166.7, 'app'],
    ],
  );
});

test('few users bound the rate before the CPU does', () => {
  const { boundAt, stages } = lawsIn((raw) => {
    // The quickest median is 19 ms; with 481 ms of thinking a user asks for two requests a second.
    raw.manifest.think_time_s = 0.481;
    for (const name of ['app-1', 'app-2']) setCpu(raw, name, 0.9);
  });
  assert.deepEqual([boundAt(1), boundAt(3), boundAt(7), boundAt(10)], [8, 20, 100, 111.1]);
  assert.deepEqual(
    stages.map(({ boundBy }) => boundBy),
    ['load', 'load', 'app'],
  );
});

test('what users of a script ask for is not known, and only what the CPU allows bounds them', () => {
  const { boundAt, stages } = lawsIn((raw) => {
    raw.manifest.scenario = 'script';
    raw.manifest.think_time_s = 0.481;
    for (const name of ['app-1', 'app-2']) setCpu(raw, name, 0.9);
  });
  assert.deepEqual([boundAt(1), boundAt(3), boundAt(7)], [111.1, 111.1, 111.1]);
  assert.ok(stages.every(({ boundBy }) => boundBy !== 'load'));
});

test('a service whose requests cost more than twice as much as in the calmest stage is named, dearest first', () => {
  const { stages } = lawsIn((raw) => {
    setCpu(raw, 'nginx', 0.66, 4, 7);
    setCpu(raw, 'mongo', 0.59, 4, 7);
    setRate(raw, 8, 10, { ok: 45 });
    setCpu(raw, 'nginx', 0.9, 8);
  });
  assert.deepEqual(
    stages.map(({ dearer }) => dearer.map(({ service, times }) => [service, Number(times.toFixed(1))])),
    [
      [],
      [['nginx', 2.2]],
      [
        ['nginx', 6.7],
        ['app-1', 2.2],
        ['app-2', 2.2],
        ['mongo', 2.2],
        ['k6', 2.2],
      ],
    ],
  );
});

test('each stage has what a request cost every service in it', () => {
  const { stages } = lawsIn((raw) => setCpu(raw, 'mongo', 0.6, 4, 7));
  assert.deepEqual(
    stages.map(({ cpuMsPerRequest: cost }) => [cost.mongo, cost['app-1']]),
    [
      [1.5, 1.5],
      [3, 1.5],
      [1.5, 1.5],
    ],
  );
});

test('without a container that was read only the users bound the rate', () => {
  const { calmest, stages, boundAt } = lawsIn((raw) => {
    raw.containers = [];
  });
  assert.deepEqual([calmest, stages[2].boundBy, stages[2].cpuMsPerRequest.nginx], [-1, 'load', null]);
  assert.equal(boundAt(10), 3448.3);
});

test('a program has no stages and no bound', () => {
  const facts = factsOf(programRecord());
  const laws = lawsOf(facts, timelineOf(facts.raw, facts.window));
  assert.deepEqual([laws.stages, laws.calmest], [[], -1]);
  assert.ok(laws.boundRps.every((value) => value === null));
});
