import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersOf, databaseBreakdown, rowsOf } from './database-rows.js';

const connections = { open: 1, free: 0 };

test('the rows of one database among several are its own', () => {
  const rows = [
    { t: 1, name: 'mongo-1', connections },
    { t: 1, name: 'mongo-2', error: 'no answer' },
    { t: 2, name: 'mongo-2', connections },
  ];
  assert.deepEqual(rowsOf(rows, 'mongo-2'), rows.slice(1));
  assert.deepEqual(answersOf(rows, 'mongo-2'), [rows[2]]);
});

test('the only one has all of them', () => assert.equal(answersOf([{ t: 1, connections }], 'mongo').length, 1));

/** @type {(name: string, documents: number | null, operations: number | null) => any} */
const database = (name, documents, operations) => ({ name, documents, operations, set: null });

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
