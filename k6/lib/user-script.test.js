import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userOptions, userSetup, userSummary, userTeardown } from './user-script.js';

/** @returns {{ lines: any[], say: (line: object) => void }} */
function listener() {
	const lines = /** @type {any[]} */ ([]);
	return { lines, say: (line) => lines.push(line) };
}

/** How often the start was told. */
function teller() {
	const reported = { count: 0 };
	const tell = () => {
		reported.count += 1;
	};
	return { reported, tell };
}

const data = { metrics: { http_reqs: { values: { count: 1 } }, lab_ok: { values: { count: 1 } } }, setup_data: 'token' };

test('the start is told after the script’s setup, whose result is handed on', () => {
	const { reported, tell } = teller();
	const script = { setup: () => ({ token: reported.count }) };
	assert.deepEqual(userSetup(script, tell)(), { token: 0 });
	assert.equal(reported.count, 1);
});

test('a setup that takes its time is waited for', async () => {
	const { reported, tell } = teller();
	const script = { setup: async () => reported.count };
	assert.equal(await userSetup(script, tell)(), 0);
	assert.equal(reported.count, 1);
});

test('a script without setup, or that wants none, still tells the start', () => {
	for (const script of [{}, { options: { noSetup: true }, setup: () => assert.fail('it ran') }]) {
		const { reported, tell } = teller();
		assert.equal(userSetup(script, tell)(), undefined);
		assert.equal(reported.count, 1);
	}
});

test('a setup that fails tells no start', () => {
	const { reported, tell } = teller();
	const script = {
		setup() {
			throw new Error('no token');
		},
	};
	assert.throws(userSetup(script, tell), /no token/);
	assert.equal(reported.count, 0);
});

test('the end of the load is reported before the script’s teardown, which gets what its setup returned', () => {
	const { reported, tell } = teller();
	const script = { teardown: (/** @type {any} */ data) => ({ ...data, reported: reported.count }) };
	assert.deepEqual(userTeardown(script, tell)({ token: 7 }), { token: 7, reported: 1 });
});

test('a script without teardown, or that wants none, still tells the end of the load', () => {
	for (const script of [{}, { options: { noTeardown: true }, teardown: () => assert.fail('it ran') }]) {
		const { reported, tell } = teller();
		assert.equal(userTeardown(script, tell)(undefined), undefined);
		assert.equal(reported.count, 1);
	}
});

test('a script without a summary of its own leaves the lab’s', () => {
	assert.deepEqual(Object.keys(/** @type {any} */ (userSummary({}, '/raw')(data))), ['/raw/k6-summary.json']);
});

test('the script’s summary stays, sees no metric of the lab’s, and cannot change the record', () => {
	const { lines, say } = listener();
	const script = {
		handleSummary(/** @type {any} */ given) {
			const seen = Object.keys(given.metrics).join();
			delete given.metrics.http_reqs;
			return { stdout: seen, 'report.html': 'page' };
		},
	};
	const outputs = /** @type {any} */ (userSummary(script, '/raw', say)(data));
	assert.equal(outputs.stdout, 'http_reqs');
	assert.equal(outputs['/raw/script-report.html'], 'page');
	assert.deepEqual(Object.keys(JSON.parse(outputs['/raw/k6-summary.json']).metrics), ['http_reqs', 'lab_ok']);
	assert.deepEqual(lines, [{ event: 'summary-files', files: { 'report.html': '/raw/script-report.html' } }]);
});

test('a summary that fails, at once or later, does not take the record along', async () => {
	const handlers = [
		() => {
			throw new Error('no template');
		},
		async () => {
			throw new Error('no template');
		},
	];
	for (const handleSummary of handlers) {
		const { lines, say } = listener();
		const outputs = /** @type {any} */ (await userSummary({ handleSummary }, '/raw', say)(data));
		assert.deepEqual(Object.keys(outputs), ['/raw/k6-summary.json']);
		assert.deepEqual(lines, [{ event: 'summary-failed', error: 'Error: no template' }]);
	}
});

test('options are the script’s, with the lab’s beside them', () => {
	assert.equal(userOptions({ options: { vus: 3 } }).vus, 3);
	assert.ok(userOptions({}).thresholds['http_req_duration{scenario:default}']);
});
