import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ends, Shape } from '../../../k6/lib/shapes.js';
import { readExpect } from '../../options/expect.ts';
import type { StageRequests } from '../../record/percentile.ts';
import type { TimelineRow } from '../../record/types.js';
import { judgeExpectations } from '../expectations.ts';
import { recordOf } from '../fixtures/record.ts';
import { programRecord } from '../fixtures/scenario-records.ts';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.ts';
import type { StageLaws } from '../limits/laws.ts';
import { stagesOf } from '../limits/laws.ts';
import { resultOf } from '../result.ts';
import { loadEndOf } from './load-end.ts';
import { windowOf } from './window.ts';

/** As k6 1.1.0 wrote them into its log. */
const CROSSED = "thresholds on metrics 'mine' were crossed; at least one has abortOnFail enabled, stopping test prematurely";
const ABORTED = 'test aborted: enough seen at default (file:///try/b.js:3:96(17))';
const ITERATIONS = 1000;

/** The hand-made load of ten seconds and 100 requests a second, as a script's that may take a minute. */
function scriptRecord({
	ends,
	at = SECONDS,
	said = [],
}: {
	ends?: Ends;
	/** second of the load at which all users had ended; null of an earlier record */
	at?: number | null;
	/** by k6 */
	said?: string[];
} = {}) {
	const raw = recordOf();
	const { metrics } = raw.summary;
	raw.manifest.scenario = 'script';
	raw.manifest.warmup_began_s = FROM;
	raw.manifest.think_time_s = 0.01;
	// The lab knows of no document that a script makes.
	raw.database = [];
	const stages = [{ duration_s: 60, target: 3 }];
	raw.manifest.shape = { title: 'load.js', model: 'closed', unit: 'users', warmup_s: 0, settle_s: 0, stages, ...(ends ? { ends } : {}) };
	raw.snapshots = raw.snapshots.filter(({ t }) => t > FROM);
	// k6's own time has two seconds of setup and three of teardown in it.
	raw.summary.state.testRunDurationMs = (2 + SECONDS + 3) * 1000;
	metrics['iteration_duration{scenario:buy}'] = { values: { count: ITERATIONS, avg: 30 } };
	raw.ending = { at_s: at === null ? null : FROM + at, last_s: at === null ? null : FROM + at, said };
	return raw;
}

const textOf = (raw: ReturnType<typeof scriptRecord>) => {
	const window = windowOf(raw);
	assert.ok(window);
	return loadEndOf(raw, window)?.text;
};

const buys = { iterations: { buy: ITERATIONS }, timed_s: 0, aborting: [] };

test('the rates of a script that ends early are over the time that it took, wherever they stand', () => {
	const result = resultOf(scriptRecord({ ends: buys }));
	const { metrics, stages, duration_s: duration } = result;
	assert.deepEqual([metrics.requests, metrics.throughput_rps, metrics.goodput_rps, duration], [1000, 100, 100, 10]);
	assert.deepEqual(
		stages.map(({ from_s, to_s, throughput_rps: rate }) => [from_s, to_s, rate]),
		[[0, 10, 100]],
	);
	assert.match(result.headline, /^All 1,000 requests succeeded at up to 3 users: 100 per second, /);
	assert.equal(judgeExpectations(readExpect('throughput_rps>90'), result)[0].verdict, 'met');
});

test('what its CPU did is read over the time that it took', () => {
	const busy = (planned: number) => {
		const raw = scriptRecord({ ends: buys });
		raw.manifest.shape.stages[0].duration_s = planned;
		return resultOf(raw).stages[0].cpu_ms_per_request;
	};
	assert.deepEqual(busy(600), busy(10));
});

test('a script that ended early says after how long and why: its iterations, a threshold, itself, or that it is not on record', () => {
	const early = 'The load ended after 10 s of at most 60 s: ';
	const raw = scriptRecord({ said: [CROSSED] });
	raw.summary.metrics.mine = { values: { count: 20 }, thresholds: { 'count<10': { ok: false }, 'count>1': { ok: true } } };
	assert.equal(textOf(raw), `${early}k6 aborted it, because a threshold of the script was crossed (mine: count<10).`);
	assert.equal(textOf(scriptRecord({ said: [ABORTED] })), `${early}the script aborted it, and said: enough seen.`);
	assert.equal(textOf(scriptRecord({ ends: buys })), `${early}all its iterations were done.`);
	assert.equal(textOf(scriptRecord()), `${early}why is not on record.`);
	const killed = scriptRecord({ ends: { ...buys, iterations: { buy: ITERATIONS + 1 } } });
	killed.manifest.generator_exit_code = 105;
	assert.equal(textOf(killed), `${early}why is not on record; k6 ended with exit code 105.`);
});

test('iterations that are done are no reason while another scenario had time left', () => {
	assert.match(textOf(scriptRecord({ ends: { ...buys, timed_s: 10 } })) ?? '', /all its iterations were done/);
	assert.match(textOf(scriptRecord({ ends: { ...buys, timed_s: 40 } })) ?? '', /why is not on record/);
});

test('a load that lasted for all of its time, or for longer, has no such sentence and is divided by the time until its last answer', () => {
	const raw = scriptRecord({ at: 12 });
	raw.manifest.shape.stages[0].duration_s = 8;
	raw.ending.last_s = FROM + SECONDS;
	const result = resultOf(raw);
	// From its last answer on users only slept.
	assert.deepEqual([result.load_end, result.metrics.throughput_rps], [null, 100]);
});

test('an earlier record of a script has k6’s own time, but no more than there was', () => {
	const raw = scriptRecord({ at: null });
	assert.equal(windowOf(raw)?.to, FROM + 15);
	raw.manifest.load_ended_s = FROM + 13.5;
	assert.equal(windowOf(raw)?.to, FROM + 13.5);
});

test('a load that was cut short, or whose generator was lost, is divided by the time that it took as well', () => {
	for (const interrupted of [true, false]) {
		const raw = recordOf();
		Object.assign(raw, { summary: null, snapshots: raw.snapshots.slice(0, -6) });
		Object.assign(raw.manifest, { interrupted, generator_exit_code: interrupted ? 0 : 137 });
		const { metrics, load_end: end, validity } = resultOf(raw);
		assert.deepEqual([metrics.throughput_rps, validity.verdict], [100, 'INVALID']);
		const why = interrupted ? 'the run was interrupted' : 'why is not on record; k6 left no summary; k6 ended with exit code 137';
		assert.equal(end?.text, `The load ended after 4 s of 10 s: ${why}.`);
	}
});

test('what k6 cut off when it aborted a load is no request that went missing', () => {
	const differ = (said: string[]) => resultOf(scriptRecord({ said })).ledger.checks.map(({ may_differ: may }) => may ?? 0);
	const [before, aborted] = [differ([]), differ([CROSSED])];
	// Each of its three users may have had one under way.
	assert.ok(aborted.some((may, index) => may === before[index] + 3));
	assert.ok(aborted.every((may, index) => may === before[index] || may === before[index] + 3));
});

test('that a script ended early is no doubt about its run', () => {
	const { validity, notes } = resultOf(scriptRecord({ said: [CROSSED] }));
	assert.doesNotMatch([...validity.reasons, ...notes].join(), /ended|abort/);
});

const window = { from: FROM, to: FROM + SECONDS, warmupFrom: FROM - WARMUP_S };

test("the load's window ends with k6's own time", () => {
	const raw = recordOf();
	raw.summary.state.testRunDurationMs += 1500;
	assert.deepEqual(windowOf(raw), { ...window, to: FROM + SECONDS + 1.5 });
});

test('a killed k6 leaves the last second in which a request was finished', () => {
	const raw = recordOf();
	raw.summary = null;
	raw.snapshots = raw.snapshots.slice(0, WARMUP_S + 6);
	assert.equal(windowOf(raw)?.to, FROM + 6);
});

test('a load that never began, or that finished nothing, has no window', () => {
	const unbegun = recordOf();
	delete unbegun.manifest.load_began_s;
	assert.equal(windowOf(unbegun), null);
	const unfinished = recordOf();
	unfinished.summary = null;
	unfinished.snapshots = unfinished.snapshots.slice(0, WARMUP_S);
	assert.equal(windowOf(unfinished), null);
});

test("a program's window is the one that it tells, whatever the manifest has", () => {
	const raw = programRecord();
	Object.assign(raw.program, { began_s: FROM + 0.5, ended_s: FROM + 9.25 });
	assert.deepEqual(windowOf(raw), { from: FROM + 0.5, to: FROM + 9.25, warmupFrom: FROM + 0.5 });
});

const shape: Shape = {
	title: 'steps',
	model: 'closed',
	unit: 'users',
	warmup_s: 1,
	stages: [
		{ duration_s: 2, target: 10 },
		{ duration_s: 3, target: 10, held: true },
	],
};

const row: (t_s: number, values?: object) => TimelineRow = (t_s, values = {}) =>
	({
		t_s,
		throughput_rps: 100,
		goodput_rps: 90,
		failures_per_s: 10,
		latency_ms_p50_ok: 5,
		latency_ms_p95_ok: 8,
		latency_ms_p99_ok: 9,
		...values,
	}) as any;

test('a stage is read from its own seconds, its last one included', () => {
	const timeline = [row(0, { throughput_rps: 999 }), row(1), row(2, { throughput_rps: 300, failures_per_s: 70 }), row(3), row(4), row(5)];
	const [first, second] = stagesOf(shape, timeline, { k6: [9, 0.2, 0.4, 0.6, null, 1] });
	assert.deepEqual(first, {
		from_s: 0,
		to_s: 2,
		target: 10,
		unit: 'users',
		held: false,
		requests: null,
		throughput_rps: 200,
		goodput_rps: 90,
		failure_rate: 0.2,
		latency_ms_p50_ok: 5,
		latency_ms_p95_ok: 8,
		latency_ms_p99_ok: 9,
		cpu_share: { k6: 0.3 },
		cpu_ms_per_request: {},
		bound_rps: null,
	});
	assert.deepEqual([second.from_s, second.to_s, second.held, second.failure_rate, second.cpu_share.k6], [2, 5, true, 0.1, 0.8]);
});

test('where no single request is on record, a latency is the median of the stage’s seconds', () => {
	const timeline = [1, 2, 3, 4, 5].map((t_s) => row(t_s, t_s === 4 ? { latency_ms_p95_ok: 5000 } : {}));
	assert.equal(stagesOf(shape, timeline, {})[1].latency_ms_p95_ok, 8);
});

test('seconds without a reading are in no mean', () => {
	const timeline = [row(1), row(2, { throughput_rps: null, goodput_rps: null, failures_per_s: null })];
	assert.deepEqual(stagesOf(shape, timeline, {})[0].throughput_rps, 100);
});

test('a stage in which nothing was finished has no failure rate', () => {
	const timeline = [row(1, { throughput_rps: 0, failures_per_s: 0 }), row(2, { throughput_rps: null })];
	assert.equal(stagesOf(shape, timeline, {})[0].failure_rate, null);
});

test('a stage that the load did not reach is left out', () => {
	assert.deepEqual(
		stagesOf(shape, [row(1), row(2)], {}).map(({ to_s }) => to_s),
		[2],
	);
});

test('a stage has its own laws', () => {
	const laws: (ms: number, boundRps: number) => StageLaws = (ms, boundRps) => ({
		cpuMsPerRequest: { nginx: ms },
		boundRps,
		boundBy: 'load',
		dearer: [],
	});
	const stages = stagesOf(shape, [row(1), row(3)], {}, { stages: [laws(1, 100), laws(2, 50)], boundRps: [], calmest: 0 });
	assert.deepEqual(
		stages.map(({ cpu_ms_per_request: cost, bound_rps: bound }) => [cost.nginx, bound]),
		[
			[1, 100],
			[2, 50],
		],
	);
});

const reported: (requests: number, failures: number, endedIn: number) => StageRequests = (requests, failures, endedIn) => ({
	requests,
	failures,
	ended_in: endedIn,
	good_in: endedIn - failures,
	latency_ms_ok: { p50: 6, p95: 80, p99: 90 },
});

test('a stage has the percentiles, the failures and the rates of its own requests, and no median over its seconds', () => {
	const timeline = [row(1), row(2), row(3), row(4), row(5), row(6)];
	const [first, second] = stagesOf(shape, timeline, {}, undefined, { byStage: [reported(200, 20, 200), reported(330, 30, 300)] });
	assert.deepEqual([first.requests, first.throughput_rps, first.goodput_rps, first.failure_rate], [200, 100, 90, 0.1]);
	assert.deepEqual([first.latency_ms_p50_ok, first.latency_ms_p95_ok, first.latency_ms_p99_ok], [6, 80, 90]);
	// Thirty of the last stage ended after it: they are its requests, and in no rate.
	assert.deepEqual([second.requests, second.throughput_rps, second.failure_rate], [330, 100, 0.09091]);
});

test('of a load that ended early the last stage ends with it, and its rate is over the time that it took', () => {
	const timeline = [row(1), row(2), row(3)];
	const [, second] = stagesOf(shape, timeline, {}, undefined, { byStage: [reported(200, 0, 200), reported(50, 0, 50)], took: 2.5 });
	assert.deepEqual([second.to_s, second.throughput_rps], [3, 100]);
	const rest = stagesOf(shape, timeline.slice(0, 2), {}, undefined, { byStage: [reported(200, 0, 200), reported(0, 0, 0)], took: 1.9 });
	assert.deepEqual(
		rest.map(({ to_s }) => to_s),
		[2],
	);
});

test('what a queue accepted is not what was done, so that goodput stays the timeline’s', () => {
	const [first] = stagesOf(shape, [row(1), row(2)], {}, undefined, { byStage: [reported(200, 0, 200), reported(0, 0, 0)], isQueued: true });
	assert.deepEqual([first.throughput_rps, first.goodput_rps], [100, 90]);
});
