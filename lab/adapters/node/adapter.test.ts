import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';

test('images and commands say that a service is Node', () => {
	for (const image of [
		'node',
		'node:24-alpine',
		'bitnami/node:20',
		'registry.redhat.io/ubi9/nodejs-20:1',
		'gcr.io/distroless/nodejs22-debian12',
	])
		assert.deepEqual(adapter.detect(serviceModel({ image })), { tier: 'app', reason: `image ${image}` });
	for (const [command, program] of [
		['node dist/main.js', 'node'],
		['npm start', 'npm'],
		['docker-entrypoint.sh node server.js', 'node'],
		['pm2-runtime ecosystem.config.js', 'pm2-runtime'],
		['tini -- node app.js', 'node'],
	] as const)
		assert.equal(adapter.detect(serviceModel({ image: 'acme/api:3', command: command.split(' ') }))?.reason, `command ${program}`);
});

test('what only has a name like it, and what only waits in its image, is not it', () => {
	for (const image of ['prom/node-exporter', 'quay.io/prometheus/node-exporter:v1', 'acme/node-red-flows', ''])
		assert.equal(adapter.detect(serviceModel({ image, ports: [3000] })), null, image);
	assert.equal(adapter.detect(serviceModel({ image: 'node:24', command: ['sleep', 'infinity'] })), null);
});

test('the preload is level 3, and says that it needs consent', () => {
	const watches = adapter.watches(serviceModel({ image: 'node:24' }));
	assert.deepEqual(
		watches.map(({ level }) => level),
		[0, 1, 3],
	);
	assert.match(String(watches[2].needs), /consent/);
	for (const level of [0, 1, 2] as const) assert.deepEqual(adapter.overlay(serviceModel({ image: 'node:24' }), level), {});
});

test('the option that loads it comes after what the service has, and its modules are mounted read-only', () => {
	const loads = '--import=file:///doubletake/preload/preload.mjs';
	const overlay = (environment: Record<string, string>) => adapter.overlay(serviceModel({ image: 'node:24', environment }), 3);
	assert.deepEqual(overlay({}).environment, { NODE_OPTIONS: loads });
	assert.deepEqual(overlay({ NODE_OPTIONS: '' }).environment, { NODE_OPTIONS: loads });
	assert.deepEqual(overlay({ NODE_OPTIONS: '-r dd-trace/init', SECRET: 'x' }).environment, { NODE_OPTIONS: `-r dd-trace/init ${loads}` });
	const [modules, record] = overlay({}).mounts ?? [];
	assert.ok(existsSync(join(modules.source, 'preload.mjs')));
	assert.deepEqual([modules.target, modules.readOnly], ['/doubletake/preload', true]);
	assert.deepEqual(record, { source: 'raw:', target: '/doubletake/record', readOnly: false });
});

test('its version is read', () => {
	assert.equal(adapter.version?.pattern.exec('v24.21.0\n')?.[1], '24.21.0');
});
