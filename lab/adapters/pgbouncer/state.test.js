import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { containerOf } from '../fixtures/hop-files.js';
import { readTables, sampleState, stateIn } from './state.js';

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

const CONSOLE = readFileSync(new URL('./fixtures/console.txt', import.meta.url), 'utf8');

test('pools, their sizes, clients and totals are read from the console', () => {
  assert.deepEqual(stateIn(CONSOLE), {
    pools: [
      { database: 'shop', waiting: 8, maxwait_s: 2.25, active: 20, busy: 6, idle: 1 },
      { database: 'shop', waiting: 0, maxwait_s: 0, active: 1, busy: 1, idle: 2 },
    ],
    sizes: { shop: 8 },
    clients: 29,
    totals: { transactions: 1000, queries: 2000, wait_us: 12345000 },
    settings: {
      max_client_conn: '100',
      query_wait_timeout: '120',
      pool_mode: 'transaction',
      log_disconnections: '1',
      log_pooler_errors: '1',
    },
  });
});

test('no user, address or question of the configuration is kept', () => {
  const reported = JSON.stringify(stateIn(CONSOLE));
  for (const secret of ['hunter2', 'pg_shadow', '5432']) assert.ok(!reported.includes(secret), secret);
});

test('columns that a version does not have count nothing, and a limit of the database is the smaller size', () => {
  const text =
    '= pools\ndatabase\tuser\tcl_active\tcl_waiting\tsv_active\nshop\tapp\t3\t1\t2\n= databases\nname\tpool_size\tmax_connections\nshop\t20\t5\n';
  const state = stateIn(text);
  assert.deepEqual(state?.pools, [{ database: 'shop', waiting: 1, maxwait_s: 0, active: 3, busy: 2, idle: 0 }]);
  assert.deepEqual([state?.sizes, state?.clients, state?.settings], [{ shop: 5 }, null, {}]);
});

test('it is asked within a second, and where it cannot be asked there is no sample', async () => {
  const { container, asked } = containerOf(CONSOLE);
  assert.ok(await sampleState(container));
  assert.ok(asked[0].limitMs < 1000);
  assert.equal(await sampleState(containerOf('', 1).container), null);
  assert.equal(await sampleState(containerOf('sh: exec: psql: not found\n', 127).container), null);
  assert.equal(await sampleState(containerOf('= databases\nname\n', 0).container), null);
});
