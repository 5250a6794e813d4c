import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyOf, troubleOf } from './trouble.ts';

/** A load of 60 s at 10 requests a second, of which so many fail in each second. */
function resultWith(
	failing: (second: number) => number,
	{ unanswered = 0, faults = [] }: { unanswered?: number; faults?: { ended_s: number | null }[] } = {},
): any {
	const timeline = Array.from({ length: 65 }, (_, index) => index - 5).map((t) => ({
		t_s: t,
		warmup: t < 0,
		throughput_rps: 10,
		goodput_rps: 10 - failing(t),
		failures_per_s: failing(t),
	}));
	const failures = timeline.filter(({ t_s: t }) => t >= 0).reduce((sum, row) => sum + row.failures_per_s, 0);
	return {
		metrics: { requests: 600, failures, unanswered, goodput_rps: (600 - failures) / 60 },
		ledger: {
			failures:
				failures === 0
					? []
					: [
							{ service: 'db', cause: 'few', cause_title: 'some', count: 1 },
							{ service: 'api', cause: 'pool-wait', cause_title: 'its pool was full', count: failures - 1 },
						],
		},
		timeline,
		faults,
		resources: { api: { tier: 'app', cpu_cores: { mean: 0.5, max: 1 }, memory_bytes: { mean: 2 ** 20, max: 2 ** 21 } } },
		stages: [
			{ from_s: 0, to_s: 30, target: 50, unit: 'users' },
			{ from_s: 30, to_s: 60, target: 100, unit: 'users' },
		],
	};
}

test('The load of a trial goes on until enough have failed, and for some seconds after the first', () => {
	const trouble = troubleOf(resultWith((t) => (t >= 12 ? 6 : 0)));
	assert.deepEqual([trouble?.onset_s, trouble?.cut_s, trouble?.users], [12, 22, 50]);
	assert.equal(trouble?.share, 60 / 220);
	assert.deepEqual(trouble?.places[0], { service: 'api', cause: 'pool-wait', title: 'its pool was full', count: 287 });
});

test('Where few fail, or late, the load is not cut', () => {
	const rare = troubleOf(resultWith((t) => (t % 4 === 0 ? 1 : 0)));
	assert.equal(rare?.cut_s, 60);
	assert.equal(troubleOf(resultWith((t) => (t >= 50 ? 5 : 0)))?.cut_s, 60);
});

test('A first failure long before the others is not the onset, and what was open at the end has failed', () => {
	const trouble = troubleOf(resultWith((t) => (t === 1 ? 1 : t >= 40 ? 8 : 0), { unanswered: 20 }));
	assert.equal(trouble?.onset_s, 40);
	assert.deepEqual([trouble?.failed, trouble?.requests, trouble?.users], [181, 620, 100]);
});

test('What a fault does while it lasts is not counted, where most fail when it has ended', () => {
	const away = { faults: [{ ended_s: 9.2 }, { ended_s: 12.3 }] };
	const stuck = troubleOf(resultWith((t) => (t >= 6 ? 8 : 0), away));
	assert.deepEqual([stuck?.from_s, stuck?.onset_s, stuck?.cut_s, stuck?.share], [14, 14, 24, 0.8]);
	// With the change requests fail while the fault lasts, and no longer.
	const relieved = copyOf(
		resultWith((t) => (t >= 6 && t < 13 ? 8 : 0), away),
		{ probe: 'relief', slowMs: null, fromS: stuck?.from_s },
	);
	assert.deepEqual([relieved.failed, relieved.requests], [0, 460]);
	// Of a fault that is all of the trouble, or that never ended, all is counted.
	assert.equal(troubleOf(resultWith((t) => (t >= 6 && t < 13 ? 8 : 0), away))?.from_s, 0);
	assert.equal(troubleOf(resultWith((t) => (t >= 6 ? 8 : 0), { faults: [{ ended_s: null }] }))?.from_s, 0);
	assert.equal(troubleOf(resultWith((t) => (t >= 6 ? 8 : 0)))?.from_s, 0);
});

test('A run without failures has no trouble, nor has one with a few, and slow seconds are one', () => {
	assert.equal(troubleOf(resultWith(() => 0)), null);
	const withLatency = (p95: (second: number) => number) => {
		const result = resultWith(() => 0);
		return {
			...result,
			timeline: result.timeline.map((row: any) => ({ ...row, latency_ms_p95_ok: p95(row.t_s) })),
			bottleneck: { tier: 'app', service: 'api', evidence: [] },
			bottleneck_reason: 'its CPU was used up',
		};
	};
	const slow = troubleOf(withLatency((t) => (t >= 30 ? 400 : 50)));
	assert.deepEqual([slow?.slow_ms, slow?.failed, slow?.requests, slow?.onset_s, slow?.cut_s, slow?.users], [150, 30, 60, 30, 40, 100]);
	assert.deepEqual(slow?.places, [{ service: 'api', cause: '', title: 'its CPU was used up', count: 30 }]);
	// What nobody notices, and what lasted some seconds, is none.
	assert.equal(troubleOf(withLatency((t) => (t >= 30 ? 40 : 5))), null);
	assert.equal(troubleOf(withLatency((t) => (t >= 30 && t < 36 ? 400 : 50))), null);
	const copy = copyOf(
		withLatency((t) => (t >= 55 ? 400 : 50)),
		{ probe: 'knob', slowMs: 150 },
	);
	assert.deepEqual([copy.failed, copy.requests, copy.place], [5, 60, 'api']);
});

test('A copy is looked at as a whole, or from a second on', () => {
	const result = resultWith((t) => (t >= 12 && t < 30 ? 10 : 0));
	const used = { api: { cores: 0.5, mib: 1 } };
	assert.deepEqual(copyOf(result, { probe: null, slowMs: null }), {
		probe: null,
		failed: 180,
		requests: 600,
		good_rps: 7,
		place: 'api/pool-wait',
		used,
	});
	assert.deepEqual(copyOf(result, { probe: 'fresh:api', slowMs: null, fromS: 34 }), {
		probe: 'fresh:api',
		failed: 0,
		requests: 260,
		good_rps: 10,
		place: 'api/pool-wait',
		used,
	});
});
