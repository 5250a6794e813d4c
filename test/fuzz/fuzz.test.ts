/** What nobody meant to be read, a minute long: the rest of it is `make fuzz`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz.ts';
import { mutated, mutatedBytes, mutatedValue, pickBy } from './mutate.ts';
import { TARGETS } from './targets.ts';

const SECONDS = 60;
const SEED = '1';

test('the same seed makes the same input, and another one another', () => {
	const value = { services: { web: { image: 'nginx:1', ports: [80, 443] } }, name: 'shop' };
	const made = (seed: string) => [
		JSON.stringify(mutatedValue(value, pickBy(seed))),
		mutated('a line\nof 12 words', pickBy(seed)),
		mutatedBytes(Buffer.from('0123456789'), pickBy(seed)).toString('hex'),
	];
	assert.deepEqual(made('7'), made('7'));
	assert.notDeepEqual(made('7'), made('8'));
});

test('whatever is read is read, or refused in words, in bounded time', async () => {
	const { found, tried } = await fuzz({ seconds: SECONDS, seed: SEED });
	assert.deepEqual(
		found.map(({ target, number, message, stack, input }) => `${target} ${number}: ${message}\n${stack}\n${input}`),
		[],
	);
	for (const { name } of TARGETS) assert.ok(tried[name] > 0, `${name}: no input was tried`);
});
