import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT } from '../base/errors.ts';
import { readExpect } from '../options/expect.ts';
import { touchesOf } from '../record/touches.ts';
import type { Result } from '../record/types.js';
import type { Judged } from './expectations.ts';
import { exitCodeOf, judgeExpectations } from './expectations.ts';

/**
 * As much of a result as thresholds read: 1,000 requests.
 * @param what doubts: by their rules
 */
function resultWith({
	failures = 0,
	p95 = 500,
	doubts = [],
	goodput = 100,
}: {
	failures?: number;
	p95?: number | null;
	doubts?: [string, 'SUSPECT' | 'INVALID'][];
	goodput?: number;
} = {}) {
	const percentiles = { p50: p95, p95, p99: p95, max: p95 };
	const metrics = { requests: 1000, throughput_rps: 100, goodput_rps: goodput, failures, failure_rate: failures / 1000 };
	const resources = { 'app-1': { tier: 'app', cpu_cores: { mean: null, max: null } } };
	const verdict = doubts.length === 0 ? 'VALID' : doubts.some(([, grade]) => grade === 'INVALID') ? 'INVALID' : 'SUSPECT';
	const all = doubts.map(([rule, grade]) => ({ rule, grade, reason: `${rule} was`, touches: touchesOf(rule) }));
	const validity = { verdict, reasons: all.map(({ reason }) => reason), doubts: all };
	const rest = { ledger: { failures: [], writes: null }, queue: null, faults: [], gone_writes: null, time_ledger: null, user_time: null };
	return { ...rest, validity, metrics: { ...metrics, latency_ms: { all: percentiles, ok: percentiles } }, resources } as unknown as Result;
}

const judgedOne: (text: string, result: Result) => Judged = (text, result) => judgeExpectations(readExpect(text), result)[0];

test('each operator decides on its limit as it is written', () => {
	const outcomes = { 'goodput_rps<100': false, 'goodput_rps<=100': true, 'goodput_rps>100': false, 'goodput_rps>=100': true };
	for (const [text, met] of Object.entries(outcomes)) assert.equal(judgedOne(text, resultWith()).met, met, text);
	assert.equal(judgedOne('goodput_rps<100.01', resultWith()).met, true);
	assert.equal(judgedOne('goodput_rps>99.99', resultWith()).met, true);
});

test('thresholds are judged one by one, in their order', () => {
	const judged = judgeExpectations(readExpect('failure_rate<0.01,goodput_rps>200'), resultWith());
	assert.deepEqual(judged, [
		{
			text: 'failure_rate<0.01',
			metric: 'failure_rate',
			found: 0,
			met: true,
			verdict: 'met',
			reason: 'expected failure_rate < 0.01; found 0',
			doubts: [],
		},
		{
			text: 'goodput_rps>200',
			metric: 'goodput_rps',
			found: 100,
			met: false,
			verdict: 'not met',
			reason: 'expected goodput_rps > 200 rps; found 100 rps',
			doubts: [],
		},
	]);
});

test('what could not be measured is not met, whichever way the threshold points', () => {
	for (const text of ['cpu_ms_per_good<5', 'cpu_ms_per_good>=0', 'latency_ms_p95_ok<5', 'latency_ms_p95_ok>=0']) {
		const { found, met, verdict, reason } = judgedOne(text, resultWith({ p95: null }));
		assert.deepEqual({ found, met, verdict }, { found: null, met: false, verdict: 'not met' });
		assert.match(reason, /could not be measured/);
	}
	assert.equal(judgedOne('goodput_rps>=0', resultWith({ goodput: Number.NaN })).met, false);
});

test('a run that measured nothing meets nothing, and is not judged', () => {
	const { found, met, verdict, reason } = judgedOne('failure_rate<0.5', resultWith({ doubts: [['incomplete', 'INVALID']] }));
	assert.deepEqual({ found, met, verdict }, { found: null, met: false, verdict: 'not judged' });
	assert.equal(reason, 'nothing was measured: incomplete was');
});

test('what a doubt can move is judged with it, and what it cannot without', () => {
	const noisy = resultWith({ doubts: [['stolen', 'INVALID']] });
	const judged = judgeExpectations(readExpect('failure_rate<0.5,latency_ms_p95_ok<1,writes_lost<=0'), noisy);
	assert.deepEqual(
		judged.map(({ verdict, doubts }) => [verdict, doubts]),
		[
			['met', ['stolen was']],
			['not met', ['stolen was']],
			['not met', []],
		],
	);
	assert.deepEqual(
		judgedOne('goodput_rps>1', resultWith({ doubts: [['observers', 'SUSPECT']] })).doubts,
		[],
		'without a queue k6 counted it',
	);
});

test('a latency of successes never stands without the share that failed, met or not', () => {
	for (const [text, met] of [
		['latency_ms_p95_ok<800', true],
		['latency_ms_p50_ok<300', false],
	] as [string, boolean][]) {
		const judged = judgedOne(text, resultWith({ failures: 177 }));
		assert.equal(judged.met, met);
		assert.match(judged.reason, /found 500 ms over good answers alone, while 17\.7 % of the requests failed$/);
	}
	assert.match(judgedOne('latency_ms_p99_ok<800', resultWith()).reason, /found 500 ms over all requests, for none failed$/);
	assert.doesNotMatch(judgedOne('latency_ms_p95_all<800', resultWith({ failures: 177 })).reason, /failed/);
});

test('a share of failures too small to write is not called none', () => {
	const result = resultWith({ failures: 1 });
	result.metrics.failure_rate = 1 / 1e6;
	assert.match(judgedOne('latency_ms_p95_ok<800', result).reason, /while < 0\.01 % of the requests failed/);
});

test('a figure is short, but never looks as if it were on the other side of its limit', () => {
	const result = resultWith({ failures: 1 });
	result.metrics.failure_rate = 1 / 3;
	assert.match(judgedOne('failure_rate<0.1', result).reason, /found 0\.3333$/);
	result.metrics.failure_rate = 0.001000001;
	assert.match(judgedOne('failure_rate<=0.001', result).reason, /found 0\.001000001$/);
	result.metrics.failure_rate = 0.1 + 0.2;
	assert.match(judgedOne('failure_rate<=0.3', result).reason, /found 0\.30000000000000004$/);
});

const codeOf: (text: string, result: Result, strict?: boolean) => number = (text, result, strict) =>
	exitCodeOf(result, judgeExpectations(readExpect(text), result), strict);

const STOLEN: [string, 'INVALID'][] = [['stolen', 'INVALID']];

test('a run that measured ends as done, whatever is in doubt, unless a threshold is not met', () => {
	for (const doubts of [[], [['neighbours', 'SUSPECT']], STOLEN, [['count: x', 'INVALID']]] as [string, 'SUSPECT' | 'INVALID'][][]) {
		assert.equal(codeOf('', resultWith({ doubts })), EXIT.done);
		assert.equal(codeOf('goodput_rps>1,failure_rate<0.1', resultWith({ doubts })), EXIT.done);
		assert.equal(codeOf('goodput_rps>1,failure_rate<0.1', resultWith({ doubts, failures: 500 })), EXIT.thresholdNotMet);
	}
});

test('a run that measured nothing fails, whatever its user asked for', () => {
	const nothing = resultWith({ doubts: [['incomplete', 'INVALID']] });
	assert.deepEqual([codeOf('', nothing), codeOf('goodput_rps>1', nothing), codeOf('', nothing, true)], Array(3).fill(EXIT.failed));
});

test('where its user is strict a doubt has a code of its own: of what thresholds read, or without them of anything', () => {
	const suspect = resultWith({ doubts: [['neighbours', 'SUSPECT']] });
	assert.deepEqual([codeOf('', suspect, true), codeOf('', resultWith(), true)], [EXIT.inDoubt, EXIT.done]);
	assert.equal(codeOf('failure_rate<0.1', resultWith({ doubts: STOLEN }), true), EXIT.inDoubt);
	assert.equal(codeOf('failure_rate<0.1', resultWith({ doubts: [['observers', 'SUSPECT']] }), true), EXIT.done, 'it moves no such figure');
	assert.equal(codeOf('failure_rate<0.1', resultWith({ doubts: STOLEN, failures: 500 }), true), EXIT.thresholdNotMet);
});
