import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behindHaproxy } from '../fixtures/behind-haproxy.js';
import { factsOf, recordOf } from '../fixtures/record.js';
import { crudRecord, poolsRecord, programRecord } from '../fixtures/scenario-records.js';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.js';
import { placeAll } from '../ledger/ledger.js';
import { timelineOf } from './seconds.js';
import { addUp, balancerSums, failuresByTier, nodeSums, timeLedgerOf } from './time-ledger.js';

test("each second has the nodes' own sums over its good answers, in milliseconds", () => {
  const raw = recordOf({ balanced: true });
  const { window } = factsOf(raw);
  const sums = nodeSums(raw, window);
  // 100 good answers: 10 ms in the handler, of these 2 for the pool and 6 for MongoDB, which itself worked 3 ms.
  assert.deepEqual(sums.get(4), { n: 100, handler: 1000, pool: 200, roundTrips: 600, database: 300 });
});

test('a second in which MongoDB was not read has what it worked in the one before', () => {
  const raw = recordOf({ balanced: true });
  const { window } = factsOf(raw);
  raw.database = raw.database.filter(({ t }) => t !== FROM + 4);
  assert.equal(nodeSums(raw, window).get(4)?.database, 300);
});

test('the times of good answers add up by the second in which they ended; a proxy that tells none has none', () => {
  const { window, entryProxy } = factsOf(recordOf({ balanced: true }));
  const [seen] = entryProxy?.requestRecords ?? [];
  const took_ms = { whole: 20, behind: 14, connect: 3 };
  const ended = [0.4, 0.5, 1.2].map((second) => ({ ...seen, ended: FROM + second, took_ms }));
  const others = [
    { ...ended[0], status: 502 },
    { ...ended[0], took_ms: undefined },
  ];
  const sums = balancerSums([...ended, ...others], window);
  assert.deepEqual(
    [1, 2].map((second) => sums.get(second)),
    [
      { n: 2, request: 40, upstream: 28, connect: 6 },
      { n: 1, request: 20, upstream: 14, connect: 3 },
    ],
  );
});

test('sums of some seconds leave out those that have none', () => {
  assert.deepEqual(addUp([{ n: 1, ms: 5 }, undefined, { n: 2, ms: 7 }]), { n: 3, ms: 12 });
  assert.equal(addUp([undefined]), null);
});

/** @param {import('../fixtures/story.js').Raw} raw */
function timeIn(raw) {
  const facts = factsOf(raw);
  const stages = /** @type {any[]} */ ([
    { target: 3, from_s: 0, to_s: 2 },
    { target: 3, from_s: 2, to_s: 10 },
  ]);
  return timeLedgerOf(facts, timelineOf(raw, facts.window), stages);
}

/** @param {import('../fixtures/story.js').Raw} raw */
function foundIn(raw) {
  const found = timeIn(raw);
  assert.ok(found);
  return found;
}

/** Lets every request wait for its connection. @type {(raw: import('../fixtures/story.js').Raw, ms: number, latencyMs: number) => import('../fixtures/story.js').Raw} */
function setBlocked(raw, ms, latencyMs) {
  for (const { metrics } of raw.snapshots.slice(WARMUP_S)) {
    metrics.http_req_blocked = { avg: ms };
    metrics.lab_latency_ok = { avg: latencyMs };
  }
  raw.summary.metrics.lab_latency_ok.values.avg = latencyMs;
  return raw;
}

const BEHIND_BALANCER = { connecting: 0, client: 1, balancer: 2, connect: 1, loop: 9, handler: 2, pool: 2, database: 3 };
const ALONE = { connecting: 0, client: 0, loop: 13, handler: 2, pool: 2, database: 3 };
const total = (/** @type {Record<string, number | null>} */ parts) =>
  Object.values(parts).reduce((sum, part) => Number(sum) + Number(part), 0);

test('behind a balancer the time of a good answer is told apart at every border', () => {
  const { parts, stages } = foundIn(recordOf({ balanced: true }));
  assert.deepEqual(
    parts.map(({ id }) => id),
    Object.keys(BEHIND_BALANCER),
  );
  for (const stage of stages) assert.deepEqual(stage, { target: 3, parts: BEHIND_BALANCER, measured_ms: 20 });
});

test('without a balancer, what passes before the handler is waiting for the event loop', () => {
  const { parts, stages } = foundIn(recordOf());
  assert.deepEqual(
    parts.map(({ id }) => id),
    ['connecting', 'client', 'loop', 'handler', 'pool', 'database'],
  );
  for (const stage of stages) assert.deepEqual(stage, { target: 3, parts: ALONE, measured_ms: 20 });
});

test("in every second the parts sum to k6's own mean", () => {
  for (const balanced of [true, false]) {
    const raw = recordOf({ balanced });
    for (const [index, snapshot] of raw.snapshots.entries()) if (index >= WARMUP_S) snapshot.metrics.lab_latency_ok = { avg: 20 + index };
    const { series } = foundIn(raw);
    assert.deepEqual(
      series.t_s,
      Array.from({ length: SECONDS }, (_, index) => index + 1),
    );
    for (const index of series.t_s.keys()) {
      const sum = total(Object.fromEntries(Object.entries(series.parts).map(([id, values]) => [id, values[index]])));
      assert.ok(Math.abs(Number(sum) - Number(series.measured_ms[index])) < 0.02, `second ${series.t_s[index]}: ${sum}`);
    }
  }
});

test('what a user waits for a connection is a part, and belongs to what was measured by the tiers', () => {
  const balanced = foundIn(setBlocked(recordOf({ balanced: true }), 5, 25));
  assert.deepEqual(balanced.stages[1], { target: 3, parts: { ...BEHIND_BALANCER, connecting: 5 }, measured_ms: 25 });
  assert.deepEqual(balanced.check, { sum_ms: 24, measured_ms: 25, gap_fraction: 0.04 });
  const alone = foundIn(setBlocked(recordOf(), 5, 25));
  assert.deepEqual(alone.stages[1], { target: 3, parts: { ...ALONE, connecting: 5 }, measured_ms: 25 });
});

test('failed requests that waited longer for a connection than good answers leave the sum as it is', () => {
  const { parts, measured_ms: measured } = foundIn(setBlocked(recordOf({ balanced: true }), 90, 25)).stages[1];
  assert.deepEqual([parts.connecting, parts.client, total(parts), measured], [6, 0, 25, 25]);
});

test("what the tiers measured by themselves is checked against k6's mean, the client's side left out", () => {
  assert.deepEqual(foundIn(recordOf({ balanced: true })).check, { sum_ms: 19, measured_ms: 20, gap_fraction: 0.05 });
  assert.deepEqual(foundIn(recordOf()).check, { sum_ms: 20, measured_ms: 20, gap_fraction: 0 });
});

test('failures are in no part', () => {
  const answers = [{ status: 502, count: 300, connect_s: '-' }];
  assert.deepEqual(foundIn(recordOf({ balanced: true, answers })).stages[1].parts, BEHIND_BALANCER);
});

test('no part is negative when two clocks disagree', () => {
  const raw = recordOf({ balanced: true });
  for (const line of raw.accessLines) Object.assign(line, { request_s: 0.03, upstream_s: '0.031', connect_s: '0.000' });
  const { parts } = foundIn(raw).stages[0];
  assert.deepEqual([parts.client, parts.balancer], [0, 0]);
});

test('MongoDB cannot have worked for longer than its answer took', () => {
  const raw = recordOf();
  for (const row of raw.database) row.worked.writes.us *= 10;
  const { parts } = foundIn(raw).stages[0];
  assert.deepEqual([parts.database, parts.handler], [6, 2]);
});

test('a node that starts again takes no time back', () => {
  const raw = recordOf();
  const rows = raw.nodes['app-1'];
  const restarted = rows.find(({ t }) => t === FROM + 5);
  const sofar = { ...restarted.ok_ms };
  for (const row of rows.filter(({ t }) => t >= FROM + 5)) {
    row.ok_ms = Object.fromEntries(Object.entries(row.ok_ms).map(([key, value]) => [key, value - sofar[key]]));
  }
  restarted.event = 'start';
  const { series } = foundIn(raw);
  assert.deepEqual([series.parts.handler[4], series.parts.handler[5]], [null, 2]);
});

test('a second without good answers has no parts', () => {
  const raw = recordOf({ balanced: true });
  for (const row of raw.nodes['app-1'].concat(raw.nodes['app-2']))
    if (row.t === FROM + 4) row.ok_ms = { count: 0, handler: 0, pool: 0, database: 0 };
  assert.equal(foundIn(raw).series.parts.loop[3], null);
});

test('without a record of the nodes there is nothing to tell', () => {
  const raw = recordOf();
  raw.nodes = { 'app-1': [] };
  assert.equal(timeIn(raw), null);
});

test('of a k6 that was killed, the seconds that it recorded are checked', () => {
  const raw = recordOf({ balanced: true });
  raw.summary = null;
  assert.equal(foundIn(raw).check.measured_ms, 20);
});

test('without a record of k6 there is nothing to check against', () => {
  const raw = recordOf();
  for (const { metrics } of raw.snapshots) delete metrics.lab_latency_ok;
  assert.equal(timeIn(raw), null);
});

test('of requests that are not one write and one read the time is told apart too, as far as the node knows it', () => {
  const crud = foundIn(crudRecord());
  assert.deepEqual(
    crud.parts.map(({ id }) => id),
    ['connecting', 'client', 'loop', 'handler', 'pool', 'database'],
  );
  assert.equal(crud.parts.at(-1)?.label, 'asking MongoDB, until its answer is read');
  // What the database itself works on such a request nobody knows: the round trip is all of it.
  assert.deepEqual(crud.stages[0].parts, { connecting: 0, client: 0, loop: 10, handler: 2, pool: 2, database: 6 });
  const pools = foundIn(poolsRecord());
  assert.deepEqual(
    pools.parts.map(({ id }) => id),
    ['connecting', 'client', 'loop', 'handler'],
    'a node without a pool and a database has no time in them',
  );
  assert.equal(timeIn(programRecord()), null);
});

test('behind a balancer that its adapter reads it is told apart in the same way', () => {
  const { stages } = foundIn(behindHaproxy(recordOf({ balanced: true })));
  for (const stage of stages) assert.deepEqual(stage, { target: 3, parts: BEHIND_BALANCER, measured_ms: 20 });
});

/** @param {import('../fixtures/story.js').Story} story */
function failuresIn(story) {
  const raw = recordOf(story);
  const facts = factsOf(raw);
  const timeline = timelineOf(raw, facts.window);
  const series = failuresByTier(placeAll(facts), facts.window, timeline);
  const at = (/** @type {number} */ second) => timeline.findIndex(({ t_s }) => t_s === second);
  return {
    series,
    timeline,
    in: (/** @type {number} */ second) => Object.fromEntries(Object.entries(series).map(([tier, values]) => [tier, values[at(second)]])),
  };
}

test('each failure is drawn at its own tier in the second that it ended, the unplaced ones among them', () => {
  const found = failuresIn({ kinds: { no_ports: { 3: 30 }, refused: { 4: 60 }, other: { 4: 10 } } });
  assert.deepEqual(found.in(3), { generator: 30, app: 0, unattributed: 0 });
  assert.deepEqual(found.in(4), { generator: 0, app: 60, unattributed: 10 });
  assert.deepEqual(found.in(5), { generator: 0, app: 0, unattributed: 0 });
});

test('of the warm-up nothing is said', () => {
  assert.deepEqual(failuresIn({ kinds: { no_ports: { 3: 30 } } }).in(-1), { generator: null });
});

test("what ended after the timeline's last second is drawn in it", () => {
  const raw = recordOf({ kinds: { no_ports: { 10: 7 } } });
  const facts = factsOf(raw);
  const timeline = timelineOf(raw, facts.window).filter(({ t_s }) => t_s <= 8);
  const { generator } = failuresByTier(placeAll(facts), facts.window, timeline);
  assert.equal(generator.at(-1), 7);
});

test('a run without failures has no series of them', () => {
  assert.deepEqual(failuresIn({}).series, {});
});
