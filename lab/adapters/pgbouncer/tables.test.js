import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTables } from './tables.js';

test('each table is read by the names of its columns', () => {
  const tables = readTables('= one\na\tb\n1\t2\n3\t\n= two\nc\n');
  assert.deepEqual(tables.get('one'), [
    { a: '1', b: '2' },
    { a: '3', b: '' },
  ]);
  assert.deepEqual(tables.get('two'), []);
});

test('a row that was cut off is left out', () => {
  assert.deepEqual(readTables('= one\na\tb\n1\t2\n3').get('one'), [{ a: '1', b: '2' }]);
  assert.deepEqual(readTables('= one\na\tb\n1\n').get('one'), []);
});

test('an output that is no table gives none', () => {
  assert.equal(readTables('').size, 0);
});
