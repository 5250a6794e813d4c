import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from './fixtures/record.js';
import { setCpu } from './fixtures/record-tiers.js';
import { FROM, WARMUP_S } from './fixtures/story.js';
import { buildLedger } from './ledger/ledger.js';
import { cpuShares } from './resources.js';
import { stagesOf } from './stages.js';
import { timelineOf } from './timeline.js';
import { validityOf } from './validity.js';

/** @typedef {import('./read-raw.js').Raw} Raw */

/**
 * @param {(raw: Raw) => void} change of a healthy run
 * @param {import('./fixtures/story.js').Story} [story]
 * @param {import('../define/result.js').Tier | null} [bottleneck]
 */
function validity(change, story, bottleneck = null) {
  const raw = recordOf(story);
  change(raw);
  const facts = factsOf(raw);
  const timeline = timelineOf(raw, facts.window);
  const cpu = cpuShares(
    raw,
    facts.window,
    timeline.map(({ t_s }) => t_s),
  );
  const stages = stagesOf(raw.manifest.shape, timeline, cpu);
  return validityOf({
    facts,
    ledger: buildLedger(facts),
    stages,
    cpu,
    timeline,
    bottleneck: bottleneck && { tier: bottleneck, evidence: [] },
  });
}

const unchanged = () => {};
const nothing = { verdict: 'VALID', reasons: [] };
/** Users that the stages are to hold. @type {(users: number) => (raw: Raw) => void} */
const target = (users) => (raw) => {
  for (const stage of raw.manifest.shape.stages) stage.target = users;
};
/** @param {Raw} raw */
const loadSnapshots = (raw) => raw.snapshots.slice(WARMUP_S);

test('a healthy run is valid, with nothing to say', () => {
  for (const balanced of [true, false]) assert.deepEqual(validity(unchanged, { balanced }), nothing);
});

test('a run that finished no request is invalid', () => {
  assert.deepEqual(
    validity((raw) => {
      raw.summary.metrics = {};
    }).reasons[0],
    'no request was finished',
  );
});

test('an interrupted run is invalid', () => {
  const found = validity((raw) => {
    raw.manifest.interrupted = true;
    raw.summary = null;
  });
  assert.deepEqual(found, { verdict: 'INVALID', reasons: ['the run was interrupted before its load had ended'] });
});

test('a run whose generator left no summary is invalid', () => {
  assert.deepEqual(
    validity((raw) => {
      raw.summary = null;
    }),
    { verdict: 'INVALID', reasons: ['the generator left no summary'] },
  );
});

test('a generator at its quota for a tenth of the load is still well, beyond it suspect', () => {
  assert.deepEqual(
    validity((raw) => setCpu(raw, 'k6', 1, 3, 3)),
    nothing,
  );
  const found = validity((raw) => setCpu(raw, 'k6', 1, 3, 4));
  assert.deepEqual(found, { verdict: 'SUSPECT', reasons: ["the generator's CPU was at its quota for 20 % of the load's seconds"] });
});

test('a generator at its quota for more than half of the load spoils the run when it held the others back', () => {
  const saturate = (/** @type {number} */ to) => (/** @type {Raw} */ raw) => setCpu(raw, 'k6', 1, 1, to);
  assert.equal(validity(saturate(5), {}, 'generator').verdict, 'SUSPECT');
  assert.equal(validity(saturate(6), {}, 'generator').verdict, 'INVALID');
  assert.equal(validity(saturate(10), {}, 'app').verdict, 'SUSPECT');
});

test('a generator that was busy in the warm-up alone is well', () => {
  assert.deepEqual(
    validity((raw) => setCpu(raw, 'k6', 1, -4, 0)),
    nothing,
  );
});

test('a generator that ran out of descriptors or ports makes the run invalid, be it for one request', () => {
  const { verdict, reasons } = validity(unchanged, { kinds: { no_ports: { 1: 1 } } });
  assert.deepEqual([verdict, reasons], ['INVALID', ['the generator ran out of file descriptors or ports for 1 requests']]);
});

test('counts that differ by more than a thousandth are suspect, by more than a hundredth invalid', () => {
  const miss = (/** @type {number} */ missing) =>
    validity((raw) => {
      raw.database[raw.database.length - 1].documents_exact -= missing;
    });
  assert.deepEqual(miss(1), nothing);
  assert.deepEqual(miss(2), {
    verdict: 'SUSPECT',
    reasons: ['counts do not reconcile: MongoDB stored what it inserted; 998 against 1,000'],
  });
  assert.equal(miss(10).verdict, 'SUSPECT');
  assert.equal(miss(11).verdict, 'INVALID');
});

test("Little's law holds for users who are all either waiting or thinking", () => {
  assert.deepEqual(validity(target(3)), nothing);
});

test("Little's law is suspect beyond 5 % and invalid beyond 10 %", () => {
  assert.deepEqual(validity(target(3.15)), nothing);
  const suspect = validity(target(3.25));
  assert.deepEqual(suspect, {
    verdict: 'SUSPECT',
    reasons: ["Little's law is off by 7.7 % while 3.25 users were held: time was lost inside the generator"],
  });
  assert.equal(validity(target(3.4)).verdict, 'INVALID');
  assert.equal(validity(target(2.7)).verdict, 'INVALID');
});

test("Little's law counts the time that requests waited for a free socket", () => {
  const blocked = (/** @type {Raw} */ raw) => {
    for (const { metrics } of loadSnapshots(raw)) metrics.http_req_blocked = { avg: 10 };
  };
  assert.equal(validity(blocked).verdict, 'INVALID');
  assert.deepEqual(
    validity((raw) => {
      blocked(raw);
      target(4)(raw);
    }),
    nothing,
  );
});

test("Little's law is asked of held stages alone, once their users have settled", () => {
  const ramp = (/** @type {Raw} */ raw) => {
    target(100)(raw);
    for (const stage of raw.manifest.shape.stages) delete stage.held;
  };
  assert.deepEqual(validity(ramp), nothing);
  const settling = (/** @type {Raw} */ raw) => {
    for (const { t, metrics } of loadSnapshots(raw)) if (t <= FROM + 5) metrics.lab_finished = { count: 900 };
  };
  assert.deepEqual(validity(settling), nothing);
});

test("Little's law is not asked of arrivals, whose users are not held", () => {
  const arrivals = (/** @type {Raw} */ raw) => {
    target(60)(raw);
    raw.manifest.shape.unit = 'rps';
  };
  assert.deepEqual(validity(arrivals), nothing);
});

test("Little's law is not asked of a stage in which one request took a third of the time", () => {
  const slow = (/** @type {number} */ ms) =>
    validity((raw) => {
      target(100)(raw);
      loadSnapshots(raw)[8].metrics.lab_latency_all = { avg: 20, max: ms };
    }).verdict;
  assert.deepEqual([slow(2000), slow(2700)], ['INVALID', 'VALID']);
});

test("a late snapshot, which stands for several seconds, does not break Little's law", () => {
  const late = validity((raw) => {
    const last = loadSnapshots(raw)[8];
    last.metrics.lab_finished = { count: 300 };
    raw.snapshots = raw.snapshots.filter(({ t }) => t !== FROM + 7 && t !== FROM + 8);
  });
  assert.deepEqual(late, nothing);
});

test('a neighbour on the machine is suspect above 15 % of its cores, invalid above 35 %', () => {
  const share = (/** @type {number} */ others) =>
    validity((raw) => {
      for (const row of raw.host) row.cpu_busy_s += (row.t - FROM + WARMUP_S) * 4 * others;
    });
  assert.deepEqual(share(0.14), nothing);
  assert.deepEqual(share(0.2), { verdict: 'SUSPECT', reasons: ['other programs used 20 % of the machine during the load'] });
  assert.equal(share(0.4).verdict, 'INVALID');
});

test('a container that ended in the load counts for as long as it ran', () => {
  const found = validity((raw) => {
    setCpu(raw, 'app-1', 0.9, 1, 5);
    raw.containers = raw.containers.filter(({ name, t }) => name !== 'app-1' || t <= FROM + 5);
    for (const row of raw.host) row.cpu_busy_s += Math.max(0, row.t - FROM) * 4 * 0.2;
  });
  assert.equal(found.verdict, 'SUSPECT');
});

test('a neighbour that left before the load is none', () => {
  const found = validity((raw) => {
    for (const row of raw.host) row.cpu_busy_s += Math.min(0, row.t - FROM) * 4;
  });
  assert.deepEqual(found, nothing);
});

test("the lab's own containers are no neighbours", () => {
  const busy = validity((raw) => {
    setCpu(raw, 'app-1', 0.94, 1);
    setCpu(raw, 'mongo', 0.94, 1);
    for (const row of raw.host) row.cpu_busy_s += Math.max(0, row.t - FROM) * 0.64;
  });
  assert.deepEqual(busy, nothing);
});

test('observers that missed more than three seconds are a doubt', () => {
  const without = (/** @type {number} */ to) =>
    validity((raw) => {
      raw.host = raw.host.filter(({ t }) => t <= FROM + 3 || t >= FROM + to);
    });
  assert.deepEqual(without(6), nothing);
  assert.deepEqual(without(7), { verdict: 'SUSPECT', reasons: ['the observers have a gap of 4.0 s'] });
});

test('every reason is told, and the worst one decides', () => {
  const { verdict, reasons } = validity((raw) => {
    setCpu(raw, 'k6', 1, 3, 4);
    target(3.4)(raw);
    raw.host = raw.host.filter(({ t }) => t <= FROM + 3 || t >= FROM + 8);
  });
  assert.equal(verdict, 'INVALID');
  assert.equal(reasons.length, 3);
});
