import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANY_LOOK, compareAtAnyLook } from './any-look.ts';
import { sum } from './numbers.ts';
import { comparePaired } from './paired.ts';
import { createRandom } from './random.ts';

const { below } = createRandom(7);
/** About normal. */
const bell = () => sum(Array.from({ length: 12 }, () => below(1000) - below(1000)));
const looked = (values: number[], compare = compareAtAnyLook) => compare(Array(values.length).fill(0), values, 'difference', ANY_LOOK);

/** Share of comparisons without a difference in which one of 30 looks leaves 0 out. */
const alarms = (run: () => number, compare?: typeof compareAtAnyLook) =>
	Array.from({ length: 200 }, () => {
		const all = Array.from({ length: 30 }, () => run() - run());
		return all.some((_, last) => {
			const { low, high } = looked(all.slice(0, last + 1), compare);
			return Number(low) > 0 || Number(high) < 0;
		});
	}).filter(Boolean).length / 200;

test('whoever looks after each block calls a difference that is none in at most 5 %, and by intervals for one look in far more', () => {
	for (const run of [bell, () => bell() / bell(), () => below(2)]) assert.ok(alarms(run) <= 0.05, `${run}`);
	assert.ok(alarms(bell, comparePaired) > 0.1);
});

test('a difference takes four blocks however large it is, and an interval ends where the evidence is 1/level', () => {
	const p = (values: number[]) => Number(looked(values).p);
	assert.deepEqual([p([1, 1, 1, 1]) < 0.02, p([1, 1, 1]) < 0.02, p([0, 0, 0]), looked([1]).low], [true, false, 1, null]);
	const { low } = looked([3, 4, 5, 6, 7]);
	assert.ok(Math.abs(p([3, 4, 5, 6, 7].map((value) => value - Number(low))) - 0.05) < 1e-9);
});
