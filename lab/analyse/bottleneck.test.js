import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bottleneckOf } from './bottleneck.js';
import { endService, factsOf, recordOf } from './fixtures/record.js';
import { setCpu } from './fixtures/record-tiers.js';
import { FROM } from './fixtures/story.js';
import { cpuShares, resourcesOf } from './resources.js';
import { limitsOf } from './series.js';
import { timelineOf } from './timeline.js';

/** @param {(raw: import('./read-raw.js').Raw) => void} change of a healthy run of two nodes */
function bottleneckIn(change) {
  const raw = recordOf({ balanced: true });
  change(raw);
  const facts = factsOf(raw);
  const seconds = timelineOf(raw, facts.window).map(({ t_s }) => t_s);
  return bottleneckOf({
    resources: resourcesOf(raw, facts.window),
    cpu: cpuShares(raw, facts.window, seconds),
    limits: limitsOf(facts, seconds),
    seconds,
    facts,
  });
}

/** @type {(raw: import('./read-raw.js').Raw, name: string, from: number, to: number, values: object) => void} */
function setPool(raw, name, from, to, values) {
  for (const row of raw.nodes[name]) if (row.t >= FROM + from && row.t <= FROM + to) Object.assign(row.pool, values);
}

test('a run in which nothing was saturated has no bottleneck, and says why', () => {
  assert.deepEqual(
    bottleneckIn(() => {}),
    { bottleneck: null, reason: 'no tier reached a limit that is watched' },
  );
});

test('an app that used up its CPU first is the bottleneck, with the calm of what is behind it as evidence', () => {
  const { bottleneck, reason } = bottleneckIn((raw) => {
    setCpu(raw, 'app-1', 1, 3);
    setCpu(raw, 'k6', 1, 8);
  });
  assert.equal(bottleneck?.tier, 'app');
  assert.deepEqual(bottleneck?.evidence, [
    'app-1: its CPU quota was used up from second 3 on, 8 s in all',
    'behind it no limit was reached (pool, database)',
  ]);
  assert.equal(reason, 'the app was the first to reach a limit');
});

test('a database behind it that is saturated as soon is the bottleneck instead', () => {
  const { bottleneck } = bottleneckIn((raw) => {
    setCpu(raw, 'app-1', 1, 3);
    setCpu(raw, 'mongo', 1, 5);
  });
  assert.deepEqual(bottleneck, { tier: 'database', evidence: ['mongo: its CPU quota was used up from second 5 on, 6 s in all'] });
});

test('a database that is saturated long after the app is not', () => {
  const { bottleneck } = bottleneckIn((raw) => {
    setCpu(raw, 'app-1', 1, 1);
    setCpu(raw, 'mongo', 1, 7);
  });
  assert.equal(bottleneck?.tier, 'app');
  assert.equal(bottleneck?.evidence.at(-1), 'behind it no limit was reached (pool)');
});

test('a full pool is the bottleneck when neither the app nor the database is busy', () => {
  const { bottleneck } = bottleneckIn((raw) => setPool(raw, 'app-2', 4, 9, { in_use: 50 }));
  assert.deepEqual(bottleneck, {
    tier: 'pool',
    evidence: ['pool of app-2: at its limit of 50 from second 4 on, 6 s in all', 'behind it no limit was reached (database)'],
  });
});

test('a full pool is only the queue of a saturated app, and of a saturated database', () => {
  for (const [name, tier] of [
    ['app-1', 'app'],
    ['mongo', 'database'],
  ]) {
    const { bottleneck } = bottleneckIn((raw) => {
      setPool(raw, 'app-1', 2, 10, { in_use: 50 });
      setCpu(raw, name, 1, 6);
    });
    assert.equal(bottleneck?.tier, tier);
  }
});

test('an event loop that is always busy saturates the app, whatever its quota', () => {
  const { bottleneck } = bottleneckIn((raw) => {
    for (const row of raw.nodes['app-1']) if (row.t >= FROM + 6) row.loop_utilisation = 0.96;
  });
  assert.equal(bottleneck?.evidence[0], 'event loop of app-1: at its limit of 1 from second 6 on, 5 s in all');
});

test('a connection table is full from where the balancer begins to close idle clients', () => {
  const sockets = (/** @type {number} */ inuse) =>
    bottleneckIn((raw) => {
      for (const row of raw.kernel) if (row.name === 'nginx' && row.t >= FROM + 5) row.sockets = { inuse };
    }).bottleneck?.tier;
  assert.deepEqual([sockets(959), sockets(960)], [undefined, 'load-balancer']);
});

test('two seconds at a limit are noise, and so is the warm-up', () => {
  const tierOf = (/** @type {number} */ from, /** @type {number} */ to) =>
    bottleneckIn((raw) => setCpu(raw, 'app-1', 1, from, to)).bottleneck?.tier;
  assert.deepEqual([tierOf(3, 4), tierOf(-4, 0), tierOf(3, 5)], [undefined, undefined, 'app']);
});

test('a limit is reached at 95 % of a quota, as quotas are enforced in slices', () => {
  const tierOf = (/** @type {number} */ share) => bottleneckIn((raw) => setCpu(raw, 'app-1', share, 3)).bottleneck?.tier;
  assert.deepEqual([tierOf(0.94), tierOf(0.951)], [undefined, 'app']);
});

test('a second that was not read does not end a time at the limit, which began with its first second', () => {
  const { bottleneck } = bottleneckIn((raw) => {
    setCpu(raw, 'app-1', 1, 3, 6);
    raw.containers = raw.containers.filter(({ name, t }) => name !== 'app-1' || t !== FROM + 4);
  });
  assert.equal(bottleneck?.evidence[0], 'app-1: its CPU quota was used up from second 3 on, 3 s in all');
});

test('the generator is named when it was first, because then the run says nothing of the others', () => {
  const { bottleneck } = bottleneckIn((raw) => {
    setCpu(raw, 'k6', 1, 2);
    setCpu(raw, 'mongo', 1, 7);
  });
  assert.equal(bottleneck?.tier, 'generator');
});

test('a tier that ended or stood still was at its limit from then on', () => {
  const ended = bottleneckIn((raw) => endService(raw, 'mongo', 6)).bottleneck;
  assert.deepEqual(ended, { tier: 'database', evidence: ['mongo: it had ended from second 6 on, 4 s in all'] });
  const still = bottleneckIn((raw) => {
    raw.nodes['app-2'] = raw.nodes['app-2'].filter(({ t }) => t <= FROM + 3 || t >= FROM + 8);
  }).bottleneck;
  assert.equal(still?.tier, 'app');
  assert.equal(still?.evidence[0], 'app-2: it stood still from second 3 on, 5 s in all');
});

test('a service that only observes is never the bottleneck', () => {
  const { bottleneck } = bottleneckIn((raw) => {
    raw.manifest.services.find((/** @type {{ name: string }} */ { name }) => name === 'app-2').tier = 'observer';
    setCpu(raw, 'app-2', 1, 3);
  });
  assert.equal(bottleneck, null);
});
