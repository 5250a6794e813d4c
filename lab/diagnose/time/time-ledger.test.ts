import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimeLedger } from '../../record/types.js';
import { behindHaproxy } from '../fixtures/behind-haproxy.ts';
import { factsOf, recordOf } from '../fixtures/record.ts';
import { crudRecord, poolsRecord, programRecord } from '../fixtures/scenario-records.ts';
import type { Raw, Story } from '../fixtures/story.ts';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.ts';
import { placeAll } from '../rules.ts';
import { failuresByTier } from './series.ts';
import { timeLedgerOf } from './time-ledger.ts';
import { timelineOf } from './timeline.ts';

const STAGES = [
	{ target: 3, from_s: 0, to_s: 2 },
	{ target: 3, from_s: 2, to_s: 10 },
] as any[];

function timeIn(raw: Raw) {
	const facts = factsOf(raw);
	return timeLedgerOf(facts, timelineOf(facts), STAGES);
}

function foundIn(raw: Raw) {
	const found = timeIn(raw);
	assert.ok(found);
	return found;
}

/** The parts of a second. */
const partsAt = ({ series }: TimeLedger, second: number) =>
	Object.fromEntries(Object.entries(series.parts).map(([id, values]) => [id, values[series.t_s.indexOf(second)]]));

test("each second has the nodes' own sums over its good answers, in milliseconds", () => {
	// 100 good answers: 10 ms in the handler, of these 2 for the pool and 6 for MongoDB, which itself worked 3 ms.
	const { handler, pool, database } = partsAt(foundIn(recordOf({ balanced: true })), 4);
	assert.deepEqual([handler, pool, database], [2, 2, 3]);
});

test('a second in which MongoDB was not read has what it worked in the one before', () => {
	const raw = recordOf({ balanced: true });
	raw.database = raw.database.filter(({ t }) => t !== FROM + 4);
	assert.equal(partsAt(foundIn(raw), 4).database, 3);
});

test('the times of good answers add up by the second in which they ended; a proxy that tells none has none', () => {
	const raw = recordOf({ balanced: true });
	const facts = factsOf(raw);
	const { entryProxy } = facts;
	assert.ok(entryProxy);
	const [seen] = entryProxy.requestRecords;
	const ended = (second: number, took_ms: object | undefined, status = 200) =>
		({ ...seen, status, ended: FROM + second, took_ms }) as typeof seen;
	entryProxy.requestRecords = [
		ended(0.4, { whole: 20, behind: 14, connect: 3 }),
		ended(0.5, { whole: 30, behind: 14, connect: 5 }),
		ended(1.2, { whole: 20, behind: 15, connect: 2 }),
		ended(0.4, { whole: 900, behind: 100, connect: 100 }, 502),
		ended(0.4, undefined),
	];
	const found = timeLedgerOf(facts, timelineOf(facts), STAGES);
	assert.ok(found);
	assert.deepEqual(
		[1, 2, 3].map((second) => [partsAt(found, second).balancer, partsAt(found, second).connect]),
		[
			[11, 4],
			[5, 2],
			[null, null],
		],
	);
});

test('sums of some seconds leave out those that have none', () => {
	const raw = recordOf();
	// What it counted in second 4 stands in the next reading.
	for (const name of Object.keys(raw.nodes)) raw.nodes[name] = raw.nodes[name].filter(({ t }) => Math.ceil(t - FROM) !== 4);
	const found = foundIn(raw);
	assert.equal(partsAt(found, 4).handler, null);
	assert.equal(found.stages[1].parts.handler, 2);
});

/** Lets every request wait for its connection. */
function setBlocked(raw: Raw, ms: number, latencyMs: number): Raw {
	for (const { metrics } of raw.snapshots.slice(WARMUP_S)) {
		metrics.http_req_blocked = { avg: ms };
		metrics.lab_latency_ok = { avg: latencyMs };
	}
	raw.summary.metrics.lab_latency_ok.values.avg = latencyMs;
	return raw;
}

const BEHIND_BALANCER = { connecting: 0, client: 1, balancer: 2, connect: 1, loop: 9, handler: 2, pool: 2, database: 3 };
const ALONE = { connecting: 0, client: 0, loop: 13, handler: 2, pool: 2, database: 3 };
const total = (parts: Record<string, number | null>) => Object.values(parts).reduce((sum, part) => Number(sum) + Number(part), 0);

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
		row.ok_ms = Object.fromEntries(Object.entries<any>(row.ok_ms).map(([key, value]) => [key, value - sofar[key]]));
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

function failuresIn(story: Story) {
	const raw = recordOf(story);
	const facts = factsOf(raw);
	const timeline = timelineOf(facts);
	const series = failuresByTier(placeAll(facts), facts.window, timeline);
	const at = (second: number) => timeline.findIndex(({ t_s }) => t_s === second);
	return {
		series,
		timeline,
		in: (second: number) => Object.fromEntries(Object.entries(series).map(([tier, values]) => [tier, values[at(second)]])),
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
	const timeline = timelineOf(facts).filter(({ t_s }) => t_s <= 8);
	const { generator } = failuresByTier(placeAll(facts), facts.window, timeline);
	assert.equal(generator.at(-1), 7);
});

test('a run without failures has no series of them', () => {
	assert.deepEqual(failuresIn({}).series, {});
});
