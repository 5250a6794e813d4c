import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWrites, configOf, initiateOnce } from './replica-set.js';

test('the first of the members is to write', () => {
	assert.deepEqual(configOf(['a:1', 'b:1']).members, [
		{ _id: 0, host: 'a:1', priority: 2 },
		{ _id: 1, host: 'b:1', priority: 1 },
	]);
});

test('that another node was faster is no error, anything else is', async () => {
	const failing = (/** @type {number} */ code) => () => Promise.reject(Object.assign(new Error('no'), { code }));
	await initiateOnce(async () => {});
	await initiateOnce(failing(23));
	await assert.rejects(initiateOnce(failing(93)), /no/);
});

test('a set that was made is ready when its first member takes writes, which asks for votes until then', async () => {
	let asked = 0;
	const stepUp = async () => {
		asked += 1;
		throw new Error('not ready for it');
	};
	await assert.rejects(
		assertWrites(async () => ({ isWritablePrimary: false }), stepUp),
		/mongo-1:27017: expected the member that takes writes/,
	);
	await assertWrites(async () => ({ isWritablePrimary: true }), stepUp);
	assert.equal(asked, 1);
});
