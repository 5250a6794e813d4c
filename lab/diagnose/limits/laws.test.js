import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { setRamp, setRate } from '../fixtures/record-rates.js';
import { setCpu } from '../fixtures/record-tiers.js';
import { programRecord } from '../fixtures/scenario-records.js';
import { timelineOf } from '../time/seconds.js';
import { askedRates, calmestOf, cpuBounds, demandsOf, inMilliseconds, lawsOf } from './laws.js';

/** @type {(name: string, tier: string, quota: number | null) => import('./laws.js').Service} */
const service = (name, tier, quota) => ({ name, tier, cpu_quota_cores: quota });

test('a tier finishes at most its capacity over its demand, and two nodes twice what one does', () => {
  const nginx = service('nginx', 'load-balancer', 0.25);
  const one = cpuBounds({ nginx: 0.0005, 'app-1': 0.002 }, [nginx, service('app-1', 'app', 0.5)], 4);
  assert.deepEqual(one[0], { by: 'app', rps: 250 });
  // With two nodes each request costs either of them half on average.
  const nodes = [service('app-1', 'app', 0.5), service('app-2', 'app', 0.5)];
  const two = cpuBounds({ nginx: 0.0005, 'app-1': 0.001, 'app-2': 0.001 }, [nginx, ...nodes], 4);
  assert.deepEqual(
    two.map(({ by, rps }) => [by, Math.round(rps)]),
    [
      ['load-balancer', 500],
      ['app', 500],
      ['machine', 1600],
    ],
  );
});

test('without quotas all tiers share the machine', () => {
  const services = [service('app-1', 'app', null), service('mongo', 'database', null)];
  assert.deepEqual(cpuBounds({ 'app-1': 0.003, mongo: 0.001 }, services, 2), [{ by: 'machine', rps: 500 }]);
});

test('quotas that exceed the machine together do not make it larger', () => {
  const services = [service('app-1', 'app', 1.5), service('mongo', 'database', 1.5)];
  assert.equal(cpuBounds({ 'app-1': 0.001, mongo: 0.001 }, services, 2)[0].by, 'machine');
});

test('a service whose demand is not known bounds nothing', () => {
  assert.deepEqual(cpuBounds({ 'app-1': null }, [service('app-1', 'app', 0.5)], 2), []);
});

/** @type {(t_s: number, p50?: number | null) => import('../../record/types.js').TimelineRow} */
const row = (t_s, p50 = null) => /** @type {any} */ ({ t_s, vus: 1, latency_ms_p50_ok: p50 });
/** @type {(unit: 'users' | 'rps', stages: import('../../../k6/lib/shapes.js').Stage[]) => import('../../../k6/lib/shapes.js').Shape} */
const shape = (unit, stages) => ({ title: '', model: unit === 'rps' ? 'open' : 'closed', unit, warmup_s: 1, stages });

test('users ask for as many requests as their number over the quickest round of answer and thinking', () => {
  const held = shape('users', [{ duration_s: 3, target: 30, held: true }]);
  assert.deepEqual(askedRates(held, [row(0, 1), row(1, 90), row(2, 50), row(3), row(4, 1000)], 0.05), [null, 300, 300, 300, null]);
});

test('users that are still being added are those planned for the end of the second', () => {
  const ramp = shape('users', [
    { duration_s: 2, target: 21 },
    { duration_s: 2, target: 41 },
  ]);
  assert.deepEqual(askedRates(ramp, [row(1, 100), row(2), row(3), row(4)], 0), [110, 210, 310, 410]);
});

test('without a good answer nothing is known of how fast users could be', () => {
  assert.deepEqual(askedRates(shape('users', [{ duration_s: 1, target: 5 }]), [row(1)], 0.01), [null]);
});

test('an open load asks for what arrives, whatever the answers take', () => {
  const open = shape('rps', [
    { duration_s: 2, target: 100 },
    { duration_s: 2, target: 100, held: true },
  ]);
  assert.deepEqual(askedRates(open, [row(0), row(1, 900), row(2), row(3), row(4), row(5)], 0), [null, 25, 75, 100, 100, null]);
});

/** @type {(raw: import('../fixtures/story.js').Raw, from_s: number, to_s: number) => import('./laws.js').Demands} */
const demandsIn = (raw, from_s, to_s) => demandsOf(factsOf(raw), { from_s, to_s });

test('what a request costs is the CPU of a service over the finished requests of the same time', () => {
  const raw = recordOf({ balanced: true });
  setCpu(raw, 'nginx', 0.8, 3, 6);
  // nginx uses 0.8 of its quarter core in the seconds 3 to 6, for 100 requests a second; the others 0.3 of their quota.
  assert.deepEqual(inMilliseconds(demandsIn(raw, 2, 6)), { nginx: 2, 'app-1': 1.5, 'app-2': 1.5, mongo: 1.5, k6: 3 });
  assert.equal(inMilliseconds(demandsIn(raw, 0, 2)).nginx, 0.75);
});

test('failed requests are finished requests, and what they cost is in the sum', () => {
  const raw = recordOf({ balanced: true });
  setRate(raw, 3, 6, { ok: 100, failed: 100 });
  const demands = demandsIn(raw, 2, 6);
  assert.deepEqual([demands.finished, demands.failed, inMilliseconds(demands)['app-1']], [800, 400, 0.75]);
});

test('a reading that reaches beyond the stage counts for the part of it that lies inside', () => {
  const raw = recordOf();
  raw.containers = raw.containers.filter(({ t }) => Math.round(t) % 2 === 0);
  setCpu(raw, 'mongo', 0.6, 4, 4);
  // Used in the seconds 3 and 4, of which the stage has one: (0.15 + 0.15 + 0.15) / 2.
  assert.equal(inMilliseconds(demandsIn(raw, 3, 4)).mongo, 2.25);
});

test('without enough finished requests, or without a reading of the service, nothing is said of what a request costs', () => {
  const raw = recordOf();
  setRate(raw, 1, 2, { ok: 24 });
  assert.equal(demandsIn(raw, 0, 2).seconds.mongo, null);
  setRate(raw, 1, 2, { ok: 25 });
  assert.notEqual(demandsIn(raw, 0, 2).seconds.mongo, null);
  raw.containers = raw.containers.filter(({ name }) => name !== 'mongo');
  assert.equal(demandsIn(raw, 0, 2).seconds.mongo, null);
});

test('an observer works for no request', () => {
  const raw = recordOf({ balanced: true });
  raw.manifest.services.find((/** @type {{ name: string }} */ { name }) => name === 'app-2').tier = 'observer';
  assert.deepEqual(Object.keys(demandsIn(raw, 0, 2).seconds), ['nginx', 'app-1', 'mongo', 'k6']);
});

test('the busiest share is of the quota, or of the machine where there is none', () => {
  const raw = recordOf();
  setCpu(raw, 'app-1', 0.8);
  assert.equal(demandsIn(raw, 2, 4).busiest?.toFixed(3), '0.800');
  for (const service of raw.manifest.services) service.cpu_quota_cores = null;
  assert.equal(demandsIn(raw, 2, 4).busiest?.toFixed(3), '0.100');
});

test('the calmest stage is the least busy of those that hardly lost a request', () => {
  /** @type {(busiest: number | null, failed?: number, finished?: number) => import('./laws.js').Demands} */
  const stage = (busiest, failed = 0, finished = 1000) => ({ finished, failed, busiest, seconds: {} });
  assert.equal(calmestOf([stage(0.9), stage(0.5), stage(0.7)]), 1);
  assert.equal(calmestOf([stage(0.9), stage(0.5, 11), stage(0.7, 10)]), 2);
  assert.equal(calmestOf([stage(0.9, 500), stage(0.5, 500)]), 1, 'all lost requests');
  assert.equal(calmestOf([stage(0.1, 0, 49), stage(null), stage(0.6, 0, 50)]), 2);
  assert.equal(calmestOf([stage(0.1, 0, 49)]), -1);
});

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
