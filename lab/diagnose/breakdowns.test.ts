import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseBreakdown } from './database-breakdown.ts';
import { stalenessBreakdown } from './staleness.ts';

const database: (name: string, documents: number | null, operations: number | null) => any = (name, documents, operations) => ({
	name,
	documents,
	operations,
	set: null,
});

test('several databases are reported with their share of what the load left', () => {
	const [{ rows, caption }] = databaseBreakdown({ databases: [database('mongo-1', 480, 960), database('mongo-2', 520, 1040)] });
	assert.deepEqual(rows, [
		{ name: 'mongo-1', values: [480, 0.48, 960] },
		{ name: 'mongo-2', values: [520, 0.52, 1040] },
	]);
	assert.match(caption, /even split is 50\.0 %/);
});

test('where one was not read nobody knows the shares, and neither a single database nor copies have a table', () => {
	const [{ rows }] = databaseBreakdown({ databases: [database('mongo-1', 480, 960), database('mongo-2', null, null)] });
	assert.deepEqual(
		rows.map(({ values }) => values[1]),
		[null, null],
	);
	const copies = ['mongo-1', 'mongo-2'].map((name) => ({ ...database(name, 9, 9), set: 'rs0' }));
	assert.deepEqual(databaseBreakdown({ databases: copies }), []);
	assert.deepEqual(databaseBreakdown({ databases: [database('mongo', 1, 2)] }), []);
});

/** @param owns counts of each node */
const breakdownOf = (owns: Record<string, Record<string, number>>) =>
	stalenessBreakdown({ nodes: Object.fromEntries(Object.entries(owns).map(([name, own]) => [name, { own }])) } as any);

test('no node counts its reads where there are no copies', () => assert.deepEqual(breakdownOf({ 'app-1': {} }), []));

test('ages are upper ends of classes, over all reads', () => {
	const own = { reads: 100, stale_reads: 10, stale_le_5: 4, stale_le_10: 8, stale_le_20: 10 };
	const [{ rows }] = breakdownOf({ 'app-1': own });
	// 90 of 100 are fresh, 94 at most 5 ms behind, 98 at most 10.
	assert.deepEqual(rows, [{ name: 'app-1', values: [100, 10, 0.1, 10, 20] }]);
});

test('several nodes have a row for all of them', () => {
	const [{ rows }] = breakdownOf({
		'app-1': { reads: 100, stale_reads: 0, stale_le_5: 0 },
		'app-2': { reads: 100, stale_reads: 20, stale_le_5: 20 },
	});
	assert.deepEqual(rows[2], { name: 'all nodes', values: [200, 20, 0.1, 5, 5] });
});

test('what is older than every class has no figure', () => {
	const [{ rows }] = breakdownOf({ 'app-1': { reads: 100, stale_reads: 50, stale_le_5: 0 } });
	assert.deepEqual(rows[0].values.slice(3), [null, null]);
});
