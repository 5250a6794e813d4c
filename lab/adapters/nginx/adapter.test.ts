import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ServiceModel } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';
import { configuration } from './config.ts';

const faultsOf = (service: ServiceModel) => adapter.faults?.(service) ?? [];

test('a service is Nginx by its image or its command', () => {
	for (const image of ['nginx:1.27-alpine', 'docker.io/library/nginx', 'nginxinc/nginx-unprivileged:stable'])
		assert.deepEqual(adapter.detect(serviceModel({ image })), { tier: 'load-balancer', reason: `image ${image}` });
	const built = serviceModel({ command: ['nginx', '-g', 'daemon off;'] });
	assert.deepEqual(adapter.detect(built), { tier: 'load-balancer', reason: 'command nginx -g' });
	for (const image of ['nginx/nginx-prometheus-exporter', 'shop/nginx-config']) assert.equal(adapter.detect(serviceModel({ image })), null);
});

test('at level 2 the changed copy lies over its configuration', () => {
	const service = serviceModel({ image: 'nginx' });
	assert.deepEqual(adapter.overlay(service, 2), {
		mounts: [{ source: 'raw:nginx.conf', target: '/etc/nginx/nginx.conf', readOnly: true }],
	});
});

test('its version is what it says of itself', () => {
	assert.equal(adapter.version?.pattern.exec('nginx version: nginx/1.22.1')?.[1], '1.22.1');
});

test('the lab is given what it lays over', () => {
	assert.equal(adapter.configuration?.name, 'nginx.conf');
});

const EDGE = readFileSync(new URL('../../../test/own/edge.conf', import.meta.url), 'utf8');

/** The configuration with the fault in it. */
const withSmallTable = (text: string) => faultsOf(serviceModel())[0].change?.changed(text);

/** Directives, in their order. */
const valuesOf = (text: string | null | undefined, name: string) =>
	[...String(text).matchAll(new RegExp(`\\b${name}\\s+([^;]+);`, 'g'))].map(([, value]) => value);

test('one worker has a small table, whatever the configuration said of both', () => {
	for (const text of [
		EDGE,
		'worker_processes auto;\nevents {\n    multi_accept on;\n    worker_connections 1024;\n}\nhttp {}\n',
		'events {}\n',
	]) {
		assert.deepEqual(valuesOf(withSmallTable(text), 'worker_processes'), ['1']);
		assert.deepEqual(valuesOf(withSmallTable(text), 'worker_connections'), ['16']);
	}
	assert.match(String(withSmallTable('events {\n    multi_accept on;\n}\n')), /events \{ worker_connections 16;\n {4}multi_accept on;\n\}/);
});

test('a text that is included by another has no table', () => {
	assert.equal(withSmallTable('server { listen 80; }\n'), null);
});

test('the changed file is still one over which the lab lays its own log', () => {
	assert.match(configuration.overlaid(String(withSmallTable(EDGE))).text, /worker_connections 16;[\s\S]*log_format doubletake1/);
});

test('the file is the one that the command names', () => {
	const [{ change }] = faultsOf(serviceModel({ command: ['nginx', '-g', 'daemon off;', '-c', '/etc/nginx/edge.conf'] }));
	assert.equal(change?.path, '/etc/nginx/edge.conf');
});
