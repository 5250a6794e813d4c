/**
 * A queue before the database that hands out again what was not done, on real containers: what was accepted is followed to its end, though
 * who does it is killed on the way. A list that does not: runs.test.js.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Result } from '../../lab/record/types.js';
import { assertNothingIsLeft, assertRan, make, newestRun, RUN_LIMIT_MS, readResult } from './commands.ts';

describe('make run-2a-queue, whose consumer is killed, under a load that two generators make', () => {
	let result: Result;
	let queue: NonNullable<Result['queue']>;

	before(
		async () => {
			assertRan(await make('run-2a-queue', 'LOAD=smoke', 'INTEGRITY=1', 'GENERATORS=2', 'FAULT=kill consumer@5s+2s'));
			result = await readResult(await newestRun('2a-queue'));
			assert.ok(result.queue);
			queue = result.queue;
		},
		{ timeout: RUN_LIMIT_MS },
	);

	test('the load is one, with each generator’s part in it', () => {
		const note = result.notes.find((text) => text.startsWith('2 generators made the load together'));
		assert.ok(note !== undefined && Number(/within (\d+) ms/.exec(note)?.[1]) < 500, String(note));
		for (const name of ['k6-1', 'k6-2']) assert.ok(Number(result.resources[name]?.cpu_cores.mean) > 0, name);
		assert.deepEqual(
			result.flow.nodes.filter(({ tier }) => tier === 'generator').map(({ id, received }) => [id, received]),
			[['k6', result.metrics.requests]],
		);
	});

	test('what the consumer had in hand is handed out again, so that nothing is lost', () => {
		assert.deepEqual([queue.left, queue.failed, queue.lost, result.ledger.writes.lost], [0, 0, 0, 0]);
		assert.equal(queue.completed, queue.accepted);
	});

	test('what was done twice is stored once', () => assert.equal(result.ledger.writes.duplicated, 0));

	test('counts add up in every tier', () => {
		for (const { statement, left, right, holds } of result.ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
	});

	test('nothing is left', () => assertNothingIsLeft());
});
