/**
 * Real runs of which nothing is kept but the record: analysed again, they place failed requests where it is known that they failed. What a
 * change of a rule moves `make replay` says, and `make replay WRITE=1` accepts.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FROZEN, RECORD } from '../define/paths.js';
import { placedRows } from './moves.js';
import { readRaw } from './read-raw.js';
import { resultOf } from './result.js';

/** Place, mechanism and count; how each is known may be known better. @param {import('./moves.js').PlacedRow[]} placements */
const found = (placements) =>
  placements.filter(({ from }) => from === 'waiting').map(({ place, why, count }) => `${count} ${place}: ${why}`);

const records = readdirSync(FROZEN);

test('there are frozen records', () => assert.ok(records.length >= 2));

for (const record of records)
  test(`${record} is analysed as it was frozen`, async () => {
    const folder = join(FROZEN, record);
    const expected = JSON.parse(readFileSync(join(folder, RECORD.placements), 'utf8'));
    assert.deepEqual(found(placedRows(resultOf(await readRaw(folder)))), found(expected));
  });
