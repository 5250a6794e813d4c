import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from '../fixtures/record.ts';
import { nodeRow } from '../fixtures/record-requests.ts';
import { overflowQueue } from '../fixtures/record-tiers.ts';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.ts';
import { gainedInLoad, lastBefore } from './increments.ts';

const window = { from: FROM, to: FROM + SECONDS, warmupFrom: FROM - WARMUP_S };

/** @param rows of a node */
const gainedBy = (rows: any[]) => gainedInLoad({ manifest: {}, nodes: { node: rows }, kernel: [], queued: null }, window).nodes.node;
const ofKernel = (rows: any[], name: string) =>
	gainedInLoad({ manifest: { services: [{ name }] }, nodes: {}, kernel: rows, queued: null }, window).kernel[name];

test('the last line before a moment may be at the moment itself', () => {
	const rows = [{ t: 1 }, { t: 2 }, { t: 3 }];
	assert.deepEqual([lastBefore(rows, 2), lastBefore(rows, 2.9), lastBefore(rows, 0)], [{ t: 2 }, { t: 2 }, undefined]);
});

test("a node's gains leave the warm-up out", () => {
	const increments = gainedBy(recordOf({ answers: [{ error: 'TypeError', count: 4 }] }).nodes['app-1']);
	assert.deepEqual(increments, {
		received: 1004,
		aborted: 0,
		answered: { '2xx': 1000, '5xx': 4 },
		errors: { TypeError: 4 },
		checkoutsFailed: {},
		checkouts: 2000,
		waitMs: 2000,
		cleared: 0,
		okMs: { count: 1000, handler: 10_000, pool: 2000, database: 6000 },
		inFlight: 0,
		own: {},
		lives: 1,
	});
});

test('a node that was started again counts from zero again, and both lives are added up', () => {
	const failed = [{ error: 'TypeError', count: 3 }];
	const rows = [
		nodeRow(FROM - 2, 'start', 0, []),
		nodeRow(FROM - 1, 'tick', 50, []),
		nodeRow(FROM + 3, 'tick', 350, failed),
		{ ...nodeRow(FROM + 5, 'start', 0, []), in_flight: 2 },
		{ ...nodeRow(FROM + 9, 'tick', 200, failed), in_flight: 2 },
	];
	const { received, answered, errors, checkouts, lives, inFlight } = gainedBy(rows);
	assert.deepEqual(
		{ received, answered, errors, checkouts, lives, inFlight },
		{
			received: 506,
			answered: { '2xx': 500, '5xx': 6 },
			errors: { TypeError: 6 },
			checkouts: 1000,
			lives: 2,
			inFlight: 2,
		},
	);
});

test('a life that ended before the load gains nothing', () => {
	const rows = [
		nodeRow(FROM - 9, 'start', 0, []),
		nodeRow(FROM - 8, 'tick', 70, []),
		nodeRow(FROM - 4, 'start', 0, []),
		nodeRow(FROM + 2, 'tick', 20, []),
	];
	rows[1].in_flight = 9;
	const { received, inFlight } = gainedBy(rows);
	assert.deepEqual({ received, inFlight }, { received: 20, inFlight: 0 });
});

test('a node without a pool counts its requests, and none of checkouts', () => {
	const rows = recordOf().nodes['app-1'].map((row) => ({ ...row, pool: null }));
	const { received, checkouts, waitMs, cleared, checkoutsFailed } = gainedBy(rows);
	assert.deepEqual(
		{ received, checkouts, waitMs, cleared, checkoutsFailed },
		{ received: 1000, checkouts: 0, waitMs: 0, cleared: 0, checkoutsFailed: {} },
	);
});

test('what a node counts of its own is gained in the load alone, over all its lives', () => {
	const own = [
		undefined,
		{ batches: 5, batched: 20 },
		{ batches: 25, batched: 120 },
		{ batches: 0, batched: 0 },
		{ batches: 4, batched: 8 },
	];
	const rows = [
		nodeRow(FROM - 2, 'start', 0, []),
		nodeRow(FROM - 1, 'tick', 0, []),
		nodeRow(FROM + 3, 'tick', 0, []),
		nodeRow(FROM + 5, 'start', 0, []),
		nodeRow(FROM + 9, 'tick', 0, []),
	].map((row, index) => ({ ...row, own: own[index] }));
	assert.deepEqual(gainedBy(rows).own, { batches: 24, batched: 108 });
});

test('a node without a record gains nothing', () => {
	assert.deepEqual([gainedBy([]).received, gainedBy([]).lives], [0, 0]);
});

test("a container's kernel counters are those of its own and of the load", () => {
	const raw = recordOf({ balanced: true });
	overflowQueue(raw, 'app-1', 4);
	assert.deepEqual(ofKernel(raw.kernel, 'app-1'), {
		before: { ListenOverflows: 3, ListenDrops: 3 },
		after: { ListenOverflows: 20, ListenDrops: 20 },
		gained: { ListenOverflows: 17, ListenDrops: 17 },
	});
	assert.deepEqual(ofKernel(raw.kernel, 'nginx').gained, {});
	assert.deepEqual(ofKernel([], 'app-1'), { before: {}, after: {}, gained: {} });
});
