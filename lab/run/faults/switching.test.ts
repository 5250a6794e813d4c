import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SwitchedTurn } from './switching.ts';
import { switchInTurns } from './switching.ts';

const TURNS = [true, false, false, true].map((is_on, index) => ({ is_on, from_s: 10 + 3 * index, to_s: 13 + 3 * index }));

async function switched(set: (isOn: boolean) => Promise<void>, { opened = true, interruptedS = Infinity } = {}) {
	const said: string[] = [];
	const manifest = { load_began_s: 100 } as any;
	const interruption = new AbortController();
	let now = 100;
	const until = async (atS: number) => {
		if (!interruption.signal.aborted) now = Math.max(now, atS);
		if (now >= interruptedS) interruption.abort();
	};
	const open = {
		set: async (isOn: boolean) => {
			said.push(`${now}: ${isOn}`);
			await set(isOn);
		},
		close: async () => void said.push('closed'),
	};
	await switchInTurns(TURNS, manifest, {
		...{ open: opened ? open : new Error('it is full\nsince'), signal: interruption.signal, over: new AbortController().signal },
		clock: { nowS: () => now, until },
	});
	return { said, turns: manifest.switched as SwitchedTurn[] };
}

test('a change is switched where a turn has it otherwise than the one before, and off at the end', async () => {
	const { said, turns } = await switched(async () => {});
	assert.deepEqual(said, ['110: true', '113: false', '119: true', '122: false', 'closed']);
	assert.deepEqual(turns[1], { is_on: false, from_s: 113, to_s: 116, failed: null });
});

test('a turn that is not as asked says why, and so does each where nothing can be switched', async () => {
	const { turns } = await switched(async (isOn) => {
		if (!isOn) throw new Error('it was refused');
	});
	assert.deepEqual(
		turns.map(({ failed }) => failed),
		[null, 'it was refused', 'it was refused', null],
	);
	const { said, turns: none } = await switched(async () => {}, { opened: false });
	assert.deepEqual([said, none.map(({ failed }) => failed)], [[], Array(4).fill('it is full')]);
});

test('an interruption switches it off', async () => {
	const { said, turns } = await switched(async () => {}, { interruptedS: 112 });
	assert.deepEqual(said.slice(-2), ['113: false', 'closed']);
	assert.equal(turns.length, 1);
});
