import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from './fixtures/record.ts';
import { loadFactsOf } from './load-facts.ts';

test('a load is told with its source, its think time and its requests; a script has its own', () => {
	const { manifest } = recordOf();
	const requests = Array.from({ length: 32 }, (_, at) => ({ method: 'GET', path: `/${at}`, weight: at === 0 ? 3 : 1 }));
	const listed = loadFactsOf({ ...manifest, system: { requests }, think_time_s: 0.5 });
	assert.deepEqual([listed.source, listed.think_time_s], ['list of URLs in doubletake.yaml', 0.5]);
	assert.deepEqual([...listed.requests.slice(0, 2), listed.requests.at(-1)], ['3x GET /0', 'GET /1', '2 more']);
	assert.equal(loadFactsOf({ ...manifest, openapi: 'api.yaml', system: { requests } }).source, 'OpenAPI file api.yaml');
	assert.deepEqual(loadFactsOf({ ...manifest, script: 'load.js', think_time_s: 1 }), {
		...{ source: 'k6 script load.js', think_time_s: null, requests: [] },
	});
});
