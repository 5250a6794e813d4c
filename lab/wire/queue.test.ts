import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTime } from './fixtures/cpu.ts';
import { Queue } from './queue.ts';

test('what came first is taken first, whatever comes between', () => {
	const queue: Queue<number> = new Queue();
	const taken = [];
	for (let item = 0; item < 1000; item += 1) {
		queue.push(item);
		if (item % 3 !== 0) taken.push(queue.shift());
		assert.equal(queue.last, queue.size > 0 ? item : undefined);
	}
	assert.deepEqual([queue.size, queue.first], [334, 666]);
	assert.deepEqual(
		[...taken, ...queue.takeAll()],
		Array.from({ length: 1000 }, (_, item) => item),
	);
	assert.deepEqual([queue.size, queue.first, queue.last, queue.shift()], [0, undefined, undefined, undefined]);
});

test('a long one is emptied in little time', () => {
	const queue: Queue<number> = new Queue();
	for (let item = 0; item < 200_000; item += 1) queue.push(item);
	const spent = cpuTime(() => {
		while (queue.size > 0) queue.shift();
	});
	assert.ok(spent < 1000, `${spent} ms`);
});
