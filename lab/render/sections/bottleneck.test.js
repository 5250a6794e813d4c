import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readRaw } from '../../analyse/read-raw.js';
import { resultOf } from '../../analyse/result.js';
import { programResult } from '../fixtures/results.js';
import { bottleneckSection } from './bottleneck.js';

/** As the analysis writes it of a real run. */
const stored = resultOf(await readRaw(fileURLToPath(new URL('../../analyse/fixtures/run-2a-smoke', import.meta.url))));

/** @param {import('../../define/result.js').Result} result */
const shown = (result) => bottleneckSection(result)?.text.replaceAll('\u00a0', ' ') ?? '';

/** @param {string} text of a table @returns {string[][]} its cells as text */
const rowsIn = (text) =>
  [...text.matchAll(/<tr><th scope="row".*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
      cell
        .replace(/<li>/g, '· ')
        .replace(/<[^>]+>/g, '')
        .trim(),
    ),
  );

test('each stage has what was measured, the bound, what binds and the evidence for it', () => {
  const rows = rowsIn(shown(stored));
  assert.deepEqual(rows[0].slice(0, 4), ['to 100 users', '405 rps', '458 rps', 'app app-1: its CPU quota was used up']);
  assert.match(rows[0][4], /^· app-1: its CPU quota was used up in 3 of 3 s· .*· behind it no limit was reached \(pool, database\)$/);
  assert.deepEqual(
    rows.slice(0, 4).map(([stage, , , binds]) => [stage, binds.split(' ')[0]]),
    [
      ['to 100 users', 'app'],
      ['to 500 users', 'app'],
      ['to 1,000 users', 'app'],
      ['to 2,000 users', 'generator'],
    ],
  );
});

test('below it stands what a request cost every service but the observers, from the user to the data', () => {
  const text = shown(stored);
  const costs = rowsIn(text).slice(4);
  assert.deepEqual(costs[0], ['to 100 users', '0.55 ms', '0.166 ms', '0.649 ms', '0.661 ms', '0.426 ms']);
  assert.equal(costs.length, 4);
  assert.ok(!text.includes('database-observer'));
});

test('a stage that no tier binds says what is known of it', () => {
  const [first, ...others] = stored.bottleneck_by_stage;
  const unknown = { ...first, tier: null, service: null, what: 'no watched limit explains this', evidence: [] };
  const [row] = rowsIn(shown({ ...stored, bottleneck_by_stage: [unknown, ...others] }));
  assert.deepEqual(row.slice(3), ['no watched limit explains this', '']);
});

test('a load without stages, and a result from before there were bottlenecks by stage, have no such section', () => {
  assert.equal(bottleneckSection(programResult()), null);
  const { bottleneck_by_stage: _, ...older } = stored;
  assert.equal(bottleneckSection(/** @type {import('../../define/result.js').Result} */ (older)), null);
});
