import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceModel } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';

const service = (more?: Partial<ServiceModel>) => serviceModel({ service: 'edge', image: 'caddy:2.6-alpine', ...more });

test('Caddy is detected by its image and by its command, and nothing else is', () => {
	for (const image of ['caddy', 'library/caddy:2', 'docker.io/library/caddy:2.6'])
		assert.equal(adapter.detect(service({ image }))?.tier, 'load-balancer', image);
	assert.ok(adapter.detect(service({ image: '', command: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile'] })));
	for (const image of ['', 'nginx', 'someone/caddy-exporter']) assert.equal(adapter.detect(service({ image })), null, image);
	assert.equal(adapter.detect(service({ image: '', command: ['caddy', 'fmt'] })), null);
});

test('Caddy under another name is detected by where its configuration lies', () => {
	const at = (path: string) => adapter.detect(service({ image: 'mirror/edge:1', ports: [80], files: [path] }));
	for (const path of ['/etc/caddy', '/etc/caddy/Caddyfile', '/srv/Caddyfile']) assert.equal(at(path)?.tier, 'load-balancer', path);
	for (const path of ['/etc/caddyx', '/srv/Caddyfile.d']) assert.equal(at(path), null, path);
});

test('each level says what it gives, and the second is not offered where there is no configuration', () => {
	assert.deepEqual(
		adapter.watches(service()).map(({ level }) => level),
		[0, 1, 2],
	);
	const bare = service({ command: ['caddy', 'reverse-proxy', '--from', ':80', '--to', 'app:3000'] });
	assert.deepEqual(
		adapter.watches(bare).map(({ level }) => level),
		[0, 1],
	);
});

test('only with consent a changed copy is laid over the configuration', () => {
	assert.deepEqual(adapter.overlay(service(), 1), {});
	assert.deepEqual(adapter.overlay(service(), 2), {
		mounts: [{ source: 'raw:Caddyfile', target: '/etc/caddy/Caddyfile', readOnly: true }],
	});
});

test('the version is what the program says of itself', () => {
	assert.equal(adapter.version?.pattern.exec('v2.6.2 h1:wKoFIxpmOJLGl3QXoo6PNbYvGW4xLEgo32GPBEjWL8o=')?.[1], '2.6.2');
	assert.equal(adapter.version?.pattern.exec('2.6.2')?.[1], '2.6.2');
});
