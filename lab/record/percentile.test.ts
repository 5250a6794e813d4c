import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../stats/random.ts';
import { readRequests } from './k6-requests.ts';
import { placesIn } from './stage-requests.ts';

const FROM = 1_800_000_000;
const STAGES = [
	{ from: FROM, to: FROM + 10 },
	{ from: FROM + 10, to: FROM + 10 },
	{ from: FROM + 10, to: FROM + 30 },
];

/** Of a user of one request: when it ended, in seconds of the load, and what it took. */
const line = (at: number, ms: number, isGood: boolean = true) => ({
	requests: [(FROM + at) * 1000, 0, 0, -ms * 10, ms * 10, isGood ? 0 : -1, 0],
});
const read = (lines: { requests: number[] }[]) => readRequests(lines, { from: FROM, to: FROM + 31, isScript: false, stages: STAGES });

/** By the definition: sorted, and on the line between two values. */
function percentile(values: number[], share: number) {
	const sorted = [...values].sort((one, other) => one - other);
	const place = share * (sorted.length - 1);
	return sorted[Math.floor(place)] + (sorted[Math.ceil(place)] - sorted[Math.floor(place)]) * (place % 1);
}

test('a request belongs to the stage in which it ended, and what ended after the last stage to the last', () => {
	const place = placesIn(STAGES);
	assert.deepEqual(
		[-0.2, 0.1, 10, 10.1, 30, 30.5].map((t) => place(FROM + t)),
		[0, 0, 0, 2, 2, 2],
	);
	assert.equal(placesIn([])(FROM), -1);
	const { byStage, last } = read([line(9.9, 50), line(10.1, 5000), line(30, 10, false), line(30.5, 700)]);
	assert.deepEqual(
		byStage.map(({ requests, failures, ended_in: inside, good_in: good }) => [requests, failures, inside, good]),
		[
			[1, 0, 1, 1],
			[0, 0, 0, 0],
			[3, 1, 2, 1],
		],
	);
	assert.deepEqual(byStage[1].latency_ms_ok, { p50: null, p95: null, p99: null });
	assert.equal(last, FROM + 30.5);
});

test('percentiles of a stage are those of its requests, all of its requests are in one stage, and the whole lies between them', () => {
	const { below } = createRandom(1);
	// A second in ten is slow: a median over seconds never sees it.
	const all = Array.from({ length: 4000 }, () => {
		const at = below(30_900) / 1000;
		return { at, ms: (1 + below(50)) * (Math.floor(at) % 10 === 7 ? 40 : at > 10 ? 4 : 1) };
	});
	const { byStage, totals } = read(all.map(({ at, ms }) => line(at, ms)));
	const [first, second] = [all.filter(({ at }) => at <= 10), all.filter(({ at }) => at > 10)].map((part) => part.map(({ ms }) => ms));
	for (const [reported, values] of [
		[byStage[0], first],
		[byStage[2], second],
	] as const)
		assert.deepEqual(reported.latency_ms_ok, Object.fromEntries([50, 95, 99].map((rank) => [`p${rank}`, percentile(values, rank / 100)])));
	assert.equal(
		byStage.reduce((sum, { requests }) => sum + requests, 0),
		totals.lab_finished.values.count,
	);
	const p95s = [byStage[0], byStage[2]].map(({ latency_ms_ok: ok }) => Number(ok.p95));
	const overall = totals.lab_latency_ok.values['p(95)'];
	assert.ok(overall >= Math.min(...p95s) && overall <= Math.max(...p95s), `${overall} between ${p95s}`);
});
