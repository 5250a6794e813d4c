/**
 * What the users of the lab's scenarios and of a script of one's own write of their requests, with stubs in the place of k6's modules.
 */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { eachRequest, readRequests } from '../../lab/record/k6-requests.ts';
import { shapes } from './shapes.js';
import './fixtures/k6-modules.js';
import { GIVES_UP, newRetries } from './retries.js';

const BEGAN = 1_800_000_000_000;
/** timeout: that was given with the last request */
const time = { now: BEGAN, timeout: 0 };
Date.now = () => time.now;

/** What the next request comes to, after how many milliseconds. */
const next = { status: 200, error: '', error_code: 0, timings: { blocked: 0.5, duration: 19.5 } };
/** @type {any[]} */
let lines = [];
/** @type {Record<string, number>} */
const counted = {};
/** @type {any} */
const stubs = {
	http: {
		request: (/** @type {string} */ _method, /** @type {string} */ url, /** @type {any} */ _body, /** @type {any} */ { timeout }) => {
			time.now += 20;
			time.timeout = timeout;
			return { ...next, url, request: { url, headers: {} } };
		},
		asyncRequest: async () => next,
		batch: (/** @type {any[]} */ requests) => requests.map(() => ({ ...next, request: { headers: {} } })),
		expectedStatuses: () => ({}),
		setResponseCallback() {},
	},
	exec: {
		scenario: { name: 'load', startTime: BEGAN, iterationInTest: 0, iterationInInstance: 0 },
		test: { options: { scenarios: {} } },
		vu: { idInTest: 1 },
	},
	k6: {
		sleep: (/** @type {number} */ seconds) => {
			time.now += seconds * 1000;
		},
		check: () => true,
	},
	Counter: class {
		/** @param {string} name */
		constructor(name) {
			this.name = name;
		}
		/** @param {number} value */
		add(value) {
			counted[this.name] = (counted[this.name] ?? 0) + value;
		}
	},
};
Object.assign(globalThis, { stubs, __VU: 1, __ITER: 0, __ENV: {} });
console.error = (/** @type {string} */ text) => lines.push(JSON.parse(text));

const { newClient } = await import('./requests.js');
const { newPause } = await import('./pause.js');
const { buffer, flush } = await import('./request-log.js');

const isGood = (/** @type {number} */ status) => status === 200;
/** A closed load of 33 s. @type {import('./shapes.js').Shape} */
const hold = {
	title: '200 users held for 30 s',
	model: 'closed',
	unit: 'users',
	warmup_s: 12,
	stages: [
		{ duration_s: 3, target: 200 },
		{ duration_s: 30, target: 200, held: true },
	],
};

beforeEach(() => {
	lines = [];
	time.now = BEGAN;
	buffer.filled = 3;
	Object.assign(next, { status: 200, error: '', error_code: 0, timings: { blocked: 0.5, duration: 19.5 } });
	stubs.exec.scenario = { name: 'load', startTime: BEGAN, iterationInTest: 0, iterationInInstance: 0 };
});

/** @param {'requests' | 'warm'} [name] @returns {any[]} of all lines */
function reported(name = 'requests') {
	/** @type {any[]} */
	const all = [];
	for (const line of lines) if (line[name]) eachRequest(line[name], (request) => all.push({ ...request }));
	return all;
}

test('a user of a closed load writes every request that it sent, and the last ones each at once', () => {
	const { send } = newClient(hold, isGood, 0.01);
	let requests = 0;
	while (time.now < BEGAN + 33_000) {
		const { thinkS, waitedMs } = send('http://app/');
		requests += 1;
		assert.deepEqual([thinkS, waitedMs], [0.01, 20]);
		stubs.k6.sleep(thinkS);
	}
	assert.equal(buffer.filled, 3);
	const all = reported();
	assert.equal(all.length, requests);
	for (const request of all)
		assert.deepEqual([request.isGood, request.waitedMs, request.blockedMs, request.thoughtMs], [true, 20, 0.5, 10]);
	// Its time is told without a gap.
	for (const [index, { from }] of all.slice(1).entries()) assert.ok(Math.abs(from - all[index].to) < 1e-6);
	// A line a second, but for the last two, and not one for each request.
	assert.ok(lines.filter(({ requests: numbers }) => numbers.length > 7).length <= 31);
});

test('a failed request is in the same line with its id, its status or what k6 said of it', () => {
	const { send } = newClient(hold, isGood);
	send('http://app/');
	next.status = 502;
	assert.equal(send('http://app/').waitedMs, 20);
	Object.assign(next, { status: 0, error: 'read: connection reset by peer', error_code: 1220, timings: { blocked: 0, duration: 0 } });
	assert.equal(send('http://app/').waitedMs, 20);
	next.status = 200;
	time.now = BEGAN + 6000;
	send('http://app/');
	const [said, line] = lines;
	assert.deepEqual([said.kind, said.code], ['reset', 1220]);
	assert.deepEqual(
		reported().map((request) => request.isGood),
		[true, false, false, true],
	);
	assert.deepEqual(line.failed, [
		['1-2', BEGAN + 40, 20, 502, 0, 'status'],
		['1-3', BEGAN + 60, 20, 0, 1220, 'reset'],
	]);
});

test('a connection that was closed as it was opened is none that had been idle', () => {
	const { send } = newClient(hold, isGood);
	for (const connecting of [0.4, 0]) {
		const error = 'http: server closed idle connection';
		Object.assign(next, { status: 0, error, error_code: 1000, timings: { blocked: 0.4, connecting, duration: 0 } });
		send('http://app/');
	}
	next.status = 200;
	time.now = BEGAN + 6000;
	send('http://app/');
	const kinds = lines.flatMap(({ failed = [] }) => failed.map((/** @type {any[]} */ reported) => reported[5]));
	assert.deepEqual(kinds, ['eof', 'server_closed_idle']);
});

test('what is open when the load and its grace end is reported as unanswered', () => {
	const { send } = newClient(hold, isGood);
	time.now = BEGAN + 50_000;
	Object.assign(next, { status: 0, error: 'request timeout', error_code: 1050, timings: { blocked: 0, duration: 0 } });
	send('http://app/');
	assert.equal(lines.find(({ failed }) => failed)?.failed[0][5], 'unanswered');
});

test('each think time of a load that sets it is written, and not much beyond the end of the load', () => {
	const { send } = newClient(shapes.patient({ THINK_TIME_S: '1' }), isGood, newPause('1'));
	const first = send('http://app/').thinkS;
	assert.ok(first >= 0.5 && first <= 1.5);
	time.now = BEGAN + 79_990;
	const last = send('http://app/').thinkS;
	assert.ok(last <= 0.5);
	assert.deepEqual(
		reported().map(({ thoughtMs }) => thoughtMs),
		[first, last].map((seconds) => Math.round(seconds * 10_000) / 10),
	);
});

/** Sends a request, and again until it is answered well or given up. @param {ReturnType<typeof newClient>} client @param {number[]} statuses of the attempts; the last goes on */
function sendAll({ send }, statuses) {
	const left = [...statuses];
	let attempts = 0;
	let sent;
	do {
		next.status = left.length > 1 ? Number(left.shift()) : left[0];
		sent = send('http://app/');
		attempts += 1;
		stubs.k6.sleep(sent.againMs === GIVES_UP ? sent.thinkS : sent.againMs / 1000);
	} while (sent.againMs !== GIVES_UP);
	return attempts;
}

for (const [model, shape] of /** @type {const} */ ([
	['closed', hold],
	['open', shapes.steady({})],
])) {
	test(`what is tried again is one request of several attempts, whichever line they are in: ${model}`, () => {
		const policy = { retries: 2, backoffMs: 100, budget: null, retryAfter: false };
		const client = newClient(shape, isGood, 0.01, { retries: newRetries(policy, () => 0.5) });
		time.now = BEGAN + 1000;
		const attempts = [[200], [500, 200], [500], [200]].map((statuses) => sendAll(client, statuses));
		assert.deepEqual(attempts, [1, 2, 3, 1]);
		if (buffer.filled > 3) flush();
		const written = lines.filter(({ requests }) => requests);
		const { totals } = readRequests(written, { from: BEGAN / 1000, isScript: false });
		const counts = ['lab_finished', 'lab_ok', 'lab_requests', 'lab_gave_up'].map((metric) => totals[metric].values.count);
		assert.deepEqual(counts, [7, 3, 4, 1]);
		// Two at the first attempt; one after 20 ms, half of 100 ms, and 20 ms.
		const { count, max, min } = totals.lab_latency_request_ok.values;
		assert.equal(count, 3);
		if (model === 'closed') assert.deepEqual([min, max], [20, 90]);
		assert.deepEqual(
			reported().map(({ isTriedAgain, isFurther }) => [isTriedAgain, isFurther]),
			[
				[false, false],
				[true, false],
				[false, true],
				[true, false],
				[true, true],
				[false, true],
				[false, false],
			],
		);
	});
}

test('nothing is tried again when the load is over', () => {
	const client = newClient(hold, isGood, 0.01, {
		retries: newRetries({ retries: 5, backoffMs: 0, budget: null, retryAfter: false }, () => 0.5),
	});
	time.now = BEGAN + 32_970;
	assert.equal(sendAll(client, [500]), 2);
});

test('a user waits for an answer as long as it is told to', () => {
	const { send } = newClient(hold, isGood, 0, { timeoutMs: 3000 });
	const timeouts = [BEGAN + 10, BEGAN + 58_500].map((now) => {
		time.now = now;
		send('http://app/');
		return time.timeout;
	});
	assert.deepEqual(timeouts, [3000, 1500]);
});

test('requests of the warm-up are told apart, and those that are left are written with the load’s first', () => {
	const { warm, send } = newClient(hold, isGood);
	warm('http://app/');
	warm('http://app/');
	assert.equal(lines.length, 0);
	stubs.exec.scenario = { name: 'load', startTime: BEGAN + 15_000, iterationInTest: 0, iterationInInstance: 0 };
	time.now = BEGAN + 15_000;
	send('http://app/');
	assert.deepEqual([reported('warm').length, reported().length], [2, 0]);
});

test('in an open load each request is written at once, with what it began late, and the time between arrivals is nobody’s', () => {
	const { send } = newClient(shapes.calm({}), isGood);
	Object.assign(stubs.exec.scenario, { iterationInTest: 29, iterationInInstance: 29 });
	time.now = BEGAN + 1300;
	// The 30th arrival is due after one second.
	assert.equal(Math.round(send('http://app/').waitedMs), 320);
	time.now = BEGAN + 3000;
	send('http://app/');
	const [request] = reported();
	assert.equal(reported().length, 2);
	assert.deepEqual([request.waitedMs, Math.round((request.to - request.from) * 1000)], [320, 20]);
});

test('an arrival after others were dropped is not late by those', () => {
	const { send } = newClient(shapes.calm({}), isGood);
	const lateAt = (/** @type {number} */ second, /** @type {number} */ index) => {
		Object.assign(stubs.exec.scenario, { iterationInTest: index, iterationInInstance: index });
		time.now = BEGAN + second * 1000;
		return Math.round(send('http://app/').waitedMs) - 20;
	};
	assert.equal(lateAt(1.1, 29), 100, 'due after a second');
	// For ten seconds all users are busy, and arrivals are dropped, which get no numbers.
	assert.equal(lateAt(11.1, 30), 10_080, 'free since 1.12 s: it may have been due then');
	assert.equal(lateAt(11.15, 31), 130, 'free for 30 ms, and as late as its earliest was');
});

test('requests of a script of one’s own are counted and written, each at once where it has a rate or shares iterations', async () => {
	stubs.exec.test.options.scenarios = {
		load: { executor: 'constant-vus', duration: '60s' },
		shared: { executor: 'shared-iterations', iterations: 5 },
	};
	await import('./user-http.js');
	const { default: own } = await import('./user-k6.js');
	const { get, batch } = stubs.http;
	get('http://app/');
	own.sleep(0.5);
	next.status = 503;
	get('http://app/');
	// Whether all of it fails is to be known before there is a line of requests.
	assert.deepEqual(
		lines.map(({ event }) => event),
		['first-good', 'first-failed'],
	);
	lines = [];
	assert.deepEqual([counted.lab_finished, counted.lab_think_s], [2, 0.5]);
	// It may not come back from this sleep.
	own.sleep(59);
	assert.deepEqual(
		reported().map((request) => [request.isGood, request.thoughtMs]),
		[
			[true, 500],
			[false, 59_000],
		],
	);
	assert.equal(lines[0].failed[0][3], 503);
	stubs.exec.scenario = { name: 'shared', startTime: time.now, iterationInTest: 0, iterationInInstance: 0 };
	Object.assign(globalThis, { __ENV: {} });
	next.status = 200;
	lines = [];
	get('http://app/');
	batch(['http://app/1', 'http://app/2']);
	assert.deepEqual([lines.length, counted.lab_finished], [3, 5]);
});

test('a request of a script that got no answer is written as failed', () => {
	const { http } = stubs;
	Object.assign(globalThis, { __ENV: {} });
	stubs.exec.scenario = { name: 'load', startTime: BEGAN, iterationInTest: 0, iterationInInstance: 0 };
	next.status = 0;
	Object.assign(next, { error: 'dial: i/o timeout', error_code: 1211 });
	http.get('http://app/');
	time.now = BEGAN + 58_500;
	http.get('http://app/');
	assert.deepEqual(
		reported().map((request) => request.isGood),
		[false, false],
	);
});

test('what a script begins when the time for answers is over is none of the load, whatever becomes of it', () => {
	const { http } = stubs;
	Object.assign(globalThis, { __ENV: {} });
	stubs.exec.scenario = { name: 'load', startTime: BEGAN, iterationInTest: 0, iterationInInstance: 0 };
	Object.assign(next, { status: 0, error: 'request timeout', error_code: 1050 });
	const before = counted.lab_finished;
	// 60 s of load, and 3 s before the 30 s of grace are over.
	time.now = BEGAN + 86_000;
	http.get('http://app/');
	assert.equal(counted.lab_finished, before + 1);
	assert.equal(lines.find(({ failed }) => failed)?.failed[0][5], 'unanswered');
	lines = [];
	time.now = BEGAN + 87_000;
	http.get('http://app/');
	http.batch(['http://app/1']);
	assert.deepEqual([counted.lab_finished, lines], [before + 1, []]);
});
