import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { whileTelling } from './while-telling.ts';

const { signal } = new AbortController();

test('each thing that is waited for is said once, and nothing when the work is over', async () => {
	const said = [] as string[];
	const waited = ['db', 'db', '', 'web', 'db'];
	let looks = 0;
	const tell = async () => waited[looks++] ?? 'late';
	const times = { firstMs: 0, lookMs: 1 };
	const work = async () => {
		while (looks < waited.length) await wait(1);
		return 7;
	};
	assert.equal(await whileTelling({ tell, say: (text) => said.push(text), signal, times }, work), 7);
	assert.deepEqual(
		said.filter((text) => text !== 'late'),
		['db', 'web'],
	);
});

test('what is over soon is not told, and what fails fails as it is', async () => {
	const say = () => assert.fail('it tells');
	await assert.rejects(
		whileTelling({ tell: async () => 'db', say, signal }, async () => {
			throw new Error('gone');
		}),
		/gone/,
	);
});
