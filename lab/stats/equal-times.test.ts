import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from '../../k6/lib/random.js';
import { equalTimes } from './equal-times.ts';

const taken = (took: number[], began: (index: number) => number = (index) => index) =>
	took.map((seconds, index) => ({ began: began(index), took: seconds }));

const reported = (found: ReturnType<typeof equalTimes>) => found.map(({ took, members }) => [Number(took.toFixed(2)), members.length]);

test('times that are equal at different moments are one rule, and it is told who keeps it', () => {
	assert.deepEqual(reported(equalTimes(taken([10, 10.01, 10.004, 3, 7]))), [[10, 3]]);
	assert.deepEqual(equalTimes(taken([3, 10, 10.01, 10.004]))[0].members.toSorted(), [1, 2, 3]);
});

test('two rules beside each other are told apart, also where one is far more frequent', () => {
	const all = [...Array(200).fill(10), ...Array(12).fill(2.5), 60, 60.1, 60.05];
	assert.deepEqual(reported(equalTimes(taken(all, (index) => index * 2))), [
		[10, 200],
		[2.5, 12],
		[60.05, 3],
	]);
});

test('what is spread evenly is no rule, however much of it there is', () => {
	const random = randomOf(7);
	for (const size of [3, 10, 100, 3000]) {
		let named = 0;
		for (let times = 0; times < 100; times += 1)
			named += equalTimes(
				taken(
					Array.from({ length: size }, () => 1 + random() * 9),
					() => random() * 60,
				),
			).length;
		assert.ok(named <= 4, `${named} of 100 times ${size}`);
	}
});

test('what lies about a mean, as people who lose patience, is no rule', () => {
	const random = randomOf(8);
	const about = () => Array.from({ length: 12 }, random).reduce((sum, value) => sum + value, 0) - 6;
	assert.deepEqual(
		equalTimes(
			taken(
				Array.from({ length: 2000 }, () => 10 + about()),
				() => random() * 60,
			),
		),
		[],
	);
});

test('what ended at one moment is no rule: not where it had begun at different times, nor where it had begun together', () => {
	assert.deepEqual(equalTimes(taken(Array.from({ length: 80 }, (_, index) => 20 - index / 10))), []);
	assert.deepEqual(equalTimes(taken(Array(80).fill(5), (index) => index / 1e5)), []);
	// Nor are two such moments.
	assert.deepEqual(equalTimes(taken(Array(80).fill(5), (index) => (index % 2) * 6)), []);
});

test('what began within a moment is a rule where it began farther apart than its times differ', () => {
	// Of a pool's time-out, as FastAPI's users met it: 30 s, begun within a quarter of a second.
	const began = Array.from({ length: 37 }, (_, index) => 0.37 + index / 160);
	assert.equal(equalTimes(began.map((at, index) => ({ began: at, took: 30.01 + (index % 7) / 100 }))).length, 1);
	assert.deepEqual(equalTimes(began.map((at) => ({ began: at, took: 31 - at }))), []);
});

test('a timer that is late now and then is one rule, and not one for each of its delays', () => {
	const took = [...Array(660).fill(0.301), ...Array(50).fill(0.307), ...Array(30).fill(0.313)];
	assert.deepEqual(reported(equalTimes(taken(took))), [[0.3, 740]]);
});

test('two of two are a coincidence, and nothing is none', () => {
	assert.deepEqual(equalTimes(taken([10, 10])), []);
	assert.deepEqual(equalTimes([]), []);
});

test('short times take more of them, for they are near to each other by themselves', () => {
	assert.deepEqual(equalTimes(taken([0.05, 0.052, 0.053])), []);
	assert.equal(equalTimes(taken(Array(6).fill(0.05))).length, 1);
});
