import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comesBackMs, durationMs, isOpen, lastAnswerMs } from './durations.js';

test('times are read as k6 writes them', () => {
	assert.deepEqual(
		['30s', '1m30s', '1h0m0.5s', '250ms', '2d1h', '1500', 1500].map(durationMs),
		[30_000, 90_000, 3_600_500, 250, 176_400_000, 1500, 1500],
	);
});

test('what is no time is not taken for one', () => {
	for (const value of ['', 'soon', '5 s', '5sx', undefined, null]) assert.ok(Number.isNaN(durationMs(value)), String(value));
});

test('requests are to have ended before k6 cuts the scenario off', () => {
	const stages = [
		{ duration: '10s', target: 5 },
		{ duration: '20s', target: 5 },
	];
	assert.equal(lastAnswerMs({ executor: 'constant-vus', duration: '30s', gracefulStop: null }), 57_000);
	assert.equal(lastAnswerMs({ executor: 'ramping-vus', stages, gracefulStop: '10s' }), 37_000);
	assert.equal(lastAnswerMs({ executor: 'per-vu-iterations', iterations: 5, maxDuration: null }), 627_000);
	assert.equal(lastAnswerMs({ executor: 'shared-iterations', iterations: 5, maxDuration: '1m0s' }), 87_000);
});

test('a scenario that leaves no time for last answers, or is not known, changes no request', () => {
	for (const scenario of [{ duration: '30s', gracefulStop: '0s' }, { duration: 'soon' }, { stages: [{}] }, undefined]) {
		assert.equal(lastAnswerMs(scenario), Number.POSITIVE_INFINITY);
	}
});

test('a user comes back until its scenario ends or its users become fewer, and where neither is known nobody knows', () => {
	const rising = {
		executor: 'ramping-vus',
		startVUs: 1,
		stages: [
			{ duration: '10s', target: 5 },
			{ duration: '20s', target: 5 },
		],
	};
	assert.equal(comesBackMs({ executor: 'constant-vus', duration: '30s' }), 30_000);
	assert.equal(comesBackMs(rising), 30_000);
	assert.equal(
		comesBackMs({ ...rising, stages: [...rising.stages, { duration: '5s', target: 2 }, { duration: '5s', target: 9 }] }),
		30_000,
	);
	assert.equal(comesBackMs({ ...rising, startVUs: 9 }), 0);
	assert.equal(
		comesBackMs({
			executor: 'ramping-vus',
			stages: [
				{ duration: '10s', target: 5 },
				{ duration: '9s', target: 0 },
			],
		}),
		10_000,
	);
	for (const executor of [
		'shared-iterations',
		'per-vu-iterations',
		'constant-arrival-rate',
		'ramping-arrival-rate',
		'externally-controlled',
	])
		assert.equal(comesBackMs({ executor, duration: '30s', stages: rising.stages }), 0, executor);
	for (const scenario of [undefined, {}, { executor: 'constant-vus', duration: 'soon' }]) assert.equal(comesBackMs(scenario), 0);
});

test('users wait for arrivals where a scenario has a rate of them', () => {
	assert.deepEqual(
		['constant-arrival-rate', 'ramping-arrival-rate', 'ramping-vus', 'shared-iterations'].map((executor) => isOpen({ executor })),
		[true, true, false, false],
	);
	assert.equal(isOpen(undefined), false);
});
