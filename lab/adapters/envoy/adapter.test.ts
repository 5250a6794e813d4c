import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceModel } from '../contract.ts';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';

const service = (more?: Partial<ServiceModel>) => serviceModel({ service: 'edge', image: 'envoyproxy/envoy:v1.31-latest', ...more });

test('Envoy is detected by its images and by its command, and nothing else is', () => {
	for (const image of ['envoyproxy/envoy:v1.31', 'envoyproxy/envoy-distroless:v1.31', 'docker.io/envoyproxy/envoy'])
		assert.equal(adapter.detect(service({ image }))?.tier, 'load-balancer', image);
	assert.ok(adapter.detect(service({ image: '', command: ['/usr/local/bin/envoy', '-c', '/etc/envoy.yaml'] })));
	for (const image of ['', 'nginx', 'someone/envoy-control-plane']) assert.equal(adapter.detect(service({ image })), null, image);
});

test('Envoy under another name is detected by where its configuration lies', () => {
	const at = (path: string) => adapter.detect(service({ image: 'mirror/edge:1', ports: [80], files: [path] }));
	for (const path of ['/etc/envoy', '/etc/envoy/envoy.yaml', '/srv/envoy.yml']) assert.equal(at(path)?.tier, 'load-balancer', path);
	for (const path of ['/etc/envoyx', '/srv/envoy.txt']) assert.equal(at(path), null, path);
});

test('each level says what it gives, and the second is not offered where there is no file', () => {
	assert.deepEqual(
		adapter.watches(service()).map(({ level }) => level),
		[0, 1, 2],
	);
	const inline = service({ command: ['envoy', '--config-yaml', 'admin: {}'] });
	assert.deepEqual(
		adapter.watches(inline).map(({ level }) => level),
		[0, 1],
	);
});

test('only with consent a changed copy is laid over the bootstrap', () => {
	assert.deepEqual(adapter.overlay(service(), 1), {});
	assert.deepEqual(adapter.overlay(service(), 2), {
		mounts: [{ source: 'raw:envoy.yaml', target: '/etc/envoy/envoy.yaml', readOnly: true }],
	});
});

test('the version is what the program says of itself', () => {
	const said = 'envoy  version: 68fe53a889416fd8570506232052b06f5a531541/1.31.2/Clean/RELEASE/BoringSSL';
	assert.equal(adapter.version?.pattern.exec(said)?.[1], '1.31.2');
});
