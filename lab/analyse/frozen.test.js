/**
 * Real runs of which nothing is kept but the record: analysed again, they place failed requests where it is known that they failed. What a
 * change of a rule moves `make replay` says, and `make replay WRITE=1` accepts.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FROZEN, FROZEN_PLACEMENTS } from '../define/paths.js';
import { placedRows } from './moves.js';
import { readRaw } from './read-raw.js';
import { resultOf } from './result.js';

/** Place, mechanism and count; how each is known may be known better. @param {import('./moves.js').PlacedRow[]} placements */
const found = (placements) =>
  placements.filter(({ from }) => from === 'waiting').map(({ place, why, count }) => `${count} ${place}: ${why}`);

/**
 * What was at fault, as it was proved by hand: processes that all wait for a partner; checks that wait behind pages; an address that was looked
 * up once; connections that are held while their holders wait; a mistake of the program's own beside a dead cache that nobody needs.
 * @type {Record<string, string[]>}
 */
const AT_FAULT = {
  'dead-cache': ['web-1: own-error', 'web-2: own-error'],
  'fastapi-pool': ['api (api → db): pool-held'],
  'haproxy-flap': ['lb: checks-failed'],
  'php-fpm': ['php (php → partner): workers-taken'],
  'stale-dns': ['api (nginx → api): gone', 'nginx (nginx → worker): stale-address'],
};
const records = readdirSync(FROZEN);

test('of each frozen record it is known what was at fault', () => assert.deepEqual(records.toSorted(), Object.keys(AT_FAULT)));

for (const record of records)
  test(`${record} is analysed as it was frozen`, async () => {
    const folder = join(FROZEN, record);
    const expected = JSON.parse(readFileSync(join(folder, FROZEN_PLACEMENTS), 'utf8'));
    const now = placedRows(resultOf(await readRaw(folder)));
    assert.deepEqual(found(now), found(expected));
    // Whatever was accepted.
    const named = now.filter(({ from }) => from === 'waiting').map(({ place, why }) => `${place}: ${why}`);
    assert.deepEqual(named.sort(), AT_FAULT[record]);
  });
