/** Copies of the documents on three databases, on real containers. Documents that are spread over two: runs.test.js. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { RECORD } from '../../lab/base/paths.ts';
import type { Result } from '../../lab/record/types.js';
import { checkPage } from '../browser/made-pages.ts';
import { assertNothingIsLeft, assertRan, make, newestRun, RUN_LIMIT_MS, readResult, tableOf } from './commands.ts';

describe('make run-2a-replica', () => {
	let result: Result;
	let page = '';

	before(
		async () => {
			assertRan(await make('run-2a-replica', 'LOAD=smoke', 'INTEGRITY=1'));
			const folder = await newestRun('2a-replica');
			result = await readResult(folder);
			page = join(folder, RECORD.report);
		},
		{ timeout: RUN_LIMIT_MS },
	);

	test('every read is compared with what its node had been told was written', () => {
		const [reads, stale] = tableOf(result, 'Staleness of reads')['all nodes'];
		const { requests, failures } = result.metrics;
		assert.ok((reads ?? 0) >= requests - failures, `${reads} reads of ${requests - failures} good answers`);
		assert.ok((stale ?? -1) >= 0 && (stale ?? 0) <= (reads ?? 0), String(stale));
	});

	test('an acknowledged write is on the set once', () => {
		const { lost, duplicated } = result.ledger.writes;
		assert.deepEqual([lost, duplicated], [0, 0]);
	});

	test('counts add up in every tier', () => {
		for (const { statement, left, right, holds } of result.ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
	});

	test('the report opens', () => checkPage('report', page));

	test('nothing is left', () => assertNothingIsLeft());
});
