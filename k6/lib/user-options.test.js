import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TREND_STATS } from './options.js';
import { addedMetrics, mayAbort, optionsWith } from './user-options.js';

const own = Object.freeze({
	scenarios: {
		browse: { executor: 'constant-vus', vus: 5, duration: '30s', exec: 'browse' },
		buy: { executor: 'ramping-vus', stages: [] },
	},
	thresholds: { 'http_req_duration{scenario:buy}': ['p(95)<400'], checks: [{ threshold: 'rate>0.9', abortOnFail: true }] },
	tags: { team: 'shop' },
	discardResponseBodies: true,
	summaryTrendStats: ['p(99.9)', 'med'],
});

test('scenarios, tags and whatever else the script sets stay as they are', () => {
	const { scenarios, tags, discardResponseBodies } = optionsWith(own);
	assert.deepEqual({ scenarios, tags, discardResponseBodies }, { scenarios: own.scenarios, tags: own.tags, discardResponseBodies: true });
	const short = optionsWith({ vus: 10, duration: '30s' });
	assert.deepEqual([short.vus, short.duration, 'scenarios' in short], [10, '30s', false]);
});

test('thresholds of the script stay, beside those that make the metrics of each scenario', () => {
	const { thresholds } = optionsWith(own);
	assert.deepEqual(thresholds.checks, own.thresholds.checks);
	assert.deepEqual(thresholds['http_req_duration{scenario:buy}'], ['p(95)<400']);
	assert.deepEqual(thresholds['http_req_duration{scenario:browse}'], ['max>=0']);
	assert.deepEqual(thresholds['http_req_duration{scenario:buy,expected_response:true}'], ['max>=0']);
});

test('a script without scenarios has one, by the name that k6 gives it', () => {
	for (const options of [undefined, {}, { vus: 1, iterations: 3 }]) {
		assert.ok('http_req_duration{scenario:default}' in optionsWith(options).thresholds);
	}
});

test('the metrics that only the lab asked for are reported, so that the script’s own summary can do without them', () => {
	const added = addedMetrics(own);
	assert.ok(added.includes('http_req_duration{scenario:browse}'));
	assert.ok(!added.includes('http_req_duration{scenario:buy}'));
});

test('of each scenario is counted what it had no user for, and what its users slept', () => {
	const { thresholds } = optionsWith(own);
	assert.deepEqual(thresholds['dropped_iterations{scenario:buy}'], ['count>=0']);
	assert.deepEqual(thresholds['lab_think_s{scenario:browse}'], ['count>=0']);
});

test('trend statistics of both are there, the script’s first', () => {
	assert.deepEqual(optionsWith(own).summaryTrendStats, ['p(99.9)', 'med', ...TREND_STATS.filter((stat) => stat !== 'med')]);
	assert.deepEqual(optionsWith({}).summaryTrendStats, TREND_STATS);
});

test('a script’s own system tags get the two that the lab counts by; without a list k6’s own stay', () => {
	assert.deepEqual(optionsWith({ systemTags: ['method', 'scenario'] }).systemTags, ['method', 'scenario', 'expected_response']);
	assert.equal('systemTags' in optionsWith({}), false);
});

test('setup always runs, because it tells when the load begins', () => {
	assert.equal(optionsWith({ noSetup: true }).noSetup, false);
	assert.equal(optionsWith({ noTeardown: true }).noTeardown, false);
});

test('a threshold with abortOnFail may end the load before its time', () => {
	assert.equal(
		mayAbort({ thresholds: { checks: ['rate>0.9'], http_reqs: ['count>1', { threshold: 'count<9', abortOnFail: true }] } }),
		true,
	);
	assert.equal(mayAbort({ thresholds: { checks: [{ threshold: 'rate>0.9', abortOnFail: false }], http_reqs: 'count>1' } }), false);
	assert.equal(mayAbort(undefined), false);
});
