import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from './fixtures/record.js';
import { loadFactsOf } from './load-facts.js';

const { manifest } = recordOf();
const requests = Array.from({ length: 32 }, (_, at) => ({ method: 'GET', path: `/${at}`, weight: at === 0 ? 3 : 1 }));

test('a list of URLs is told with its weights, its source and its think time, and how many more there are', () => {
	const { shape } = manifest;
	const found = loadFactsOf({ ...manifest, shape, system: { requests }, target: 'http://web:80/', think_time_s: 0.5 });
	assert.deepEqual(found.requests.slice(0, 2), ['3x GET /0', 'GET /1']);
	assert.deepEqual(
		{ ...found, requests: found.requests.length },
		{
			...{ source: 'list of URLs in doubletake.yaml', entry: 'http://web:80/', think_time_s: 0.5 },
			...{ requests: 30, more: 2 },
		},
	);
	assert.equal(loadFactsOf({ ...manifest, openapi: 'api.yaml', system: { requests } }).source, 'OpenAPI file api.yaml');
});

test('of a script its name is told, and no think time: it has its own', () => {
	const { source, think_time_s: think } = loadFactsOf({ ...manifest, script: 'load.js', think_time_s: 1 });
	assert.deepEqual([source, think], ['k6 script load.js', null]);
});
