import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { shapes } from '../../../k6/lib/shapes.js';
import { EXIT, RunFailedError } from '../../base/errors.ts';
import { docker } from '../../docker/docker.ts';
import { listen } from '../../fixtures/reporter.ts';
import type { Measured } from './bench.ts';
import { benchOverhead } from './bench.ts';
import { measuredOf, measuredOfScript, summaryOfExport } from './judge.ts';

const shape = shapes.crowd({});
/** Warm-up, pause of 3 s, load of 10 s. */
const ENDED_MS = (shape.warmup_s + 3 + 10) * 1000;
const counted = (count: number) => ({ values: { count } });
const summary = (metrics: object, testRunDurationMs: number = ENDED_MS) => ({ metrics, state: { testRunDurationMs } });
test('the bare script and the lab’s count the same requests alike', () => {
	const failed = { values: { rate: 0.01, passes: 330, fails: 32_670 } };
	const plain = summary({
		http_reqs: counted(50_000),
		'http_reqs{scenario:load}': counted(33_000),
		'http_req_failed{scenario:load}': failed,
	});
	const lab = summary({
		http_reqs: counted(50_000),
		'http_req_duration{scenario:load}': counted(33_000),
		'http_req_duration{scenario:load,expected_response:true}': counted(32_670),
	});
	assert.deepEqual(measuredOf(plain, shape), { good: 32_670, failed: 330, goodput_rps: 3267, p95_ms: null });
	assert.deepEqual(measuredOf(lab, shape), measuredOf(plain, shape));
});

test('a load without a good answer has none, and a late last answer makes the load longer', () => {
	const all = { 'http_req_duration{scenario:load}': counted(66_000) };
	const good = { 'http_req_duration{scenario:load,expected_response:true}': counted(66_000) };
	assert.deepEqual(measuredOf(summary(all), shape), { good: 0, failed: 66_000, goodput_rps: 0, p95_ms: null });
	assert.deepEqual(measuredOf(summary({ ...all, ...good }, ENDED_MS + 10_000), shape), {
		good: 66_000,
		failed: 0,
		goodput_rps: 3300,
		p95_ms: null,
	});
});

test('of a script all requests count, in the time that it took, in what k6 exports as in what it gives to a script', () => {
	// A scenario of the user's may have the name of one of the lab's.
	const own = { 'http_req_duration{scenario:load}': counted(9) };
	const failed = { values: { rate: 0.1, passes: 120, fails: 1080 } };
	const given = summary({ ...own, http_reqs: { values: { count: 1200, rate: 30 } }, http_req_failed: failed }, 40_000);
	const exported = { metrics: { http_reqs: { count: 1200, rate: 30 }, http_req_failed: { value: 0.1, passes: 120, fails: 1080 } } };
	assert.deepEqual(measuredOfScript(given), { good: 1080, failed: 120, goodput_rps: 27, p95_ms: null });
	assert.deepEqual(measuredOfScript(summaryOfExport(exported)), measuredOfScript(given));
});

test('a script that sent nothing, or judges no status, is read too', () => {
	assert.deepEqual(measuredOfScript(summaryOfExport({ metrics: {} })), { good: 0, failed: 0, goodput_rps: 0, p95_ms: null });
	const unjudged = { metrics: { http_reqs: { count: 10, rate: 5 } } };
	assert.deepEqual(measuredOfScript(summaryOfExport(unjudged)), { good: 10, failed: 0, goodput_rps: 5, p95_ms: null });
});

test('the p95 is that of the good answers, where k6 tells them from others', () => {
	const good = { values: { count: 32_670, 'p(95)': 41.237 } };
	const lab = summary({
		'http_req_duration{scenario:load}': counted(33_000),
		'http_req_duration{scenario:load,expected_response:true}': good,
	});
	assert.equal(measuredOf(lab, shape).p95_ms, 41.24);
	assert.equal(measuredOfScript(summary({ 'http_req_duration{expected_response:true}': good })).p95_ms, 41.24);
});

const folder = await mkdtemp(join(os.tmpdir(), 'bench-record-'));
after(() => rm(folder, { recursive: true }));
mock.method(docker, 'info', async () => ({}));

const measured: (rps: number, failed?: number, p95?: number | null) => Measured = (rps, failed = 0, p95 = null) => ({
	good: rps * 30,
	failed,
	goodput_rps: rps,
	p95_ms: p95,
});
const ARMS = { lab: 'the whole lab', plain: 'bare Compose and k6' };

/** A bench of which each pair measures this. */
async function outcomeOf(
	pairs: Record<string, Measured>[],
	{ signal, onMeasure = () => {} }: { signal?: AbortSignal; onMeasure?: () => void } = {},
) {
	const { around, err, result } = listen();
	const order: string[] = [];
	let held = 0;
	const lock = async () => {
		held += 1;
		return async () => {
			held -= 1;
		};
	};
	const measure = async (arm: string) => {
		assert.equal(held, 1);
		order.push(arm);
		onMeasure();
		return pairs[Math.floor((order.length - 1) / 2)][arm];
	};
	const prepare = async () => ({ about: { architecture: 'shop' }, arms: ARMS, measure });
	const target = { judged: 'lab', base: 'plain', conditions: 'LOAD=hold', prepare };
	const outcome: { exitCode: number } | { error: Error } = await benchOverhead(
		target,
		{ REPEATS: String(pairs.length) },
		{ ...around, ...(signal && { signal }) },
		{ folder, lock },
	).then(
		(exitCode) => ({ exitCode }),
		(error) => ({ error }),
	);
	assert.equal(held, 0);
	return { outcome, order, said: err(), record: result().result };
}

/** @param ratios of each pair: of the good answers; the p95 is the other way round */
const pairsOf = (...ratios: number[]) =>
	ratios.map((ratio) => ({ plain: measured(1000, 0, 20), lab: measured(1000 * ratio, 0, 20 / ratio) }));

test('every arm is in every pair, and each is first as often as the other', async () => {
	const { order } = await outcomeOf(pairsOf(1, 1, 1, 1));
	assert.deepEqual(order, ['lab', 'plain', 'plain', 'lab', 'lab', 'plain', 'plain', 'lab']);
});

test('p95s are compared with each other only where every block has both', async () => {
	const pairs = pairsOf(0.8, 0.8, 1, 1, 0.8, 0.8);
	const { record, said } = await outcomeOf(pairs);
	assert.deepEqual([record.p95_ratios.lab.median, record.p95_ratios.lab.n], [1.25, 6]);
	assert.match(said, /the whole lab: 1\.250 of the p95 of bare Compose and k6 \(median of 6 pairs, /);
	const less = await outcomeOf([...pairs, { ...pairs[0], plain: measured(1000) }]);
	assert.equal(less.record.p95_ratios.lab, null);
	assert.doesNotMatch(less.said, /p95/);
});

test('the ratio is the median of the blocks, in an interval where there are enough of them', async () => {
	const { record, said } = await outcomeOf(pairsOf(0.98, 0.97, 0.99, 0.96, 0.98, 0.97, 0.99, 1));
	const eight = record.ratios.lab;
	assert.deepEqual([eight.median, eight.n, record.architecture, record.pairs.length], [0.98, 8, 'shop', 8]);
	assert.ok(Number(eight.low) >= 0.96 && Number(eight.low) < 0.98 && Number(eight.high) > 0.98 && Number(eight.high) <= 1);
	const begin = 'the whole lab: 0.980 of the good answers a second of bare Compose and k6 (median of ';
	assert.ok(said.includes(`${begin}8 pairs, 95 % interval ${eight.low.toFixed(3)} to ${eight.high.toFixed(3)})`), said);
	const few = await outcomeOf(pairsOf(0.96, 1));
	assert.deepEqual(few.record.ratios.lab, { median: 0.98, low: null, high: null, n: 2 });
	assert.ok(few.said.includes(`${begin}2 pairs, no interval with fewer than 6 pairs)`), few.said);
});

test('the verdict is the median’s, and says when the interval has both sides of what is wanted', async () => {
	const verdict = async (...ratios: number[]) => {
		const { said, outcome } = await outcomeOf(pairsOf(...ratios));
		const [, words] = /LOAD=hold: (.*); \S+$/m.exec(said) ?? [];
		return [words, outcome];
	};
	const same = (ratio: number) => [ratio, ratio, ratio, ratio, ratio, ratio];
	const [met, missed] = [{ exitCode: EXIT.done }, { exitCode: EXIT.thresholdNotMet }];
	assert.deepEqual(await verdict(...same(0.98)), ['met (wanted: 0.97 or better)', met]);
	assert.deepEqual(await verdict(0.97), ['met (wanted: 0.97 or better)', met]);
	assert.deepEqual(await verdict(...same(0.96)), ['not met (wanted: 0.97 or better)', missed]);
	assert.deepEqual(await verdict(0.9, 0.98, 0.98, 0.98, 0.98, 0.98), [
		'met, but the interval has both sides of it (wanted: 0.97 or better)',
		met,
	]);
});

test('a pair is said with what failed, and what there is by then is written', async () => {
	const { said } = await outcomeOf([{ plain: measured(100), lab: measured(97, 3) }, ...pairsOf(1)]);
	assert.match(
		said,
		/pair 1 of 2: lab 97 rps, 3 failed \(0\.970\); plain 100 rps\n {2}pair 2 of 2: plain 1000 rps; lab 1000 rps \(1\.000\)\n/,
	);
	const record = JSON.parse(await readFile(join(folder, 'bench-overhead.json'), 'utf8'));
	assert.deepEqual([record.pairs.length, record.pairs_wanted, record.arms], [2, 2, ARMS]);
});

test('nothing is compared with an arm without a good answer', async () => {
	const { outcome } = await outcomeOf([{ plain: measured(0, 7), lab: measured(1) }]);
	assert.ok('error' in outcome && outcome.error instanceof RunFailedError);
	assert.match(outcome.error.message, /^plain: expected good answers, .*; found none, and 7 failed requests\.$/);
});

test('an interruption ends a block after the arm that it came in', async () => {
	const interruption = new AbortController();
	const { outcome, order } = await outcomeOf(pairsOf(1), { signal: interruption.signal, onMeasure: () => interruption.abort() });
	assert.ok('error' in outcome && outcome.error.name === 'AbortError');
	assert.deepEqual(order, ['lab']);
});
