import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectPatiently } from './connect-patiently.js';

/** Connects at this attempt. @param {number} at */
async function attemptsUntil(at) {
	let made = 0;
	const connect = async () => {
		made += 1;
		if (made < at) throw new Error(`attempt ${made}`);
	};
	const error = await connectPatiently(connect, 0).then(
		() => null,
		({ message }) => message,
	);
	return [made, error];
}

test('who is not there yet is asked again, and not without end', async () => {
	assert.deepEqual(await attemptsUntil(3), [3, null]);
	assert.deepEqual(await attemptsUntil(1000), [60, 'attempt 60']);
});
