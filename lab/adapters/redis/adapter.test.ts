import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';

test('images, commands and, of a built image, the port say that a service is Redis', () => {
	for (const image of ['redis', 'redis:7-alpine', 'bitnami/redis:7.0', 'redis/redis-stack-server', 'valkey/valkey:8', 'eqalpha/keydb'])
		assert.deepEqual(adapter.detect(serviceModel({ image })), { tier: 'cache', reason: `image ${image}` });
	assert.equal(adapter.detect(serviceModel({ command: ['redis-server', '--save', ''] }))?.reason, 'command redis-server');
	assert.equal(adapter.detect(serviceModel({ ports: [6379] }))?.reason, 'port 6379');
});

test('what only speaks with Redis, and Sentinel, is not it', () => {
	for (const image of ['oliver006/redis_exporter', 'redis/redisinsight', 'bitnami/redis-sentinel'])
		assert.equal(adapter.detect(serviceModel({ image, ports: [6379] })), null, image);
	assert.equal(adapter.detect(serviceModel({ image: 'redis:7', command: ['redis-sentinel', '/s.conf'] })), null);
});

test('its version is read, and nothing is laid over', () => {
	assert.equal(adapter.version?.pattern.exec('Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64')?.[1], '7.0.15');
	assert.deepEqual(adapter.overlay(serviceModel({ image: 'redis' }), 2), {});
});
