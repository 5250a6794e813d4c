import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, factsOf, recordOf } from '../fixtures/record.js';
import { overflowQueue } from '../fixtures/record-tiers.js';
import { crudRecord, poolsRecord, programRecord } from '../fixtures/scenario-records.js';
import { FROM } from '../fixtures/story.js';

/** @param {import('../read-raw.js').Raw} raw */
const deathsOf = (raw) => factsOf(raw).deaths.map(({ name, from, to, exitCode }) => [name, from - FROM, to - FROM, exitCode]);
/** @param {import('../read-raw.js').Raw} raw */
const stallsOf = (raw) => factsOf(raw).stalls.map(({ name, from, to }) => [name, from - FROM, to - FROM]);
/** @type {(rows: any[], from: number, to: number) => any[]} */
const without = (rows, from, to) => rows.filter(({ t }) => t <= FROM + from || t >= FROM + to);

test('the load enters at the balancer where there is one, else at the node', () => {
  assert.deepEqual(factsOf(recordOf({ balanced: true })).entry, { name: 'nginx', tier: 'load-balancer' });
  assert.deepEqual(factsOf(recordOf()).entry, { name: 'app-1', tier: 'app' });
});

test('the load of a program enters at the store that it is in', () => {
  assert.deepEqual(factsOf(programRecord()).entry, { name: 'tokyo', tier: 'database' });
});

test('nothing died and nothing stood still in a healthy run, in which k6 ends by itself', () => {
  const { deaths, stalls } = factsOf(recordOf({ balanced: true }));
  assert.deepEqual(deaths, []);
  assert.deepEqual(stalls, []);
});

test('a container that ended is away for good, one that came back until it did', () => {
  const raw = recordOf({ balanced: true });
  endService(raw, 'app-1', 4);
  endService(raw, 'app-2', 5, { back: 7 });
  assert.deepEqual(deathsOf(raw), [
    ['app-1', 4, Number.POSITIVE_INFINITY, 137],
    ['app-2', 5, 7, null],
  ]);
});

test('a container that was back before the load is no death of the load', () => {
  const raw = recordOf();
  endService(raw, 'app-1', -4, { back: -3 });
  assert.deepEqual(deathsOf(raw), []);
});

test('a tier stands still when its own record pauses', () => {
  const raw = recordOf({ balanced: true });
  raw.database = without(raw.database, 2, 6);
  raw.nodes['app-2'] = without(raw.nodes['app-2'], 4, 9);
  assert.deepEqual(stallsOf(raw), [
    ['mongo', 2, 6],
    ['app-2', 4, 9],
  ]);
});

test('an observation that is two seconds late is no standstill', () => {
  const raw = recordOf();
  raw.database = without(raw.database, 2, 4);
  assert.deepEqual(stallsOf(raw), []);
});

test('a balancer that finished nothing stood still only when no tier behind it did', () => {
  const raw = recordOf({ balanced: true });
  raw.accessLines = without(raw.accessLines, 2, 6);
  assert.deepEqual(
    stallsOf(raw).map(([name]) => name),
    ['nginx'],
  );
  raw.database = without(raw.database, 2, 6);
  assert.deepEqual(
    stallsOf(raw).map(([name]) => name),
    ['mongo'],
  );
});

test('what MongoDB inserted and stored in the load leaves the warm-up out', () => {
  const { inserts, documents, name } = factsOf(recordOf()).database;
  assert.deepEqual({ inserts, documents, name }, { inserts: 1000, documents: 1000, name: 'mongo' });
});

test('what MongoDB deleted in the load is taken from what it stored, and the warm-up is in neither', () => {
  const { inserts, deletes, documents } = factsOf(crudRecord()).database;
  assert.deepEqual({ inserts, deletes, documents }, { inserts: 450, deletes: 150, documents: 300 });
});

test('what MongoDB did in the load is every operation of its counters, those that it does not count left out', () => {
  assert.equal(factsOf(crudRecord()).database.operations, 1500);
  assert.equal(factsOf(recordOf()).database.operations, 1000);
});

test('a MongoDB that counts no deletes has none', () => {
  assert.equal(factsOf(recordOf()).database.deletes, 0);
});

test("a program's store has what its files hold, and it refuses no connections because it has none", () => {
  const holds = (/** @type {number} */ records) => ({
    name: 'tokyo',
    rejected: null,
    inserts: records,
    deletes: 0,
    operations: records,
    documents: records,
  });
  assert.deepEqual(factsOf(programRecord()).database, holds(4000));
  assert.deepEqual(factsOf(programRecord([{}, { stored: 1990 }])).database, holds(3990));
  assert.deepEqual(factsOf(programRecord([{}, { stored: null }])).database, holds(2000));
});

test('an architecture without a database has none of its figures', () => {
  assert.deepEqual(factsOf(poolsRecord()).database, {
    name: null,
    rejected: null,
    inserts: null,
    deletes: null,
    operations: null,
    documents: null,
  });
});

test('documents are not known of a database whose record has no last line', () => {
  const raw = recordOf();
  raw.database.pop();
  const { inserts, documents } = factsOf(raw).database;
  assert.deepEqual({ inserts, documents }, { inserts: 1000, documents: null });
});

test("refused connections are MongoDB's counter, or before 6.3 the lines of its log", () => {
  const raw = recordOf();
  for (const row of raw.database) row.connections = { ...row.connections, rejected: row.t > FROM + 3 ? 9 : 2 };
  assert.deepEqual(factsOf(raw).database.rejected, { before: 2, after: 9 });
  for (const row of raw.database) delete row.connections.rejected;
  raw.databaseRefusals = [FROM - 2, FROM + 4, FROM + 4];
  assert.deepEqual(factsOf(raw).database.rejected, { before: 1, after: 3 });
});

test('a database that answered no observer has no figures, which is not the same as zero', () => {
  const raw = recordOf();
  raw.database = [{ t: FROM - 2, error: 'no answer' }];
  assert.deepEqual(factsOf(raw).database, {
    name: 'mongo',
    rejected: null,
    inserts: null,
    deletes: null,
    operations: null,
    documents: null,
  });
});

test("the kernel's counters are those gained in the load", () => {
  const raw = recordOf({ balanced: true });
  overflowQueue(raw, 'app-2', 3);
  const { kernel } = factsOf(raw);
  assert.deepEqual(kernel['app-2'].gained, { ListenOverflows: 17, ListenDrops: 17 });
  assert.deepEqual(kernel['app-1'].gained, {});
});
