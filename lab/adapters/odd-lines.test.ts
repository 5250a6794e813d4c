/** Lines that the fuzzer found (test/fuzz), or that are like them: a program may write what looks like a product's own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutOf, line } from './fixtures/hop-files.ts';
import { adapterOf } from './registry.ts';

type Odd = { product: string; log?: string; files?: Record<string, string>; level?: 1 | 2 | 3 };

const ODD: Record<string, Odd> = {
	'attempts of Envoy that no array has room for': {
		product: 'envoy',
		log: line(
			1,
			'{"log":"doubletake1","start_time":"2026-11-21T20:00:01.000Z","duration":4,"response_code":503,"upstream_request_attempt_count":1e300}',
		),
	},
	'attempts of Envoy that are no whole number': {
		product: 'envoy',
		log: line(
			1,
			'{"log":"doubletake1","start_time":"2026-11-21T20:00:01.000Z","duration":4,"response_code":503,"upstream_request_attempt_count":0.5}',
		),
	},
	'retries of HAProxy that no array has room for': {
		product: 'haproxy',
		log: line(
			1,
			'10.0.0.1:1 [21/Nov/2026:20:00:01.000] in out/s1 0/0/1/2/3 200 120 - - ---- 1/1/0/0/99999999999999999999 0/0 "GET / HTTP/1.1"',
		),
	},
	'an access line of Nginx without its texts': {
		product: 'nginx',
		level: 2,
		log: line(1, 'doubletake1 {"t":1795291201,"status":502,"request_s":0.1,"connection":7}'),
	},
	'a row of a Node process without its counts, and one without a time': {
		product: 'node',
		level: 3,
		files: { 'process-1.ndjson': '{"t":1795291201,"event":"start"}\n{"received":1}\n{"t":1795291202,"answered":null,"ok_ms":null}\n' },
	},
};

for (const [name, { product, log = '', files = {}, level = 2 }] of Object.entries(ODD))
	test(`${name} is no error`, () => {
		const read = adapterOf(product)?.read(
			{ log, samples: [], file: (file) => files[file] ?? '' },
			aboutOf({ level, tier: 'load-balancer' }),
		);
		assert.equal(read?.product, product);
		for (const { asked } of read.requestRecords) assert.ok(asked.length <= 1000);
	});
