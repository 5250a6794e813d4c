import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from './client.ts';
import { recordOf } from './fixtures/record.ts';
import { crudRecord, poolsRecord, programRecord } from './fixtures/scenario-records.ts';
import type { Raw } from './fixtures/story.ts';
import { droppedAtStandstill, generatorCounts } from './generator-counts.ts';

type About = Parameters<typeof droppedAtStandstill>[1];

/** 100 arrivals a second and 200 users, of whom all are taken from second 4 on. */
function wasted({
	dropped = 700,
	shape = {},
	share = 0.2,
	...about
}: Partial<About> & { dropped?: number; shape?: object; share?: number } = {}) {
	const raw = {
		manifest: {
			shape: { model: 'open', unit: 'rps', usersMost: 200, stages: [{ duration_s: 10, target: 100, held: true }], ...shape },
			services: [{ name: 'k6', tier: 'generator' }],
		},
	};
	const seconds = Array.from({ length: 10 }, (_, index) => index + 1);
	const asked = seconds.map((t_s) => ({
		...{ t_s, good: t_s <= 2 ? 100 : 0, failed: 0, begun: 0, waiting: 0, demand: 100 },
		users: t_s <= 2 ? 3 : Math.min(200, (t_s - 2) * 100),
	}));
	return droppedAtStandstill({ raw, generator: { droppedArrivals: dropped } } as any, {
		standstill: { kind: 'stopped', intervals: [{ from_s: 2, to_s: 10 }], end_s: 10 },
		asked,
		cpu: { k6: seconds.map(() => share) },
		timeline: seconds.map((t_s) => ({ t_s })) as any[],
		...about,
	});
}

test('arrivals that found no user while all of them waited for a system that stood still were dropped at a standstill', () => {
	assert.equal(wasted(), 700);
	assert.equal(wasted({ dropped: 0 }), 0);
});

test('where the system did not stand still, the generator had too few users', () => {
	assert.equal(wasted({ standstill: null }), 0);
	// Of the seven seconds from 4 on it stood still in four.
	assert.equal(wasted({ standstill: { kind: 'came-back', intervals: [{ from_s: 2, to_s: 7 }], end_s: 10 } }), 400);
	assert.equal(wasted({ asked: null }), 0);
});

test('where users were free, or the generator was at its quota, it is the generator that could not begin them', () => {
	assert.equal(wasted({ shape: { usersMost: 400 } }), 0);
	assert.equal(wasted({ share: 1 }), 0);
});

test('a script has as many users as its stages have at most', () => {
	const of = (target: number) => wasted({ shape: { model: 'closed', unit: 'users', stages: [{ duration_s: 10, target }] } });
	assert.deepEqual([of(200), of(400)], [700, 0]);
});

const counter = (count: number) => ({ type: 'counter', values: { count } });
const BEHAVIOUR = { timeout_ms: 3000, retries: 4, backoff_ms: 0, budget_percent: null, retry_after: false };
const METRICS = {
	lab_requests: counter(100),
	lab_finished: counter(160),
	lab_gave_up: counter(5),
	lab_latency_request_ok: { values: { count: 95, med: 12.3456, 'p(95)': 900, 'p(99)': 2000.006, max: 3100 } },
};

test('requests are what users wanted answered, attempts what was sent for them', () => {
	assert.deepEqual(clientOf({ manifest: { client: BEHAVIOUR }, summary: { metrics: METRICS } }), {
		...BEHAVIOUR,
		requests: 100,
		gave_up: 5,
		attempts: 160,
		amplification: 1.6,
		latency_ms_ok: { p50: 12.35, p95: 900, p99: 2000.01, max: 3100 },
	});
});

test('without a behaviour of their own, or without a summary of k6, nothing is said', () => {
	assert.equal(clientOf({ manifest: {}, summary: { metrics: METRICS } }), null);
	assert.equal(clientOf({ manifest: { client: BEHAVIOUR }, summary: null }), null);
});

const story = { kinds: { eof: { 3: 40, 4: 2 }, reset: { 4: 5 } }, answers: [{ status: 500, count: 6 }] };

test('the counts of the load are those of the summary, kinds that never came left out', () => {
	const { finished, ok, failed, status, kind } = generatorCounts(recordOf({ ...story, kinds: { ...story.kinds, refused: {} } }));
	assert.deepEqual({ finished, ok, failed }, { finished: 1053, ok: 1000, failed: 53 });
	assert.deepEqual(status, { 500: 6 });
	assert.deepEqual(kind, { eof: 42, reset: 5 });
});

test('a k6 that was killed is counted second by second, with percentiles that are not known', () => {
	const raw = recordOf(story);
	const { finished, failed, kind, status } = generatorCounts(raw);
	raw.summary = null;
	const counts = generatorCounts(raw);
	assert.deepEqual(
		{ finished: counts.finished, failed: counts.failed, kind: counts.kind, status: counts.status },
		{ finished, failed, kind, status },
	);
	assert.deepEqual(counts.latencyMs.ok, { p50: null, p95: null, p99: null, max: null });
});

test('what was still open when the load ended, and what an open load could not begin, are counted', () => {
	const none = generatorCounts(recordOf(story));
	assert.deepEqual([none.unanswered, none.droppedArrivals], [0, 0]);
	const raw = recordOf(story);
	Object.assign(raw.summary.metrics, { lab_unanswered: { values: { count: 5 } }, dropped_iterations: { values: { count: 12 } } });
	const { unanswered, droppedArrivals, failed } = generatorCounts(raw);
	// They failed, so they are among the failures already.
	assert.deepEqual([unanswered, droppedArrivals, failed], [5, 12, 53]);
});

test("k6's own durations stand beside what users waited, and are not known of a k6 that was killed", () => {
	const raw = recordOf(story);
	raw.summary.metrics['http_req_duration{scenario:load}'].values['p(95)'] = 33;
	raw.summary.metrics['http_req_duration{scenario:load,expected_response:true}'].values['p(95)'] = 22;
	const { durationMs, latencyMs } = generatorCounts(raw);
	assert.deepEqual([durationMs?.all.p95, durationMs?.ok.p95, latencyMs.all.p95], [33, 22, 40]);
	raw.summary = null;
	assert.equal(generatorCounts(raw).durationMs, null);
});

const writtenIn = (raw: Raw) => {
	const { created, deleted } = generatorCounts(raw);
	return { created, deleted };
};

test('which answers left a document behind is what the scenario says of them', () => {
	assert.deepEqual(writtenIn(recordOf(story)), { created: 1000, deleted: 0 });
	assert.deepEqual(writtenIn(crudRecord()), { created: 450, deleted: 150 });
	assert.deepEqual(writtenIn(poolsRecord()), { created: 0, deleted: 0 });
});

test('documents that were made and taken away are known of a k6 that was killed', () => {
	const raw = crudRecord();
	raw.summary = null;
	assert.deepEqual(writtenIn(raw), { created: 450, deleted: 150 });
});

test('a program has finished all that its writers were told to do, and timed none of it', () => {
	const { latencyMs, ...counts } = generatorCounts(programRecord());
	const none = { status: {}, code: {}, kind: {}, durationMs: null };
	assert.deepEqual(counts, {
		...none,
		name: 'tchmttest',
		finished: 4000,
		ok: 4000,
		failed: 0,
		unanswered: 0,
		droppedArrivals: 0,
		created: 4000,
		deleted: 0,
	});
	const unknown = { p50: null, p95: null, p99: null, max: null };
	assert.deepEqual(latencyMs, { all: unknown, ok: unknown });
});

test('of a writer that ended badly no insert is good, whatever its file holds', () => {
	const { finished, ok, failed, created } = generatorCounts(programRecord([{}, { exit_code: 1, inserts: 500, stored: 400 }]));
	assert.deepEqual({ finished, ok, failed, created }, { finished: 2500, ok: 2000, failed: 500, created: 2000 });
});
