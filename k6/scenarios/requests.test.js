/**
 * What the users of a list do when an answer is bad, with stubs in the place of k6's modules.
 */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import '../lib/fixtures/k6-modules.js';
import { storedId } from '../lib/stored-id.js';

const BEGAN = 1_800_000_000_000;
const time = { now: BEGAN };
Date.now = () => time.now;
/** @type {string[]} */
const said = [];
console.error = (/** @type {string} */ text) => said.push(text.trim());

/** @type {{ status: number, headers: Record<string, string> }[]} */
let answers = [];
/** @type {{ url: string, id: string, timeout: number, body: string | null, key: string }[]} */
let sent = [];
/** @type {number[]} */
let slept = [];

const stubs = {
	http: {
		/** @type {(method: string, url: string, body: string | null, params: { headers: Record<string, string>, timeout: number }) => object} */
		request: (_method, url, body, { headers, timeout }) => {
			time.now += 20;
			sent.push({ url, id: headers['X-Request-Id'], timeout, body, key: headers['Idempotency-Key'] });
			return { ...(answers.shift() ?? { status: 200, headers: {} }), error_code: 0, timings: { blocked: 0.5, duration: 19.5 } };
		},
	},
	exec: { scenario: { name: 'load', startTime: BEGAN, iterationInTest: 0, iterationInInstance: 0 }, vu: { idInTest: 1 } },
	k6: {
		sleep: (/** @type {number} */ seconds) => {
			slept.push(seconds);
			time.now += seconds * 1000;
		},
		check: () => true,
	},
	Counter: class {
		add() {}
	},
};
const MARK = 'a1b2c3d4e5f6';
const ORDER = { method: 'POST', path: '/', body: '{"ref":"{{request_id}}"}', given: ['Idempotency-Key'] };
const environment = {
	...{ TARGET: 'http://web:8000/', SHAPE: 'constant', RATE: '50', USERS: '20', THINK_TIME_S: '0.5', SEED: '7', START_BEAT_S: '5' },
	...{ TIMEOUT: '900', RETRIES: '2', BACKOFF: '', RETRY_BUDGET: '', RETRY_AFTER: '1' },
	...{ REQUESTS: JSON.stringify([ORDER]), REQUEST_HEADERS: '{"Idempotency-Key":"{{request_id}}"}', RECORD_FOLDER: '/raw' },
	...{ REQUEST_MARK: MARK, INTEGRITY: '1' },
};
Object.assign(globalThis, { stubs, __VU: 1, __ITER: 0, __ENV: environment });

const { load, options, setup, warmup } = await import('./requests.js');

beforeEach(() => {
	time.now = BEGAN;
	answers = [];
	sent = [];
	slept = [];
	said.length = 0;
});

test('what failed is asked again as often and as late as the user may, each time by an id of its own', () => {
	answers = [
		{ status: 503, headers: { 'Retry-After': '2' } },
		{ status: 502, headers: {} },
		{ status: 500, headers: {} },
	];
	load();
	assert.deepEqual(slept, [2, 0]);
	assert.equal(new Set(sent.map(({ id }) => id)).size, 3);
	assert.deepEqual(
		sent.map(({ timeout }) => timeout),
		[900, 900, 900],
	);
});

test('what was answered well is not', () => {
	load();
	assert.deepEqual([sent.length, slept], [1, [0]]);
});

/** Of the requests that were written down as answered well. */
const acknowledged = () => said.flatMap((line) => JSON.parse(line).acknowledged ?? []);

test('attempts of a request have one id to be stored, and what was answered well in the end is written down by the first', () => {
	answers = [
		{ status: 503, headers: {} },
		{ status: 200, headers: {} },
	];
	load();
	const [first, second] = sent;
	assert.notEqual(first.id, second.id);
	const id = storedId(MARK, 'load', 1, Number(first.id.split('-')[1]));
	for (const { body, key } of sent) assert.deepEqual([body, key], [`{"ref":"${id}"}`, id]);
	assert.deepEqual(acknowledged(), [first.id]);
});

test('the next request has another, and what failed in the end is not written down as answered well', () => {
	load();
	answers = [503, 503, 503].map((status) => ({ status, headers: {} }));
	load();
	assert.equal(new Set(sent.map(({ body }) => body)).size, 2);
	assert.deepEqual(acknowledged(), [sent[0].id]);
});

test('what the warm-up sends has ids of its own, and nobody writes them down', () => {
	warmup();
	const [{ id, key }] = sent;
	assert.equal(key, storedId(MARK, 'warmup', 1, Number(id.split('-')[1])));
	assert.deepEqual(acknowledged(), []);
});

test('users of the warm-up think, so that they ask for less than the load', () => {
	warmup();
	assert.ok(slept[0] >= 0.25 && slept[0] <= 0.75, String(slept));
});

test('requests arrive at the rate, and users are ready on the beat that the other generators begin on too', () => {
	assert.deepEqual([options.scenarios.load.executor, options.scenarios.load.stages.at(-1)?.target], ['ramping-arrival-rate', 50]);
	setup();
	assert.deepEqual(slept, [5]);
	assert.deepEqual(
		said.map((line) => JSON.parse(line).event),
		['waited', 'start'],
	);
});
