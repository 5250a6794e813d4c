import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHosts } from './hosts.js';

test('one database goes by the name that every system has it by, several are named', () => {
	assert.deepEqual(parseHosts(undefined), [{ name: 'mongo', host: 'mongo:27017' }]);
	assert.deepEqual(parseHosts('mongo-1, mongo-2'), [
		{ name: 'mongo-1', host: 'mongo-1:27017' },
		{ name: 'mongo-2', host: 'mongo-2:27017' },
	]);
});
