import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.ts';
import { adapter } from './adapter.ts';

test('images, commands and, of a built image, the port say that a service is MongoDB', () => {
	for (const image of [
		'mongo',
		'mongo:7.0',
		'bitnami/mongodb:6.0',
		'mongodb/mongodb-community-server:7.0-ubi9',
		'percona/percona-server-mongodb',
	])
		assert.deepEqual(adapter.detect(serviceModel({ image })), { tier: 'database', reason: `image ${image}` });
	assert.equal(adapter.detect(serviceModel({ command: ['mongod', '--bind_ip_all'] }))?.reason, 'command mongod');
	assert.equal(adapter.detect(serviceModel({ ports: [27017] }))?.reason, 'port 27017');
});

test('what only speaks with MongoDB, and its router, is not it', () => {
	for (const image of ['mongo-express:1', 'percona/mongodb_exporter:0.40', 'bitnami/mongodb-exporter'])
		assert.equal(adapter.detect(serviceModel({ image, ports: [27017] })), null, image);
	for (const program of ['mongos', 'mongosh', 'mongorestore'])
		assert.equal(adapter.detect(serviceModel({ image: 'mongo:7', command: [program, '--host', 'db'] })), null, program);
});

test('its version is read, and nothing is laid over', () => {
	assert.equal(adapter.version?.pattern.exec('db version v6.0.5\nBuild Info: {\n    "version": "6.0.5",')?.[1], '6.0.5');
	assert.deepEqual(adapter.overlay(serviceModel({ image: 'mongo' }), 2), {});
});
