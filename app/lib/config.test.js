import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.js';

test('an empty environment gives the published pool and no limits of its own', () => {
	const config = readConfig({});
	assert.equal(config.maxPoolSize, 50);
	assert.equal(config.port, 3000);
	assert.equal(config.errorShare, 0);
	assert.equal(config.extraDelayMs, 0);
	assert.equal(config.waitQueueTimeoutMs, undefined);
	assert.equal(config.socketTimeoutMs, undefined);
	assert.equal(config.serverSelectionTimeoutMs, undefined);
	assert.equal(config.breakerTimeoutMs, undefined);
});

test('a variable that Compose passes empty counts as not given', () => {
	const names = ['NODE_NAME', 'PORT', 'LISTEN_BACKLOG', 'DATABASE_URL', 'MAX_POOL_SIZE', 'ERROR_SHARE', 'RECORD_FOLDER'];
	assert.deepEqual(readConfig(Object.fromEntries(names.map((name) => [name, '']))), readConfig({}));
});

test('values are read as numbers, and a zero is kept', () => {
	const config = readConfig({ NODE_NAME: 'app-2', MAX_POOL_SIZE: '500', ERROR_SHARE: '0.25', EXTRA_DELAY_MS: '0' });
	assert.equal(config.name, 'app-2');
	assert.equal(config.maxPoolSize, 500);
	assert.equal(config.errorShare, 0.25);
	assert.equal(config.extraDelayMs, 0);
});

test('a value that is no number, or out of its range, stops the node and names variable, range and value', () => {
	for (const [name, text] of [
		['MAX_POOL_SIZE', 'many'],
		['MAX_POOL_SIZE', '0'],
		['PORT', '65536'],
		['ERROR_SHARE', '1.1'],
		['ERROR_SHARE', '-0.1'],
		['EXTRA_DELAY_MS', 'Infinity'],
	]) {
		assert.throws(() => readConfig({ [name]: text }), {
			message: new RegExp(`^${name}: expected a number from .* to .*, found "${text}"$`),
		});
	}
});
