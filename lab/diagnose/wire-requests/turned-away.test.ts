import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Made } from '../joins/fixtures/made.ts';
import { joinedOf } from '../joins/joined.ts';
import { wireRequestsOf } from './trees.ts';

const WINDOW = { from: 0, to: 1000, warmupFrom: 0 };
/** Of a program that keeps no list of the requests that failed. */
const NO_LIST = { failures: [], program: {} as any };
const BAD = { status: 502, bad: true };

function waterfallsIn(made: Made) {
	const { waterfalls } = wireRequestsOf(NO_LIST, WINDOW, joinedOf(made.record));
	return waterfalls.map(({ rows }) => rows.map(({ to, end, by, code, took_ms: took }) => [to, end, by, code, took]));
}

test('a connection that was refused is a bad call of the request that opened it', () => {
	const made = new Made();
	made.call('k6 lb', 1, 1.01);
	made.call('lb web', 1.001, 1.009);
	made.call('k6 lb', 2, 2.002, BAD);
	made.turnedAway('lb web', 2.0005, { outcome: 'refused', by: 'server', ended_at: 2.0006, reset_at: 2.0006 });
	const [, lost] = waterfallsIn(made);
	assert.deepEqual(lost, [
		['lb', 'answered', 'server', null, 2],
		['web', 'refused', 'server', null, 0.1],
	]);
});

test('where others pass ids on, a refused connection has none, and is joined all the same', () => {
	const made = new Made();
	for (let at = 1; at < 9; at += 1) {
		made.call('k6 lb', at, at + 0.1, { id: `u${at}` });
		made.turnedAway('lb web1', at + 0.001, { outcome: 'refused', by: 'server', ended_at: at + 0.0012, reset_at: at + 0.0012 });
		made.call('lb web2', at + 0.002, at + 0.099, { id: `u${at}` });
	}
	for (const rows of waterfallsIn(made))
		assert.deepEqual(
			rows.map(([to, end]) => [to, end]),
			[
				['lb', 'answered'],
				['web1', 'refused'],
				['web2', 'answered'],
			],
		);
});

test('a connection that nobody answered ends with the last time that it was asked for, and never waits for ever', () => {
	const made = new Made();
	made.call('k6 lb', 1, 6.001, { status: 504, bad: true });
	made.turnedAway('lb web', 1.001, { outcome: 'unanswered', syns: 3, syn_at: 4.001 });
	assert.deepEqual(waterfallsIn(made), [
		[
			['lb', 'answered', 'server', null, 5001],
			['web', 'unanswered', null, null, 3000],
		],
	]);
});

test('a login that was answered with an error is a bad call of the request that it was made for; a good one is none', () => {
	const made = new Made();
	for (const [at, code] of [
		[1, '1040'],
		[2, '53300'],
	] as const) {
		made.call('k6 web', at, at + 0.02, { status: 500, bad: true });
		made.call('web db', at + 0.004, at + 0.005, { role: 'connect', status: null, code, bad: true, protocol: 'mysql' });
		made.call('web db', at + 0.002, at + 0.003, { role: 'connect', status: null, protocol: 'mysql' });
	}
	assert.deepEqual(
		waterfallsIn(made).map((rows) => rows.map(([to, end, , code]) => [to, end, code])),
		[
			[
				['web', 'answered', null],
				['db', 'answered', '1040'],
			],
			[
				['web', 'answered', null],
				['db', 'answered', '53300'],
			],
		],
	);
});

test('a connection that its server closed before anything was asked is a bad call; one that its client did not use is none', () => {
	const made = new Made();
	made.call('k6 lb', 1, 1.02, BAD);
	made.turnedAway('lb web', 1.001, { outcome: 'closed', by: 'server', accepted_at: 1.001, ended_at: 1.019 });
	made.turnedAway('lb web', 1.002, { outcome: 'closed', by: 'client', accepted_at: 1.002, ended_at: 1.018 });
	made.turnedAway('lb web', 1.002, { outcome: 'open', accepted_at: 1.002 });
	assert.deepEqual(
		waterfallsIn(made)[0].map(([, end]) => end),
		['answered', 'unasked-closed'],
	);
});

test('connections that fail at the same pace while nobody asks are of no request', () => {
	const made = new Made();
	for (let at = 0; at < 40; at += 1) made.turnedAway('web queue', at + 0.4, { outcome: 'refused', by: 'server', ended_at: at + 0.4001 });
	for (let at = 20; at < 40; at += 1) made.call('k6 web', at, at + 0.9, BAD);
	for (const rows of waterfallsIn(made)) assert.equal(rows.length, 1);
});

test('what connections that nobody answered kept waiting for equal times has a time-out for connecting', () => {
	const made = new Made();
	for (let at = 1; at < 40; at += 3) {
		made.call('k6 lb', at, at + 5.002, { status: 504, bad: true });
		made.turnedAway('lb web', at + 0.001, { outcome: 'unanswered', syns: 3, syn_at: at + 3.001 });
	}
	const { timeouts } = wireRequestsOf(NO_LIST, WINDOW, joinedOf(made.record));
	assert.deepEqual(
		timeouts.map(({ from, to, by, how, after_ms: after, count }) => [from, to, by, how, Math.round(after), count]),
		[['lb', 'web', 'lb', 'connect', 5001, 13]],
	);
});
