import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stalenessBreakdown } from '../../diagnose/staleness.ts';
import { doubtOf, doubtsText, outcomesOf, priceOf } from './doubt.ts';

const suspect: (reason: string) => { verdict: 'SUSPECT'; reasons: string[] } = (reason) => ({ verdict: 'SUSPECT', reasons: [reason] });
const VALID: { verdict: 'VALID'; reasons: string[] } = { verdict: 'VALID', reasons: [] };

test('an arm says how many of its runs were SUSPECT and why, with the range of each figure', () => {
	assert.deepEqual(
		doubtOf([suspect('k6 was at its quota for 24 % of the seconds'), suspect('k6 was at its quota for 9.5 % of the seconds'), VALID]),
		{
			suspect: 2,
			runs: 3,
			text: '2 of 3 runs SUSPECT: k6 was at its quota for 9.5 to 24 % of the seconds',
		},
	);
});

test('an arm of which every run is VALID is not in doubt', () => {
	assert.equal(doubtOf([VALID, VALID]), null);
	assert.equal(doubtOf([]), null);
});

test('the most frequent reasons are named, the others counted', () => {
	const { text } = doubtOf([suspect('one'), suspect('two'), suspect('two'), suspect('three')]) ?? {};
	assert.equal(text, '4 of 4 runs SUSPECT: two; one; and 1 more reason');
});

test('figures with thousands are compared as numbers, and equal ones stay one', () => {
	const { text } =
		doubtOf(['5 % while 2,000 users were held', '12 % while 2,000 users were held', '7 % while 500 users were held'].map(suspect)) ?? {};
	assert.equal(text, '3 of 3 runs SUSPECT: 5 to 12 % while 500 to 2,000 users were held');
});

test('arms in doubt for the same reason are named together', () => {
	const doubt = { suspect: 8, runs: 8, text: '8 of 8 runs SUSPECT: one' };
	assert.equal(
		doubtsText([
			{ arm: 'a-lb', doubt },
			{ arm: '2a', doubt },
		]),
		'a-lb, 2a: 8 of 8 runs SUSPECT: one',
	);
});

const RESOURCES = {
	k6: { tier: 'generator' },
	'app-1': { tier: 'app' },
	'app-2': { tier: 'app' },
	mongo: { tier: 'database' },
	'database-observer': { tier: 'observer' },
};
const limit: (id: string, values: (number | null)[]) => object = (id, values) => ({ id, values });
const resultOf: (given?: object) => any = (given = {}) => ({
	resources: RESOURCES,
	series: { limits: [limit('database-connections', [null, 20, 104, 90]), limit('pool-app-1', [50])] },
	queue: null,
	breakdowns: [],
	...given,
});

test('containers are those that serve, and connections to the database the most of any second', () => {
	assert.deepEqual(priceOf(resultOf()), {
		containers: 3,
		database_connections: 104,
		backlog: null,
		drained_after_s: null,
		stale_share: null,
	});
});

test('of several databases the connections add up, and one that nobody asked leaves them unknown', () => {
	const both = [limit('database-connections mongo-1', [50, 52]), limit('database-connections mongo-2', [49])];
	assert.equal(priceOf(resultOf({ series: { limits: both } })).database_connections, 101);
	const one = [both[0], limit('database-connections mongo-2', [null])];
	assert.equal(priceOf(resultOf({ series: { limits: one } })).database_connections, null);
});

test('what a queue had to do later and what reads showed too late is part of it', () => {
	const queue = { backlog: [0, 4000, 2500], drained_after_s: 20.5 };
	const node = (stale: number) => ({ own: { reads: 100, stale_reads: stale, stale_le_5: stale } });
	const breakdowns = stalenessBreakdown({ nodes: { 'app-1': node(4), 'app-2': node(8) } } as any);
	const { backlog, drained_after_s: drained, stale_share: stale } = priceOf(resultOf({ queue, breakdowns }));
	assert.deepEqual([backlog, drained, stale], [4000, 20.5, 0.06]);
});

const outcomesResultOf: (metrics: object, queue?: object | null) => any = (metrics, queue = null) => ({
	metrics: { requests: 1000, failures: 0, refused: 0, ...metrics },
	queue,
	duration_s: 10,
});

test('good answers, refusals and failures add up to all requests', () => {
	assert.deepEqual(outcomesOf(outcomesResultOf({ failures: 300, refused: 100 })), {
		done_rps: 70,
		accepted_rps: 0,
		refused_rps: 10,
		failed_rps: 20,
	});
});

test('what a queue accepted and did not do in the load is not done', () => {
	const outcomes = outcomesOf(outcomesResultOf({ failures: 100 }, { completed_in_load: 400 }));
	assert.deepEqual([outcomes?.done_rps, outcomes?.accepted_rps, outcomes?.failed_rps], [40, 50, 10]);
});

test('nothing is told of a run without requests, or from before refusals were counted', () => {
	assert.equal(outcomesOf(outcomesResultOf({ requests: 0 })), null);
	assert.equal(outcomesOf(outcomesResultOf({ refused: null })), null);
});
