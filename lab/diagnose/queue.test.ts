import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attempt } from '../adapters/attempt.ts';
import { disturbedIn } from './fault-effects.ts';
import { doneTimes, leftByWarmup, queueOf, withCompleted, workersOf } from './queue.ts';

const FROM = 1000;
const window = { from: FROM, to: FROM + 3, warmupFrom: FROM - 5 };

const attempt: (node: string, received: number, ended: number | null, status: number | null) => Attempt = (
	node,
	received,
	ended,
	status,
) => ({
	node,
	received: FROM + received,
	ended: ended === null ? null : FROM + ended,
	outcome: ended === null ? 'open' : 'answered',
	status,
	error: '',
	place: '',
});

/** @param writes seconds of the load, by id */
function factsOf(
	writes: Record<string, [accepted: number, taken?: number, done?: number | null, status?: number]>,
	{ left = 0 as number | null, documents = 0 as number | null } = {},
) {
	const put = new Map(Object.entries(writes).map(([id, [at]]) => [id, [attempt('app-1', at - 0.01, at, 202)]]));
	const taken = new Map(
		Object.entries(writes).flatMap(([id, [, at, done = null, status = 200]]) =>
			at === undefined ? [] : [[id, [attempt('consumer', at, done, done === null ? null : status)]]],
		),
	);
	return {
		raw: { queued: { workers: ['consumer'], put, taken }, manifest: { drained: { left } } },
		window,
		database: { documents, answered: [FROM - 1] },
	} as any;
}

test('workers are whom a queue hands its messages to', () => {
	const services = [
		{ name: 'redis', tier: 'queue' },
		{ name: 'app-1', tier: 'app' },
		{ name: 'consumer', tier: 'app' },
	];
	const edges = [
		{ from: 'app-1', to: 'redis' },
		{ from: 'redis', to: 'consumer' },
	];
	assert.deepEqual(workersOf({ edges, services }), ['consumer']);
	assert.deepEqual(workersOf({ services }), []);
	const others = services.map((service) => ({ ...service, product: 'opaque' }));
	assert.deepEqual(workersOf({ edges, services: others }), []);
});

test('a write is followed to its end: done in the load or after it, with what it waited', () => {
	const queue = queueOf(factsOf({ a: [0.5, 0.6, 0.7], b: [1, 2.2, 2.5], c: [2.5, 3.5, 4.5] }, { documents: 3 }));
	assert.deepEqual([queue?.accepted, queue?.completed, queue?.completed_in_load, queue?.lost, queue?.drained_after_s], [3, 3, 2, 0, 1.5]);
	assert.deepEqual([queue?.lag_ms.p50, queue?.lag_ms.max], [1500, 2000]);
	// b waits at the ends of seconds 1 and 2, c at that of 3.
	assert.deepEqual(
		[queue?.backlog, queue?.oldest_s],
		[
			[1, 1, 1],
			[0, 1, 0.5],
		],
	);
});

test('what is not stored, not failed and not in the queue is lost', () => {
	const writes = { a: [0.5, 0.6, 0.7], b: [1, 1.1, 1.2, 500], c: [1.5, 1.6], d: [2], e: [2.1] };
	const queue = queueOf(factsOf(writes as any, { left: 1, documents: 1 }));
	assert.deepEqual(
		[queue?.completed, queue?.failed, queue?.unlogged, queue?.left, queue?.lost, queue?.drained_after_s],
		[1, 1, 0, 1, 2, null],
	);
});

test('what is stored was done, though a worker that was killed left no line of it', () => {
	const queue = queueOf(factsOf({ a: [0.5, 0.6, 0.7], b: [1, 1.1], c: [2] }, { documents: 2 }));
	assert.deepEqual([queue?.completed, queue?.completed_in_load, queue?.unlogged, queue?.lost], [2, 1, 1, 1]);
});

test('where the queue or the database tells nothing, nobody knows what was lost', () => {
	assert.equal(queueOf(factsOf({ a: [1] }, { left: null, documents: 1 }))?.lost, null);
	assert.equal(queueOf(factsOf({ a: [1] }, { left: 0, documents: null }))?.lost, null);
});

test('what the warm-up had put in is none of the load’s', () => {
	const queue = queueOf(factsOf({ w1: [-2.8, -2.7, -2.6], a: [1, 1.1, 1.2], b: [2] }, { documents: 1 }));
	assert.deepEqual([queue?.accepted, queue?.completed, queue?.lost], [2, 1, 1]);
});

test('while it was still being done, nobody knows whose documents were counted', () => {
	const writes = { a: [1, 1.1, 1.2], b: [2] };
	// The database said a second before the load how many there were, and had counted them shortly before.
	for (const ended of [0.3, -0.5, -1.4]) {
		const queue = queueOf(factsOf({ w1: [-2.8, -2.7, ended], ...writes } as any, { documents: 1 }));
		assert.deepEqual([queue?.accepted, queue?.completed, queue?.lost], [2, 1, null]);
	}
});

test('what the warm-up left is what was accepted in it and not done, in the queue or in hand', () => {
	const { raw } = factsOf({ w1: [-2, -1, -0.5], w2: [-2, -1, 0.5], w3: [-2, -1, null], w4: [-2], a: [1] });
	assert.equal(leftByWarmup(raw.queued, { window, at: FROM }), 3);
	assert.equal(leftByWarmup(raw.queued, { window, at: FROM - 1 }), 4);
});

test('in the timeline stands what was done, second by second', () => {
	const rows = [0, 1, 2, 3].map((t_s) => ({ t_s, warmup: t_s <= 0, goodput_rps: 9 })) as any;
	const { raw } = factsOf({ a: [0.5, 0.6, 0.7], b: [1, 2.2, 2.5], c: [2, 2.3, 3, 500] });
	const timeline = withCompleted(rows, doneTimes(raw.queued), window);
	assert.deepEqual(
		timeline.map(({ goodput_rps }) => goodput_rps),
		[9, 1, 0, 1],
	);
});

test('while a fault was there, good are the writes that were done', () => {
	const { raw } = factsOf({ a: [0.5, 0.6, 0.7], b: [1, 1.2, 1.5], c: [1.1, 2.3, 2.8] });
	const manifest = {
		faults: [{ text: 'pause mongo@1s+1s', at_s: 1, began_s: FROM + 1, ended_s: FROM + 2, failed: null }],
		load_began_s: FROM,
	};
	const disturbed = [{ good: 700, failed: 3 }];
	assert.deepEqual(disturbedIn({ manifest, disturbed }, doneTimes(raw.queued)), [{ good: 1, failed: 3, finished: 703 }]);
	assert.deepEqual(disturbedIn({ manifest, disturbed }, doneTimes(null)), disturbed);
});

test('as many writes as a ramp makes can be followed', () => {
	const writes = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`r${index}`, [0.5, 0.6, 0.7]]));
	const queue = queueOf(factsOf(writes as any, { documents: 200_000 }));
	assert.deepEqual([queue?.completed, queue?.drained_after_s], [200_000, 0]);
});
