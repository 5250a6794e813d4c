/**
 * The load of a list without the lab, beside the one with it: what k6 is asked to send, and how long users think, with stubs in the place
 * of k6's modules.
 */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import '../lib/fixtures/k6-modules.js';

const BEGAN = 1_800_000_000_000;
const ID = 'X-Request-Id';
const LIST = JSON.stringify([
	{ method: 'GET', path: '/', weight: 3, given: ['Authorization'] },
	{ method: 'POST', path: '/orders', headers: { 'Content-Type': 'application/json' }, body: '{"item":7,"ref":"{{request_id}}"}' },
]);
const time = { now: BEGAN };
Date.now = () => time.now;
console.error = () => {};

/** @type {{ method: string, url: string, body: string | null, headers: Record<string, string>, thoughtS?: number }[]} */
let sent = [];

/** @type {(method: string, url: string, body: string | null, params: { headers: Record<string, string> }) => object} */
function request(method, url, body, { headers }) {
	time.now += 20;
	sent.push({ method, url, body, headers: { ...headers } });
	return { status: 200, timings: { blocked: 0.5, duration: 19.5 } };
}

const stubs = {
	http: { request },
	exec: { scenario: { name: 'load', startTime: BEGAN, iterationInTest: 0 }, vu: { idInTest: 1 } },
	k6: {
		sleep: (/** @type {number} */ seconds) => {
			time.now += seconds * 1000;
			sent[sent.length - 1].thoughtS = seconds;
		},
		check: () => true,
	},
	Counter: class {
		add() {}
	},
};
const environment = {
	...{ TARGET: 'http://web:8000/shop/', SHAPE: 'brief', USERS: '20', THINK_TIME_S: '1', SEED: '7' },
	...{ REQUESTS_FILE: '/requests.json', REQUEST_HEADERS: '{"Authorization":"Bearer x"}', RECORD_FOLDER: '/raw' },
	REQUEST_MARK: 'a1b2c3d4e5f6',
};
Object.assign(globalThis, { stubs, __VU: 3, __ITER: 0, __ENV: environment, open: () => LIST });

const plain = await import('./plain-requests.js');
const lab = await import('./requests.js');

beforeEach(() => {
	sent = [];
});

/**
 * What a user does in 30 iterations, which is beyond the end of the load.
 * @param {() => void} iterate
 */
function done(iterate) {
	sent = [];
	time.now = BEGAN;
	for (let iteration = 0; iteration < 30; iteration += 1) {
		Object.assign(globalThis, { __ITER: iteration });
		iterate();
	}
	return sent;
}

/** Each id to be stored is another; without them. @param {typeof sent} all */
function storing(all) {
	const bodies = all.flatMap(({ body }) => body ?? []);
	assert.equal(new Set(bodies).size, bodies.length);
	return all.map((one) => ({ ...one, body: one.body?.replace(/"a1b2c3d4-e5f6-4[0-9a-f-]{21}"/, '…') }));
}

for (const name of /** @type {const} */ (['load', 'warmup'])) {
	test(`a user of the ${name} sends what it sends with the lab, with no id but those that are to be stored, and thinks as long`, () => {
		const bare = storing(done(plain[name]));
		assert.ok(bare.every(({ headers }) => !(ID in headers)));
		assert.equal(new Set(bare.map(({ method }) => method)).size, 2);
		const withIds = storing(done(lab[name]));
		assert.ok(withIds.every(({ headers }) => headers[ID]));
		for (const { headers } of withIds) delete headers[ID];
		assert.deepEqual(bare, withIds);
		assert.equal(bare[0].url, `http://web:8000/shop${bare[0].method === 'GET' ? '/' : '/orders'}`);
	});
}

test('users come and go as with the lab, and k6 counts the load apart, with no more than its own metrics and tags', () => {
	assert.deepEqual(plain.options.scenarios, lab.options.scenarios);
	assert.deepEqual(
		[plain.options.maxRedirects, plain.options.insecureSkipTLSVerify],
		[lab.options.maxRedirects, lab.options.insecureSkipTLSVerify],
	);
	assert.deepEqual(Object.keys(plain.options.thresholds), ['http_reqs{scenario:load}', 'http_req_failed{scenario:load}']);
	assert.equal('systemTags' in plain.options, false);
	assert.equal('setup' in plain, false);
});

test('its summary is what k6 counted', () => {
	assert.deepEqual(plain.handleSummary({ metrics: {} }), { '/raw/k6-summary.json': '{"metrics":{}}' });
});
