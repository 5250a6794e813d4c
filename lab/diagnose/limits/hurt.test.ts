import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimelineRow } from '../../record/types.js';
import { hurtOf } from './hurt.ts';

const timeline: (p50: (number | null)[], more?: Record<string, (number | null)[]>) => TimelineRow[] = (
	p50,
	{ p95 = [], failed = [], good = [] } = {},
) =>
	p50.map(
		(value, index) =>
			({
				t_s: index,
				latency_ms_p50_ok: value,
				latency_ms_p95_ok: p95[index] ?? null,
				failures_per_s: failed[index] ?? 0,
				goodput_rps: good[index] ?? 60,
				throughput_rps: 100,
			}) as any,
	);

test('seconds in which answers took three times as long as in the calm hurt, where some follow each other', () => {
	const hurt = hurtOf(timeline([900, 10, 12, 11, 30, 12, 33, 500, 36, 12, 40, 40, 10, 10, 10]));
	assert.deepEqual([hurt.slow, hurt.calmMs], [[6, 7, 8], 10], 'one second is noise, and so are two; the warm-up is none of the load');
});

test('a slow tail hurts though most answers are as quick as ever', () => {
	const p50 = Array(12).fill(10);
	assert.deepEqual(hurtOf(timeline(p50, { p95: [20, 20, 20, 20, 20, 90, 90, 90, 20, 20, 20, 20] })).slow, [5, 6, 7]);
});

test('seconds in which the slow kind of requests failed are no calm, where there are others', () => {
	const p50 = [null, ...Array(12).fill(20), ...Array(12).fill(1)];
	const failed = [0, ...Array(12).fill(0), ...Array(12).fill(30)];
	const hurt = hurtOf(timeline(p50, { failed }));
	assert.deepEqual([hurt.calmMs, hurt.slow], [20, []]);
	assert.deepEqual(hurtOf(timeline(p50)).slow.length, 12, 'where nothing failed the quicker ones are it');
});

test('seconds in which requests failed hurt, each of them', () => {
	const hurt = hurtOf(timeline([10, 10, 10, null, 10], { failed: [9, 0, 1, 0, 3] }));
	assert.deepEqual([hurt.failing, hurt.failures, hurt.finished], [[2, 4], 4, 400]);
});

test('a load without an answer has no calm, and a program no latency', () => {
	assert.deepEqual(hurtOf(timeline([null, null])), { failing: [], slow: [], silent: 0, failures: 0, finished: 100, calmMs: null });
});

test('seconds in which everybody waits and no answer comes hurt, though nobody has a latency then', () => {
	const p50 = [null, 3, 3, 3, 3, 3, 3, null, null, 2000, 3, null];
	const good = [0, 29, 60, 60, 60, 60, 1, 0, 0, 253, 60, 0];
	const hurt = hurtOf(timeline(p50, { good }));
	assert.deepEqual([hurt.slow, hurt.silent], [[7, 8, 9], 2], 'after the last answer nothing is asked any more');
	const few = good.map((value) => Math.min(value, 2));
	assert.deepEqual(hurtOf(timeline(p50, { good: few })).slow, [], 'of two a second none is chance');
});
