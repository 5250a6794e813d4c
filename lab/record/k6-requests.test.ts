import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Failed } from './k6-requests.ts';
import { aggregateOf, countedByK6, countOf, eachRequest, parseStart, readRequests, tellsRequests, withWritten } from './k6-requests.ts';
import { percentileOf } from './percentile.ts';

const FROM = 1_800_000_000;
const OWN = { from: FROM, isScript: false };
const at = (second: number) => (FROM + second) * 1000;

/**
 * A line of one user. Times are milliseconds: of a request when it began, what it took, what it waited for a connection and what the
 * user thinks after it.
 * @param second of the load from which they count
 */
const lineOf = (
	second: number,
	requests: { begin: number; took: number; blocked?: number; thinks?: number; isGood?: boolean }[],
	due: number = 0,
) => [
	at(second),
	due * 10,
	0,
	...requests.flatMap(({ begin, took, blocked = 0, thinks = 0, isGood = true }) => [
		begin * 10,
		took * 10,
		isGood ? blocked * 10 : -1 - blocked * 10,
		thinks * 10,
	]),
];

test('a request is counted in the second in which it ended, with all of the user’s time since the one before', () => {
	const line = lineOf(0, [
		{ begin: 2, took: 18, blocked: 4, thinks: 10 },
		{ begin: 31, took: 969, thinks: 10 },
		{ begin: 1012, took: 20, isGood: false, blocked: 1, thinks: 10 },
	]);
	const { snapshots } = readRequests([{ requests: line }], OWN);
	assert.deepEqual(
		snapshots.map(({ t }) => t),
		[FROM + 1, FROM + 2],
	);
	const [first, second] = snapshots;
	assert.deepEqual([countOf(first, 'lab_finished'), countOf(first, 'lab_ok'), countOf(first, 'lab_failed')], [2, 2, 0]);
	assert.deepEqual([countOf(second, 'lab_finished'), countOf(second, 'lab_ok'), countOf(second, 'lab_failed')], [1, 0, 1]);
	assert.deepEqual([aggregateOf(first, 'lab_latency_all', 'avg'), aggregateOf(first, 'lab_latency_all', 'max')], [493.5, 969]);
	assert.deepEqual([aggregateOf(first, 'http_req_blocked', 'avg'), aggregateOf(second, 'http_req_blocked', 'avg')], [2, 1]);
	assert.equal(aggregateOf(second, 'lab_latency_ok', 'avg'), null);
	assert.deepEqual(
		[first, second].map((snapshot) => Math.round(countOf(snapshot, 'lab_think_s') * 1000)),
		[20, 10],
	);
	// 1,010 ms with the thinking, of two requests; then 32 ms.
	assert.deepEqual([countOf(first, 'iterations'), Math.round(Number(aggregateOf(first, 'iteration_duration', 'avg')))], [2, 505]);
	assert.equal(Math.round(Number(aggregateOf(second, 'iteration_duration', 'avg'))), 32);
});

test('users are those who wait, think or are to send at the end of the second', () => {
	const user = (from: number, requests: number) => ({
		requests: lineOf(
			from,
			Array.from({ length: requests }, (_, index) => ({ begin: index * 500, took: 400, thinks: 100 })),
		),
	});
	const { snapshots } = readRequests([user(0.1, 8), user(1.1, 4)], OWN);
	assert.deepEqual(
		snapshots.map((snapshot) => aggregateOf(snapshot, 'vus', 'value')),
		[1, 2, 2, 1],
	);
});

test('a second without an end of a request is there, with the users who wait in it', () => {
	const { snapshots } = readRequests(
		[
			{
				requests: lineOf(0.5, [
					{ begin: 0, took: 100 },
					{ begin: 101, took: 4000 },
				]),
			},
		],
		OWN,
	);
	assert.deepEqual(
		snapshots.map((snapshot) => [snapshot.t - FROM, countOf(snapshot, 'lab_finished'), aggregateOf(snapshot, 'vus', 'value')]),
		[
			[1, 1, 1],
			[2, 0, 1],
			[3, 0, 1],
			[4, 0, 1],
			[5, 1, 0],
		],
	);
});

test('a request is reported in the second in which it began too, so that those that wait are known', () => {
	const waits = lineOf(0.5, [
		{ begin: 0, took: 100 },
		{ begin: 100, took: 2000, isGood: false },
	]);
	const late = lineOf(2, [{ begin: 200, took: 100 }]);
	const { snapshots } = readRequests([{ requests: waits }, { requests: late }], OWN);
	assert.deepEqual(
		snapshots.map((snapshot) => [countOf(snapshot, 'lab_begun'), countOf(snapshot, 'lab_finished')]),
		[
			[2, 1],
			[0, 0],
			[1, 2],
		],
	);
});

test('seconds in which k6 itself stood still are not there; of a script nobody can tell', () => {
	const line = lineOf(0.5, [
		{ begin: 0, took: 100 },
		{ begin: 3700, took: 100 },
	]);
	const secondsIn = (isScript: boolean) => readRequests([{ requests: line }], { from: FROM, isScript }).snapshots.map(({ t }) => t - FROM);
	// From 0.6 to 4.2 it was to send: all of the seconds that end at 2, 3 and 4.
	assert.deepEqual(secondsIn(false), [1, 5]);
	assert.deepEqual(secondsIn(true), [1, 2, 3, 4, 5]);
});

test('seconds before the first end of a request and after the last one are there too', () => {
	const { snapshots } = readRequests([{ requests: lineOf(1.5, [{ begin: 0, took: 1000 }]) }], { ...OWN, to: FROM + 5.2 });
	assert.deepEqual(
		snapshots.map(({ t, metrics }) => [t - FROM, metrics.lab_finished?.count ?? 0]),
		[
			[1, 0],
			[2, 0],
			[3, 1],
			[4, 0],
			[5, 0],
		],
	);
});

test('the warm-up is told apart: its requests, its users and their time without connecting', () => {
	const warm = lineOf(-3, [
		{ begin: 0, took: 30, blocked: 10 },
		{ begin: 50, took: 10 },
	]);
	const { snapshots, totals } = readRequests([{ warm }, { requests: lineOf(0, [{ begin: 0, took: 10 }]) }], OWN);
	const [first] = snapshots;
	assert.equal(first.t, FROM - 2);
	assert.deepEqual([countOf(first, 'http_reqs'), countOf(first, 'lab_finished')], [2, 0]);
	assert.equal(aggregateOf(first, 'http_req_duration', 'max'), 20);
	assert.equal(totals.lab_finished.values.count, 1);
});

test('failures are counted by status, or by k6’s code and what it said, and those that were open at the end besides', () => {
	const requests = lineOf(
		0,
		Array.from({ length: 4 }, (_, index) => ({ begin: index * 100, took: 50, isGood: false })),
	);
	const failed = [
		['1-1', at(0.05), 50, 502, 1502, 'status'],
		['1-2', at(0.15), 50, 502, 1502, 'status'],
		['1-3', at(0.25), 50, 0, 1220, 'reset'],
		['1-4', at(0.35), 50, 0, 1050, 'unanswered'],
	] as Failed[];
	const { snapshots, totals } = readRequests([{ requests, failed }], OWN);
	for (const count of [(name: string) => countOf(snapshots[0], name), (name: string) => totals[name]?.values.count ?? 0])
		assert.deepEqual(
			['lab_failed', 'lab_failed_status_502', 'lab_failed_code_1220', 'lab_failed_kind_reset', 'lab_unanswered', 'lab_failed_status_0'].map(
				count,
			),
			[4, 2, 1, 1, 1, 0],
		);
});

test('of requests that a user has under way together its time counts once', () => {
	const line = lineOf(0, [
		{ begin: 0, took: 300 },
		{ begin: 0, took: 100 },
	]);
	const [snapshot] = readRequests([{ requests: line }], OWN).snapshots;
	assert.equal(Math.round(countOf(snapshot, 'iterations') * Number(aggregateOf(snapshot, 'iteration_duration', 'avg'))), 300);
});

test('an arrival that began late has its users there from when they began', () => {
	const reported = [] as any[];
	eachRequest(lineOf(5, [{ begin: -300, took: 320 }]), (request) => reported.push({ ...request }));
	assert.deepEqual([reported[0].ended, reported[0].from, reported[0].to], [FROM + 5.02, FROM + 5, FROM + 5.02]);
	assert.deepEqual([reported[0].dueFrom, reported[0].dueTo], [FROM + 4.7, FROM + 5]);
});

test('percentiles are k6’s: on the straight line between the two values beside their place', () => {
	const percentile = (share: number) => percentileOf([10, 20, 30, 40], share);
	assert.deepEqual([0, 0.5, 0.95, 1].map(percentile), [10, 25, 38.5, 40]);
	assert.equal(percentileOf([7], 0.99), 7);
});

test('the totals are of all requests of the load, and stand in the summary beside k6’s own figures', () => {
	const line = lineOf(0.9, [
		{ begin: 0, took: 10, thinks: 10 },
		{ begin: 20, took: 30, thinks: 10 },
		{ begin: 200, took: 80, isGood: false },
	]);
	const { totals } = readRequests([{ requests: line }], OWN);
	const { metrics } = withWritten({ metrics: { iterations: { values: { count: 3 } } } as Record<string, any> }, totals);
	assert.deepEqual([metrics.iterations.values.count, metrics.lab_finished.values.count, metrics.lab_ok.values.count], [3, 3, 2]);
	const { count, avg, med, max } = metrics.lab_latency_all.values;
	assert.deepEqual([count, avg, med, max, metrics.lab_latency_ok.values.max], [3, 40, 30, 80, 30]);
	assert.equal(metrics.lab_think_s.values.count, 0.02);
	// A script's own count has what its users thought last, too.
	const own = withWritten({ metrics: { lab_think_s: { values: { count: 5 } } } }, totals);
	assert.equal(own.metrics.lab_think_s.values.count, 5);
});

test('k6’s own count is of the load, and of a script’s the requests that passed through the lab', () => {
	const counted = (count: number) => ({ values: { count } });
	const load = { 'http_req_duration{scenario:load}': counted(90) };
	assert.equal(countedByK6({ metrics: { http_reqs: counted(100), ...load } }), 90);
	assert.equal(countedByK6({ metrics: { ...load, lab_finished: counted(80) } }), 80);
	assert.equal(countedByK6({ metrics: {} }), null);
});

test('what a script writes by itself tells of no requests', () => {
	const numbers = lineOf(0, [{ begin: 0, took: 10 }]);
	const others = [3, [], ['a'], [1, 2, 3, 4, 5, 6, 7], numbers.slice(1), [...numbers.slice(0, 6), null]];
	for (const line of [null, 5, 'requests', {}, { failed: [] }, ...others.map((requests) => ({ requests }))])
		assert.equal(tellsRequests(line), false, JSON.stringify(line));
	for (const line of [{ requests: numbers }, { warm: numbers }]) assert.equal(tellsRequests(line), true);
});

test('requests that ended in a span are counted by their own ends', () => {
	const line = lineOf(0, [
		{ begin: 0, took: 500 },
		{ begin: 510, took: 490.1, isGood: false },
		{ begin: 1100, took: 900 },
	]);
	const spans = [
		{ from: FROM + 0.5, to: FROM + 1.001 },
		{ from: FROM, to: FROM + 0.5 },
		{ from: FROM, to: FROM },
	];
	assert.deepEqual(readRequests([{ requests: line }], { ...OWN, spans }).ended, [
		{ good: 0, failed: 1 },
		{ good: 1, failed: 0 },
		{ good: 0, failed: 0 },
	]);
});

const LOAD_START = String.raw`{"level":"error","msg":"{\"event\":\"start\",\"t\":1795222382.217}","source":"console","time":"2026-11-21T00:53:02Z"}`;
const FAILURE = String.raw`{"level":"error","msg":"{\"t\":1795222395.11,\"code\":1000,\"kind\":\"eof\",\"error\":\"EOF\"}","source":"console"}`;

test('the start of the warm-up is read from the line that the scenario writes', () => {
	const far = LOAD_START.replace('1795222382.217', '1000000000000000');
	assert.equal(parseStart(`${FAILURE}\n${far}\n${LOAD_START}\n`, 1795222380), 1795222382.217);
});

test('a log without that line, or with only the beginning of it, has no start', () => {
	assert.equal(parseStart(''), null);
	assert.equal(parseStart(FAILURE), null);
	assert.equal(parseStart(LOAD_START.slice(0, 60)), null);
});
