import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { healthMessages, limitsOf, readAdmin, STATS_FILTER } from './admin.ts';

const stats = readFileSync(new URL('./fixtures/stats.json', import.meta.url), 'utf8');
const clusters = readFileSync(new URL('./fixtures/clusters.txt', import.meta.url), 'utf8');

function sample(t: number, clusterText: string = clusters, statsText: string = stats) {
	const admin = readAdmin(statsText, clusterText);
	assert.ok(admin);
	return { t, ...admin };
}

test('the circuit breakers’ sizes and the hosts’ health are read, the lab’s own cluster left out', () => {
	assert.deepEqual(sample(0).clusters, {
		app: {
			sizes: { max_connections: 1024, max_pending_requests: 1024, max_requests: 1024, max_retries: 3 },
			health: { '172.18.0.4:3000': 'healthy', '172.18.0.5:3000': 'healthy' },
		},
	});
});

test('of the numbers those of clusters are kept, the lab’s own left out', () => {
	const names = Object.keys(sample(0).stats);
	assert.ok(names.includes('cluster.api.v1.upstream_rq_active'));
	assert.ok(!names.some((name) => name.includes('doubletake') || !name.startsWith('cluster.')));
});

test('the filter that Envoy is asked with lets through what is kept, and no more', () => {
	const filter = new RegExp(STATS_FILTER);
	for (const name of Object.keys(sample(0).stats)) assert.match(name, filter);
	assert.doesNotMatch('cluster.app.upstream_cx_total', filter);
});

test('limits are the circuit breakers of each cluster with what was used of them', () => {
	assert.deepEqual(
		limitsOf([sample(1), sample(2, clusters, stats.replace('_pending_active","value":2', '_pending_active","value":1024'))]),
		[
			{
				resource: 'connections to cluster app',
				size: 1024,
				used: [
					{ t: 1, used: 12 },
					{ t: 2, used: 12 },
				],
			},
			{
				resource: 'requests that wait for a connection to cluster app',
				size: 1024,
				used: [
					{ t: 1, used: 2 },
					{ t: 2, used: 1024 },
				],
			},
			{
				resource: 'requests to cluster app',
				size: 1024,
				used: [
					{ t: 1, used: 9 },
					{ t: 2, used: 9 },
				],
			},
		],
	);
});

test('a host that is left out between two samples, and taken in again, is reported with its service', () => {
	const out = clusters.replace('172.18.0.5:3000::health_flags::healthy', '172.18.0.5:3000::health_flags::/failed_outlier_check');
	const messages = healthMessages([sample(1), sample(2, out), sample(3, out), sample(4)], new Map([['172.18.0.5', 'app-2']]));
	assert.deepEqual(messages, [
		{ signal: 'ejected', t: 2, text: 'app::172.18.0.5:3000::health_flags::/failed_outlier_check', to: 'app-2' },
		{ signal: 'reinstated', t: 4, text: 'app::172.18.0.5:3000::health_flags::healthy', to: 'app-2' },
	]);
});

test('a host that is new or gone is neither', () => {
	const fewer = clusters.replace(/^app::172\.18\.0\.5.*\n/gm, '');
	assert.deepEqual(healthMessages([sample(1, fewer), sample(2), sample(3, fewer)], new Map()), []);
});

test('half an answer, or one of two, is none', () => {
	assert.deepEqual([readAdmin(null, clusters), readAdmin(stats, null), readAdmin(stats.slice(0, 90), clusters)], [null, null, null]);
	assert.deepEqual([limitsOf([]), healthMessages([], new Map())], [[], []]);
});
