import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataIn } from './open-data.js';

/** @param {Record<string, number>} files */
const found = (files) => dataIn(Object.entries(files).map(([name, bytes]) => ({ name, bytes })));

test('a folder of code is no database’s, whatever locks lie in it', () => {
  const files = { 'package-lock.json': 9, 'yarn.lock': 9, 'server.pid': 3, 'app.db': 9, 'app.db-wal': 9, 'dump.rdb': 4 };
  assert.deepEqual(found(files), { isStore: false, openedBy: null });
});

test('a database’s folder is known at rest', () => {
  /** @type {Record<string, number>[]} */
  const all = [{ PG_VERSION: 3 }, { ibdata1: 9 }, { WiredTiger: 9, 'WiredTiger.lock': 21, 'mongod.lock': 0 }];
  for (const files of all) assert.deepEqual(found(files), { isStore: true, openedBy: null });
});

test('a database’s folder that is open says so by a file', () => {
  assert.equal(found({ PG_VERSION: 3, 'postmaster.pid': 90 }).openedBy, 'postmaster.pid');
  assert.equal(found({ ibdata1: 9, 'db.pid': 2 }).openedBy, 'db.pid');
  assert.equal(found({ WiredTiger: 9, 'mongod.lock': 2 }).openedBy, 'mongod.lock');
});
