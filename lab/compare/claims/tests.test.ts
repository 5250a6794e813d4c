import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf, runOf, runsOf } from '../../diagnose/fixtures/experiment-runs.ts';
import type { Stage } from '../../record/types.js';
import { judgeTest, overStages, stageKey, wholeLoad } from './tests.ts';

const stage: (from_s: number, to_s: number, figures: Partial<Stage>) => any = (from_s, to_s, figures) => ({
	from_s,
	to_s,
	target: to_s,
	unit: 'users',
	...figures,
});
const STAGES = [
	stage(0, 10, { throughput_rps: 100, goodput_rps: 100, failure_rate: 0, latency_ms_p95_ok: 50 }),
	stage(10, 40, { throughput_rps: 400, goodput_rps: 200, failure_rate: 0.5, latency_ms_p95_ok: 100 }),
	stage(40, 50, { throughput_rps: 900, goodput_rps: 0, failure_rate: 1, latency_ms_p95_ok: null }),
];

function staged() {
	const run = runOf('2a', 1);
	run.result.stages = STAGES;
	return run;
}

test('rates are weighted by seconds, the failure rate by requests, percentiles by good answers', () => {
	const { metric } = overStages(STAGES.slice(0, 2).map(stageKey));
	assert.equal(metric(staged(), 'goodput_rps'), (100 * 10 + 200 * 30) / 40);
	assert.equal(metric(staged(), 'throughput_rps'), (100 * 10 + 400 * 30) / 40);
	assert.equal(metric(staged(), 'failure_rate'), (0.5 * 400 * 30) / (100 * 10 + 400 * 30));
	assert.equal(metric(staged(), 'latency_ms_p95_ok'), (50 * 1000 + 100 * 6000) / 7000);
});

test('a stage without good answers weighs nothing, and what no stage has is null', () => {
	assert.equal(overStages([stageKey(STAGES[2])]).metric(staged(), 'latency_ms_p95_ok'), null);
	assert.equal(overStages(['0-10']).metric(staged(), 'database_spread'), null);
	assert.equal(overStages(['0-10']).share(staged(), ['pool']), null);
});

test('the share of failures on a tier is of those placed in the seconds of the stages, and only where they were placed in seconds', () => {
	const run = staged();
	run.result.timeline = [5, 20, 45].map((t) => ({ t_s: t })) as any;
	run.result.series = { failures_by_tier: { pool: [0, 30, 0], 'load-balancer': [0, 10, 500] } } as any;
	const share = () => overStages(['0-10', '10-40']).share(run, ['pool', 'database']);
	run.result.graded_by = 1;
	assert.equal(share(), null);
	run.result.graded_by = 2;
	assert.equal(share(), 0.75);
});

test('over the whole load a run has its own metrics, and a share only where something failed', () => {
	const run = runOf('2a', 1, { failed: 0.2, tier: 'pool' });
	assert.equal(wholeLoad.metric(run, 'failure_rate'), run.result.metrics.failure_rate);
	assert.equal(wholeLoad.share(run, ['pool']), 1);
	assert.equal(wholeLoad.share(runOf('2a', 1), ['pool']), null);
});

const arms = [{ id: 'a', architecture: 'a' }];

/** @param rates failed, run by run */
function judge(rates: number[], wanted = 'at most' as 'at least' | 'at most') {
	const runs = runsOf(planOf({ arms, repeats: rates.length }), { a: { goodput: 500, p95: 100 } });
	for (const [index, run] of runs.entries()) run.result.metrics.failure_rate = rates[index];
	return judgeTest({ kind: 'outcome', label: '', metric: 'failure_rate', arm: 'a', wanted, threshold: 0.1, published: null }, runs);
}
const runsOfBoth = (bad: number, all = 8) => Array.from({ length: all }, (_, index) => (index < bad ? 0.9 : 0));

test('an outcome is judged by its interval: seven of eight runs hold and one refutes, six and two can be chance', () => {
	const verdicts = [0, 1, 2, 3, 5, 6, 7, 8].map((bad) => judge(runsOfBoth(bad)).verdict);
	const open = ['INCONCLUSIVE', 'INCONCLUSIVE', 'INCONCLUSIVE', 'INCONCLUSIVE'];
	assert.deepEqual(verdicts, ['HOLDS', 'HOLDS', ...open, 'REFUTED', 'REFUTED']);
	assert.equal(judge(runsOfBoth(7), 'at least').verdict, 'HOLDS');
});

test('however many runs there are, two of three are not the rule: the interval alone makes no outcome hold', () => {
	const { verdict, low } = judge(runsOfBoth(20, 60));
	assert.ok(Number(low) > 0.5);
	assert.equal(verdict, 'INCONCLUSIVE');
	assert.equal(judge(runsOfBoth(40, 60)).verdict, 'INCONCLUSIVE');
});

test('the share of runs is shown with its interval', () => {
	const { estimate, low, high, blocks } = judge(runsOfBoth(2));
	// Wilson's formula, computed apart.
	assert.deepEqual([estimate, blocks, low?.toFixed(4), high?.toFixed(4)], [0.75, 8, '0.4093', '0.9285']);
});

test('too few runs decide nothing', () => {
	assert.equal(judge(runsOfBoth(0, 5)).verdict, 'INCONCLUSIVE');
});
