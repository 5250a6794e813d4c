/**
 * What the record keeps of a log has nothing that a user said, and what adapters read of it is the same.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Adapter } from './contract.ts';
import { aboutOf, filesOf, line } from './fixtures/hop-files.ts';
import { withoutContent } from './log-content.ts';
import { everyAdapter } from './registry.ts';

const STAMP = /^\S+Z /;
const NGINX = [
	'172.18.0.9 - canary [21/Nov/2026:20:00:01 +0000] "GET /things/7?pin=canary HTTP/1.1" 502 157 "http://canary.example/x" "canary"',
	'2026/11/21 20:00:01 [error] 7#7: *3 connect() failed (111: Connection refused) while connecting to upstream, client: 172.18.0.9, server: , request: "GET /things?pin=canary HTTP/1.1", upstream: "http://172.18.0.4:3000/things?pin=canary", host: "canary", referrer: "http://a/?canary"',
	'2026/11/21 20:00:02 [error] 7#7: *4 no live upstreams while connecting to upstream, client: 172.18.0.9, server: , request: "GET /things?pin=canary HTTP/1.1", upstream: "http://app/things?pin=canary", host: "edge"',
	'doubletake1 {"t":1795291201.5,"id":"1-1","status":200,"request_s":0.1,"connection":5,"upstream":"172.18.0.4:3000","upstream_status":"200","connect_s":"0.001","upstream_s":"0.099","error":"","completion":"OK"}',
];

/** As the record is written. */
const redacted = ({ redact = (text) => withoutContent(text) }: Adapter, log: string) =>
	log.replace(/^.*$/gm, (text) => {
		const stamp = STAMP.exec(text)?.[0] ?? '';
		return stamp + redact(text.slice(stamp.length));
	});

function logsOf(product: string) {
	if (product === 'nginx')
		return [
			NGINX.map((text) => line(1, text)).join(''),
			NGINX.slice(0, -1)
				.map((text) => line(1, text))
				.join(''),
		];
	const folder = new URL(`./${product}/fixtures/`, import.meta.url);
	return readdirSync(folder)
		.filter((name) => name.endsWith('.log'))
		.map((name) => readFileSync(new URL(name, folder), 'utf8'));
}

/** But for the lines that are quoted. */
const facts = (record: unknown) =>
	JSON.parse(JSON.stringify(record, (key, value) => (key === 'text' || key === 'line' ? undefined : value)));

for (const product of ['nginx', 'haproxy', 'envoy', 'caddy', 'opaque', 'pgbouncer', 'redis', 'postgres', 'mongo'])
	test(`what is read of the log of ${product} is the same as before it was redacted`, () => {
		const adapter = everyAdapter.find((one) => one.product === product);
		assert.ok(adapter);
		for (const log of logsOf(product))
			for (const level of [1, 2] as const) {
				const about = aboutOf({ level, service: 'edge', tier: 'load-balancer' });
				assert.deepEqual(facts(adapter.read(filesOf(redacted(adapter, log)), about)), facts(adapter.read(filesOf(log), about)));
				assert.doesNotMatch(redacted(adapter, log), /canary|hunter2/);
			}
	});

test('captured cookies and headers of a proxy are not kept, but for an id', () => {
	const [haproxy] = everyAdapter.filter(({ product }) => product === 'haproxy');
	const logged =
		'172.18.0.9:41000 [21/Nov/2026:20:00:01.000] web app/app-1 0/0/1/120/124 200 431 session=canary - ---- 12/12/8/4/0 0/0 {1-1|canary|} {canary} "GET /things/9?pin=canary HTTP/1.1"';
	assert.equal(
		haproxy.redact?.(logged),
		'172.18.0.9:41000 [21/Nov/2026:20:00:01.000] web app/app-1 0/0/1/120/124 200 431 - - ---- 12/12/8/4/0 0/0 {1-1|?|} {?} "GET /things/:n HTTP/1.1"',
	);
	const [caddy] = everyAdapter.filter(({ product }) => product === 'caddy');
	const entry = {
		level: 'info',
		ts: 1795291201.12,
		logger: 'http.log.access',
		msg: 'handled request',
		request: {
			method: 'GET',
			host: 'canary',
			uri: '/a?b=canary',
			headers: { 'X-Secret': ['canary'], 'X-Request-Id': ['1-1'], Referer: ['http://canary/'] },
		},
		user_id: 'canary',
		duration: 0.124,
		status: 200,
	};
	const kept = caddy.redact?.(JSON.stringify(entry)) ?? '';
	assert.doesNotMatch(kept, /canary/);
	assert.match(kept, /"uri":"\/a".*"X-Request-Id":\["1-1"\].*"duration":0\.124/);
});
