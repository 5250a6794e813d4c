import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf, redirected, withoutOurs } from './user-summary.js';

const data = {
	metrics: { http_reqs: { values: { count: 3 } }, lab_ok: { values: { count: 3 } }, 'http_req_duration{scenario:default}': { values: {} } },
	root_group: { checks: [] },
	setup_data: { token: 'secret' },
};

test('the record has every figure, and nothing that setup handed on', () => {
	const record = JSON.parse(recordOf(data));
	assert.deepEqual(Object.keys(record), ['metrics', 'root_group']);
	assert.equal(record.metrics.lab_ok.values.count, 3);
	assert.equal(data.setup_data.token, 'secret');
});

test('the script sees its own figures, as if the lab were not there', () => {
	const seen = withoutOurs(data, ['http_req_duration{scenario:default}']);
	assert.deepEqual(Object.keys(seen.metrics), ['http_reqs']);
	assert.deepEqual(seen.setup_data, { token: 'secret' });
});

test('what the script writes to files goes to the record, and what it prints is printed', () => {
	const { outputs, files } = redirected({ stdout: 'text', './out/summary.html': '<html>', '/tmp/all.json': '{}' }, '/raw');
	assert.deepEqual(outputs, { stdout: 'text', '/raw/script-out-summary.html': '<html>', '/raw/script-tmp-all.json': '{}' });
	assert.deepEqual(files, { './out/summary.html': '/raw/script-out-summary.html', '/tmp/all.json': '/raw/script-tmp-all.json' });
});

test('a script that returns nothing adds nothing', () => {
	for (const outputs of [undefined, null, {}]) assert.deepEqual(redirected(outputs, '/raw'), { outputs: {}, files: {} });
});
