import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givingWay, joined, queuedElsewhere } from './giving-way.js';

const NONE = { failing: [], slow: [], silent: 0, failures: 0, finished: 100, calmMs: 10 };
/** @type {(more?: object) => any[]} */
const timeline = (more = {}) => Array.from({ length: 8 }, (_, t_s) => ({ t_s, vus: t_s * 10, throughput_rps: t_s * 100, ...more }));

/** @type {(tier: string, name: string, seconds: number[], what?: string) => import('./saturations.js').Saturation} */
const limit = (tier, name, seconds, what = 'full') =>
  /** @type {any} */ ({ tier, service: name, name, what, rank: 0, reached: [...Array(8).keys()].map((at) => seconds.includes(at)) });

test('limits, slow answers and failures are told in the order of time, with the load of their second', () => {
  const steps = givingWay({
    saturations: [limit('load-balancer', 'table', [5, 6, 7]), limit('app', 'loop-1', [3, 4, 5, 6]), limit('app', 'loop-2', [4, 5, 6])],
    timeline: timeline(),
    hurt: { ...NONE, failing: [6, 7], slow: [4, 5, 6, 7] },
    tier: 'app',
    unit: 'users',
  });
  assert.deepEqual(steps, [
    'second 3 (30 users, 300 requests a second): loop-1: full, for 4 s in all',
    'second 4 (40 users, 400 requests a second): answers take at least 3 times as long as in the calm (median 10 ms)',
    'second 5 (50 users, 500 requests a second): table: full, for 3 s in all',
    'second 6 (60 users, 600 requests a second): the first request fails; some do in 2 s in all',
  ]);
});

test('a limit of two seconds, one of the warm-up and one that was reached while nothing hurt are not told', () => {
  const saturations = [limit('app', 'brief', [6, 7]), limit('app', 'warm', [0]), limit('cache', 'calm', [1, 2, 3])];
  assert.deepEqual(givingWay({ saturations, timeline: timeline(), hurt: { ...NONE, failing: [6] }, tier: null, unit: 'rps' }), [
    'second 6 (600 requests a second): the first request fails; some do in 1 s in all',
  ]);
  assert.deepEqual(givingWay({ saturations, timeline: timeline(), hurt: NONE, tier: null, unit: 'rps' }), []);
});

test('of a run in which nothing failed and nothing took long it is not told how it gave way', () => {
  const saturations = [limit('machine', 'cores', [1, 2, 3, 4])];
  const given = { saturations, timeline: timeline(), tier: 'machine', unit: 'users' };
  assert.deepEqual(givingWay({ ...given, hurt: NONE }), []);
  assert.equal(givingWay({ ...given, hurt: { ...NONE, slow: [5, 6, 7] } }).length, 2);
});

test('a second that nobody could read does not put off the moment in which a limit was reached', () => {
  const table = limit('load-balancer', 'table', [2, 3, 5, 6, 7]);
  const unread = { ...table, reached: table.reached.map((value, at) => (at === 4 ? null : value)) };
  const said = (/** @type {any} */ saturation) =>
    givingWay({ saturations: [saturation], timeline: timeline(), hurt: { ...NONE, failing: [2, 3] }, tier: null, unit: 'rps' });
  assert.equal(said(unread)[0], 'second 2 (200 requests a second): table: full, for 5 s in all');
  assert.equal(said(table).at(-1), 'second 5 (500 requests a second): table: full, for 5 s in all');
  const of = (/** @type {(boolean | null)[]} */ reached) => said({ ...table, reached }).join();
  assert.doesNotMatch(of([false, true, true, null, null, null, null, null]), /table/, 'two seconds that were read are no three');
  assert.doesNotMatch(of([false, true, true, null, null, null, true, false]), /table/, 'three that were not are too many');
  assert.match(of([false, true, true, null, null, true, false, false]), /second 1 /);
  const ledger = /** @type {any} */ ({ failures: [{ tier: 'load-balancer', count: 3 }], unattributed: 0 });
  const saturations = [unread, limit('database', 'mongo', [3, 4, 5])];
  assert.match(
    joined({ ledger, tier: 'database', timeline: timeline(), hurt: { ...NONE, failing: [3, 5] }, saturations }),
    /^All of the failures were lost at the load balancer, at a limit of its own from second 2 on \(table: full\); after that, from second 3 on/,
  );
});

test('users of a second without a reading are those of the one before, and else are left out', () => {
  const hurt = { ...NONE, failing: [4] };
  const gap = timeline().map((row) => (row.t_s === 4 ? { ...row, vus: null } : row));
  const said = (/** @type {any[]} */ rows) => givingWay({ saturations: [], timeline: rows, hurt, tier: null, unit: 'users' })[0];
  assert.match(said(gap), /^second 4 \(30 users, 400 requests a second\)/);
  assert.match(said(timeline({ vus: null })), /^second 4 \(400 requests a second\)/);
});

test('what the tier that lost them was at meanwhile is said only where it is on record', () => {
  const ledger = /** @type {any} */ ({ failures: [{ tier: 'app', count: 3 }], unattributed: 1 });
  const input = { ledger, tier: 'database', timeline: timeline(), hurt: { ...NONE, failing: [5, 6] } };
  assert.equal(
    joined({ ...input, saturations: [limit('database', 'mongo', [4, 5, 6]), limit('app', 'loop', [1, 2, 3])] }),
    '75.0 % of the failures were lost at the app, of which no limit that is watched was reached then; meanwhile, from second 4 on, the database was at its limit (mongo: full)',
  );
  assert.equal(
    joined({ ...input, saturations: [] }),
    '75.0 % of the failures were lost at the app, of which no limit that is watched was reached then',
  );
  assert.equal(joined({ ...input, tier: 'app', saturations: [] }), '');
});

test('that answers waited longest in a pool is said not to make the pool the limit', () => {
  const parts = [
    { id: 'pool', label: 'waiting for a pooled connection', tier: 'pool', waits: true },
    { id: 'handler', label: 'in the handler', tier: 'app', waits: false },
  ];
  const time = (/** @type {number} */ pool) =>
    /** @type {any} */ ({
      parts,
      stages: [
        { measured_ms: 20, parts: { pool: 0 } },
        { measured_ms: 1480, parts: { pool, handler: 1480 - pool } },
      ],
    });
  const stages = /** @type {any[]} */ ([10, 2000].map((target) => ({ target, unit: 'users', held: false })));
  assert.equal(
    queuedElsewhere(time(1300), stages, 'app'),
    'Good answers spent most of their time waiting for a pooled connection (1.3 s of 1.48 s in the stage to 2,000 users): that is where they queued, and the app is what was at its limit',
  );
  assert.equal(queuedElsewhere(time(1300), stages, 'pool'), '');
  assert.equal(queuedElsewhere(time(700), stages, 'app'), '', 'less than half of it');
  assert.equal(queuedElsewhere(null, stages, 'app'), '');
});
