/**
 * Several databases, on real containers: documents that are spread over two, and copies of them on three.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { RECORD } from '../../lab/define/paths.js';
import { checkReport } from '../browser/report.check.js';
import { assertNothingIsLeft, assertRan, make, newestRun, RUN_LIMIT_MS, readResult } from './front-door.js';

/** Half a million ids would be spread to a thousandth; a short load has some thousands. */
const UNEVEN_MOST = 0.05;

/** @typedef {import('../../lab/define/result.js').Result} Result */

/** @param {Result} result @param {string} title @returns {Record<string, (number | null)[]>} rows by name */
const tableOf = ({ breakdowns }, title) =>
  Object.fromEntries(breakdowns.find((table) => table.title === title)?.rows.map(({ name, values }) => [name, values]) ?? []);

/** @param {Result} result */
function assertCountsAddUp({ ledger }) {
  for (const { statement, left, right, holds } of ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
}

describe('make run-2a-shard', () => {
  /** @type {Result} */
  let result;
  let page = '';

  before(
    async () => {
      assertRan(await make('run-2a-shard', 'LOAD=smoke', 'INTEGRITY=1'));
      const folder = await newestRun('2a-shard');
      result = await readResult(folder);
      page = join(folder, RECORD.report);
    },
    { timeout: RUN_LIMIT_MS },
  );

  test('each database has about half of the documents, and both together all of them', () => {
    const rows = tableOf(result, 'By database');
    assert.deepEqual(Object.keys(rows), ['mongo-1', 'mongo-2']);
    for (const [, share] of Object.values(rows)) assert.ok(Math.abs((share ?? 0) - 0.5) < UNEVEN_MOST, String(share));
    const { persisted, lost, duplicated } = result.ledger.writes;
    assert.deepEqual([lost, duplicated, (persisted ?? 0) > 0], [0, 0, true]);
  });

  test('counts add up in every tier', () => assertCountsAddUp(result));

  test('the report opens', () => checkReport(page));

  test('nothing is left', () => assertNothingIsLeft());
});

describe('make run-2a-replica', () => {
  /** @type {Result} */
  let result;
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

  test('every read is held against what its node had been told was written', () => {
    const [reads, stale] = tableOf(result, 'Staleness of reads')['all nodes'];
    const { requests, failures } = result.metrics;
    assert.ok((reads ?? 0) >= requests - failures, `${reads} reads of ${requests - failures} good answers`);
    assert.ok((stale ?? -1) >= 0 && (stale ?? 0) <= (reads ?? 0), String(stale));
  });

  test('an acknowledged write is on the set once', () => {
    const { lost, duplicated } = result.ledger.writes;
    assert.deepEqual([lost, duplicated], [0, 0]);
  });

  test('counts add up in every tier', () => assertCountsAddUp(result));

  test('the report opens', () => checkReport(page));

  test('nothing is left', () => assertNothingIsLeft());
});
