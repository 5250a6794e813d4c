import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../define/errors.js';
import { selftestRecord } from '../render/fixtures/selftest.js';
import { keepRecord, readRecord, writePages } from './record.js';

/** @param {(folder: string) => Promise<void>} check */
async function inFolder(check) {
  const folder = await mkdtemp(join(os.tmpdir(), 'selftest-record-'));
  try {
    await check(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a record that is kept is read again as it was', () =>
  inFolder(async (folder) => {
    await keepRecord(selftestRecord(), join(folder, 'below'));
    assert.deepEqual(await readRecord(join(folder, 'below')), selftestRecord());
  }));

test('where there is no record, it is said how to get one', () =>
  inFolder((folder) =>
    assert.rejects(readRecord(folder), (error) => error instanceof NotReadyError && /make selftest/.test(error.message)),
  ));

test('a self-test of all faults writes the page that the repository shows, one of some faults does not', () =>
  inFolder(async (folder) => {
    const written = async (/** @type {Partial<import('./total.js').SelftestRecord>} */ record) => {
      const [own, docs] = [await mkdtemp(join(folder, 'own-')), await mkdtemp(join(folder, 'docs-'))];
      const page = await writePages({ ...selftestRecord(), ...record }, { folder: own, docs });
      assert.match(await readFile(page, 'utf8'), /<!doctype html>/);
      assert.deepEqual((await readdir(own)).sort(), ['diagnosis.md', 'index.html']);
      return readdir(docs);
    };
    assert.deepEqual(await written({}), ['diagnosis.md']);
    assert.deepEqual(await written({ wanted: 'short' }), []);
    assert.deepEqual(await written({ complete: false }), []);
  }));
