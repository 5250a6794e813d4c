import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { lineOnTime } from './intended-start.ts';
import { readGenerators } from './read-generators.ts';
import { RecordFiles } from './record-files.ts';

/** What is read of generators that left these summaries, and nothing else. */
function summaryOfAll(summaries: { metrics: Record<string, any>; state?: { testRunDurationMs: number } }[]) {
	const texts = new Map(
		summaries.map((one, index) => [`k6-${index}/k6-summary.json`, JSON.stringify({ state: { testRunDurationMs: 0 }, ...one })]),
	);
	const generators = summaries.map((_, index) => ({ name: `k6-${index}` }));
	return readGenerators({ generators }, new RecordFiles((name) => texts.get(name) ?? null)).summary;
}

const withLoadOfAll = (summary: { metrics: Record<string, any> }) => summaryOfAll([summary]);

/** As k6 logs it. */
const logged = (line: object) => JSON.stringify({ level: 'error', msg: JSON.stringify(line) });

test('the delay of the first arrival is that of the clock, and a closed load has none', () => {
	const waitedBy = (...lines: object[]) => {
		const log = [...lines, { failed: [['w1-1', 1_800_000_000_000, 1039, 0, 1050, 'timeout']] }].map((line) => `${logged(line)}\n`).join('');
		const { failures } = readGenerators({}, new RecordFiles((name) => (name === 'k6.log' ? log : null)));
		return failures.map(({ waited_s: waited }) => waited);
	};
	assert.deepEqual(waitedBy({ event: 'start', t: 1 }, { event: 'first-arrival', late_ms: 39 }), [1]);
	assert.deepEqual(waitedBy({ event: 'start', t: 1 }), [1.039]);
});

test('it is taken off each request of a line, whose end stays where it was; a further attempt waits for no arrival', () => {
	const line = { requests: [1_800_000_000_000, 0, 0, -390, 590, 5, -101, 0, 200, 5, 0], retried: [790, -1 - 790] };
	assert.deepEqual(lineOnTime(line, 39), { requests: [1_800_000_000_000, 0, 0, 0, 200, 5, -101, 0, 200, 5, 0], retried: [400, -1 - 400] });
	const further = { requests: [1_800_000_000_000, 0, -1, 0, 200, 5, 0] };
	assert.deepEqual(lineOnTime(further, 39), further);
	assert.equal(lineOnTime(line, 0), line);
});

const trend = (count: number, avg: number) => ({ values: { count, avg, 'p(95)': 90 } });

test('scenarios of a script are added up, without percentiles that nobody could add', () => {
	const { metrics } = withLoadOfAll({
		metrics: {
			'iteration_duration{scenario:looking}': trend(30, 10),
			'iteration_duration{scenario:buying}': trend(10, 50),
			'http_req_duration{scenario:looking,expected_response:true}': trend(20, 4),
			http_reqs: { values: { count: 40 } },
		} as Record<string, any>,
	});
	assert.deepEqual(metrics['iteration_duration{scenario:load}'].values, { count: 40, avg: 20 });
	assert.deepEqual(metrics['http_req_duration{scenario:load,expected_response:true}'].values, { count: 20, avg: 4, 'p(95)': 90 });
});

test('percentiles over all of k6 are those of the scenarios where these made every request, and not where something else did too', () => {
	const ofAll = (count: number) => {
		const { metrics } = withLoadOfAll({
			metrics: {
				'http_req_duration{scenario:looking}': trend(30, 10),
				'http_req_duration{scenario:buying}': trend(10, 50),
				'http_req_duration{scenario:looking,expected_response:true}': trend(30, 10),
				'http_req_duration{scenario:buying,expected_response:true}': trend(8, 50),
				http_req_duration: { values: { count, avg: 20, 'p(95)': 70 } },
				'http_req_duration{expected_response:true}': { values: { count: count - 2, avg: 18, 'p(95)': 60 } },
			} as Record<string, any>,
		});
		return metrics;
	};
	const same = ofAll(40);
	assert.equal(same['http_req_duration{scenario:load}'].values['p(95)'], 70);
	assert.equal(same['http_req_duration{scenario:load,expected_response:true}'].values['p(95)'], 60);
	// One request of the script's setup.
	assert.deepEqual(ofAll(41)['http_req_duration{scenario:load}'].values, { count: 40, avg: 20 });
});

test('a load that is the lab’s own stays as it is', () => {
	const summary = { metrics: { 'iteration_duration{scenario:load}': trend(30, 10), 'iteration_duration{scenario:warmup}': trend(3, 10) } };
	assert.deepEqual(withLoadOfAll(summary)?.metrics, summary.metrics);
});

const summary = (metrics: Record<string, any>, ms: number = 1000) => ({ state: { testRunDurationMs: ms }, metrics });

test('one summary stays as it is, and of none there is none', () => {
	const only = summary({ a: { type: 'counter', values: { count: 1, rate: 2 } } });
	assert.deepEqual(summaryOfAll([only]), only);
	assert.equal(summaryOfAll([]), null);
});

test('counts add up, means by their counts, and percentiles of several are left out', () => {
	const one = summary({
		requests: { type: 'counter', values: { count: 10, rate: 5 } },
		took: { type: 'trend', contains: 'time', values: { count: 1, avg: 10, min: 10, max: 10, 'p(95)': 10 } },
		idle: { type: 'trend', values: { count: 0, avg: 0, min: 0, max: 0 } },
		failed: { type: 'rate', values: { rate: 1, passes: 1, fails: 0 } },
		users: { type: 'gauge', values: { value: 5, min: 1, max: 5 } },
	});
	const other = summary(
		{
			requests: { type: 'counter', values: { count: 30, rate: 15 } },
			took: { type: 'trend', contains: 'time', values: { count: 3, avg: 30, min: 20, max: 50, 'p(95)': 48 } },
			idle: { type: 'trend', values: { count: 2, avg: 7, min: 6, max: 8 } },
			failed: { type: 'rate', values: { rate: 0, passes: 0, fails: 3 } },
			users: { type: 'gauge', values: { value: 6, min: 1, max: 6 } },
			dropped: { type: 'counter', values: { count: 4, rate: 2 } },
		},
		1500,
	);
	const joined = summaryOfAll([one, other]);
	assert.equal(joined?.state.testRunDurationMs, 1500);
	assert.deepEqual(Object.fromEntries(Object.entries<any>(joined?.metrics ?? {}).map(([name, { values }]) => [name, values])), {
		requests: { count: 40 },
		took: { count: 4, avg: 25, min: 10, max: 50 },
		idle: { count: 2, avg: 7, min: 6, max: 8 },
		failed: { passes: 1, fails: 3, rate: 0.25 },
		users: { value: 11, min: 2, max: 11 },
		dropped: { count: 4 },
	});
});

/**
 * Every 56th line that users of a real run wrote, an open load of 35 requests a second whose database lost its CPU for 10 s: time-outs,
 * retries, and arrivals that were late by k6's own clock.
 */
const STORED = gunzipSync(readFileSync(fileURLToPath(new URL('fixtures/k6-retries.log.gz', import.meta.url))))
	.toString()
	.trim()
	.split('\n');
const [REPORTED, LINES] = [true, false].map((isKnown) => STORED.filter((line) => line.includes('event') === isKnown));
const manifest = { scenario: 'documents', load_began_s: 1_795_409_588.294, load_ended_s: 1_795_409_691.976 };

/** @param files by their paths in `raw/` */
const reading = (files: Record<string, string>) => new RecordFiles((name) => files[name] ?? null);

/** @param counted requests, by k6's own count */
const summaryOf = (counted: number) =>
	JSON.stringify({ state: { testRunDurationMs: 100_000 }, metrics: { lab_finished: { type: 'counter', values: { count: counted } } } });

/** The same load as if several generators had made it: each has every so-many-th line. */
function inParts(parts: number, counted: number) {
	const names = Array.from({ length: parts }, (_, index) => `k6-${index + 1}`);
	const files = names.flatMap((name, index) => [
		[`${name}/k6.log`, [...REPORTED, ...LINES.filter((_, at) => at % parts === index)].join('\n')],
		[`${name}/k6-summary.json`, summaryOf(index === 0 ? counted : 0)],
	]);
	return { manifest: { ...manifest, generators: names.map((name) => ({ name })) }, record: reading(Object.fromEntries(files)) };
}

const whole = readGenerators(manifest, reading({ 'k6.log': STORED.join('\n'), 'k6-summary.json': summaryOf(0) }));
const counted = Number(whole.written?.written);

/** The same values added up in another order may differ in the last digit of a mean. */
const figuresOf = ({ snapshots, summary, failures }: ReturnType<typeof readGenerators>) =>
	JSON.parse(
		JSON.stringify({ snapshots, metrics: summary.metrics, failed: failures.map(({ id }) => id).sort() }, (_, value) =>
			typeof value === 'number' ? Number(value.toPrecision(12)) : value,
		),
	);

for (const parts of [2, 3])
	test(`${parts} parts of a load give the counts and percentiles of the whole, in each second and in all`, () => {
		const { manifest: several, record } = inParts(parts, counted);
		const together = readGenerators(several, record);
		assert.ok(whole.failures.length > 50 && counted > 200);
		assert.deepEqual(figuresOf(together), figuresOf(whole));
		assert.deepEqual(together.written, { written: counted, counted });
	});

test('each request of the load is in one stage, and the percentile of all good answers lies between those of the stages', () => {
	const shape = { stages: [2, 38, 40, 20].map((duration_s) => ({ duration_s, target: 35 })) };
	const { byStage, summary } = readGenerators(
		{ ...manifest, shape },
		reading({ 'k6.log': STORED.join('\n'), 'k6-summary.json': summaryOf(0) }),
	);
	assert.ok(byStage);
	const sumOf = (key: 'requests' | 'failures') => byStage.reduce((sum, stage) => sum + stage[key], 0);
	assert.deepEqual([sumOf('requests'), sumOf('failures')], [counted, summary.metrics.lab_failed.values.count]);
	for (const rank of ['p50', 'p95', 'p99'] as const) {
		const all = byStage.flatMap(({ latency_ms_ok: ok }) => ok[rank] ?? []);
		const whole = summary.metrics.lab_latency_ok.values[rank === 'p50' ? 'med' : `p(${rank.slice(1)})`];
		assert.ok(Math.min(...all) <= whole && whole <= Math.max(...all), `${rank}: ${whole} of ${all}`);
	}
});

test('the moment at which a script’s users had ended, and what k6 itself said, are read from its log', () => {
	const said = 'test aborted: enough seen at default (file:///load.js:3:96(17))';
	const lines = [
		JSON.stringify({ level: 'error', msg: '{"event":"end","t":1795725304.52}', source: 'console' }),
		JSON.stringify({ level: 'error', msg: 'test aborted: by the script’s own console', source: 'console' }),
		JSON.stringify({ level: 'error', msg: said, time: '2026-11-26T20:35:04Z' }),
	];
	const { ending } = readGenerators(manifest, reading({ 'k6.log': lines.join('\n'), 'k6-summary.json': summaryOf(0) }));
	assert.deepEqual(ending, { at_s: 1_795_725_304.52, last_s: null, said: [said] });
	assert.ok(Number(whole.ending.last_s) > manifest.load_began_s);
});

test('what a script writes of a time that is far from its load is no row, and none of what lies between is', () => {
	const [far, origin] = [1e15, 1e15];
	const forged = [
		{ event: 'end', t: far },
		{ requests: [origin, 0, 0, 0, 50, 0, 0] },
		{ requests: [manifest.load_began_s * 1000, 0, 0, 0, 1e18, 0, 0] },
		{ warm: [origin, 0, 0, 0, 50, 0, 0] },
		{ requests: [manifest.load_began_s * 1000, 0, 0, 0, 50, 0, 0], failed: [['x', far, 1, 0, 1050, 'timeout']] },
	].map(logged);
	const read = readGenerators(manifest, reading({ 'k6.log': [...STORED, ...forged].join('\n'), 'k6-summary.json': summaryOf(0) }));
	assert.deepEqual([figuresOf(read), read.ending.at_s, read.ending.last_s], [figuresOf(whole), null, whole.ending.last_s]);
});

test('where one left no summary nobody knows what k6 counted, and what it wrote counts all the same', () => {
	const { manifest: several, record } = inParts(2, counted);
	const read = readGenerators(several, new RecordFiles((name) => (name === 'k6-2/k6-summary.json' ? null : record.stored(name))));
	assert.deepEqual(read.written, { written: counted, counted: null });
});

test('each one’s arrivals are late by its own clock, and its test is shorter by what it waited for the others', () => {
	const origin = manifest.load_began_s * 1000 + 1000;
	const summary = JSON.stringify({ state: { testRunDurationMs: 16_500 }, metrics: {} });
	const late = (ms: number) =>
		[
			logged({ event: 'waited', ms: 6500 }),
			logged({ event: 'first-arrival', late_ms: ms }),
			logged({ requests: [origin, 0, 0, -ms * 10, 200 + ms * 10, 0, 0] }),
		].join('\n');
	const files = { 'k6-1/k6.log': late(40), 'k6-2/k6.log': late(90), 'k6-1/k6-summary.json': summary, 'k6-2/k6-summary.json': summary };
	const read = readGenerators({ ...manifest, generators: [{ name: 'k6-1' }, { name: 'k6-2' }] }, reading(files));
	const { min, max, count } = read.summary.metrics.lab_latency_all.values;
	assert.deepEqual([count, min, max], [2, 20, 20]);
	assert.equal(read.summary.state.testRunDurationMs, 10_000);
});

test('a load of which nobody wrote a request has no seconds; that of an earlier record, which k6’s dashboard told, is refused', () => {
	const files = { 'k6.log': REPORTED.join('\n'), 'k6-summary.json': summaryOf(7) };
	const { snapshots, written, byStage, summary: counts } = readGenerators(manifest, reading(files));
	assert.deepEqual([snapshots, written, byStage, counts.metrics.lab_finished.values.count], [[], null, null, 7]);
	assert.throws(() => readGenerators(manifest, reading({ ...files, 'k6-record.ndjson': '{}' })), /of an earlier version of Doubletake/);
});
