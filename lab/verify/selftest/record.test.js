import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.js';
import { selftestRecord } from '../../report/fixtures/selftest.js';
import { keepRecord, readLastRecord, writePages } from './record.js';

const SUBJECT = { command: 'make selftest' };

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
    assert.deepEqual(await readLastRecord('again', SUBJECT, join(folder, 'below')), selftestRecord());
  }));

test('a test of some faults leaves the record of all as it was, and what was cut off is found behind it', () =>
  inFolder(async (folder) => {
    const all = { ...selftestRecord(), complete: false, ended: '2026-01-01T00:00:00.000Z' };
    const some = { ...selftestRecord(), wanted: 'short', ended: '2026-01-02T00:00:00.000Z' };
    await keepRecord(all, folder);
    await keepRecord(some, folder);
    assert.deepEqual(await readLastRecord('again', SUBJECT, folder), some);
    assert.deepEqual(await readLastRecord('rest', SUBJECT, folder), all);
  }));

test('where there is no record, or none to go on with, it is said how to get one', () =>
  inFolder(async (folder) => {
    const isSaid = (/** @type {unknown} */ error) => error instanceof NotReadyError && /make selftest/.test(error.message);
    await assert.rejects(readLastRecord('again', SUBJECT, folder), isSaid);
    await keepRecord(selftestRecord(), folder);
    await assert.rejects(readLastRecord('rest', SUBJECT, folder), isSaid);
  }));

test('a self-test of all faults writes the page that the repository shows, one of some faults does not', () =>
  inFolder(async (folder) => {
    const written = async (/** @type {Partial<import('../../record/selftest-total.js').SelftestRecord>} */ record) => {
      const [own, docs] = [await mkdtemp(join(folder, 'own-')), await mkdtemp(join(folder, 'docs-'))];
      const page = await writePages({ ...selftestRecord(), ...record }, { folder: own, docs });
      assert.match(await readFile(page, 'utf8'), /<!doctype html>/);
      assert.deepEqual((await readdir(dirname(page))).sort(), ['diagnosis.md', 'index.html']);
      return readdir(docs);
    };
    assert.deepEqual(await written({}), ['diagnosis.md']);
    assert.deepEqual(await written({ wanted: 'short' }), []);
    assert.deepEqual(await written({ complete: false }), []);
    assert.deepEqual(await written({ system: { name: 'shop', faults: {} } }), []);
  }));
