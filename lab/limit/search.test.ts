import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import type { Bounds, Tried } from './search.ts';
import { confidenceOf, edgeOf, RATIO, runSearch } from './search.ts';

/** @param measure time: of the level, from 0 */
async function search(measure: (level: number, time: number) => Tried['verdict'] | 'generator', bounds?: Partial<Bounds>) {
	const levels: number[] = [];
	const at = (level: number | null) => levels.filter((one) => one === level).length;
	const { end, tried } = await runSearch({
		bounds: { first: 100, most: 5000, repeats: 3, ...bounds },
		isLate: () => false,
		measure: async (level) => {
			const found = measure(level, at(level));
			assert.ok(levels.push(level) < 100, 'it ends');
			return (found === 'generator' ? { level, verdict: 'unclear', isGenerator: true } : { level, verdict: found }) as Tried;
		},
	});
	const { low, high } = edgeOf(tried);
	return { end, low, high, levels, at: [at(low), at(high)] };
}
const until: (limit: number) => (level: number) => 'held' | 'broke' = (limit) => (level) => (level <= limit ? 'held' : 'broke');

test('The limit lies between the two, which are a tenth apart, and each side is run three times more, in turns', async () => {
	for (const limit of [1, 2, 3, 7, 44, 99, 100, 101, 640, 4321]) {
		const { end, low, high, at, levels } = await search(until(limit));
		assert.ok(Number(low) <= limit && Number(high) > limit, `${limit}: ${low} to ${high}`);
		assert.ok(Number(high) <= Number(low) * RATIO || high === Number(low) + 1, `${limit}: ${low} to ${high}`);
		assert.deepEqual([end, ...at], ['found', 4, 4]);
		assert.ok(levels.length < 25, `${limit}: ${levels.length} runs`);
		assert.equal(new Set(levels.slice(-2)).size, 2);
	}
});

test('Where the lowest level breaks, or the highest holds, there is no edge, and it is not said by one run', async () => {
	const broke = await search(until(0));
	assert.deepEqual([broke.end, broke.low, broke.high, broke.at[1]], ['all-broke', null, 1, 4]);
	const held = await search(until(9000));
	assert.deepEqual([held.end, held.low, held.high, held.at[0]], ['all-held', 5000, null, 4]);
});

test('A level at which runs come out either way is on no side', async () => {
	const { end, low, high } = await search((level, time) => (level <= 60 || (level < 80 && time % 2 === 0) ? 'held' : 'broke'));
	assert.equal(end, 'found');
	assert.ok(Number(low) <= 66 && Number(high) >= 72, `${low} to ${high}`);
});

test('A run that says nothing is made once more, and ends the search when it says nothing again', async () => {
	assert.equal((await search((level, time) => (level === 200 && time === 0 ? 'unclear' : until(150)(level)))).end, 'found');
	assert.equal((await search((level) => (level === 200 ? 'unclear' : 'held'))).end, 'unclear');
});

test('What the generator cannot make bounds the search from above', async () => {
	const { end, low, high } = await search((level) => (level > 700 ? 'generator' : 'held'));
	assert.deepEqual([end, high], ['all-held', null]);
	assert.ok(Number(low) <= 700 && Number(low) > 700 / RATIO ** 2, String(low));
	assert.equal((await search(() => 'generator')).end, 'unclear');
});

test('Three further runs at either side are sure by 75 %, six by 96.9 %', () => {
	assert.deepEqual([1, 3, 6].map(confidenceOf), [0, 0.75, 0.96875]);
});

test('What was measured stays where a further run cannot be made', async () => {
	const bounds = { first: 100, most: 5000, repeats: 1 };
	const failing = (after: number) =>
		runSearch({
			...{ bounds, isLate: () => false },
			measure: async (level, run) => {
				if (run > after) throw new NotReadyError('The disk is full.', 'make room.');
				return { level, verdict: 'held' as const };
			},
		});
	const { tried, end, failure } = await failing(1);
	assert.deepEqual([tried.length, end, failure], [1, 'failed', 'The disk is full.']);
	await assert.rejects(failing(0), { name: 'NotReadyError' });
});
