import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readExcerpt } from '../define/excerpt-file.js';
import { EXAMPLES } from '../define/paths.js';
import { inTodaysShape } from './earlier.js';
import { failingResult } from './fixtures/results.js';
import { count } from './format.js';
import { renderReport } from './report.js';

/** A stored run of schema 1 that lost requests. */
const earlier = Object.values(await readExcerpt(join(EXAMPLES, 'batching'))).find(
  (record) => record.schema === 1 && record.ledger?.tiers && record.ledger.failures.length > 0,
);

test('a result of today stays as it is', () => {
  const result = failingResult();
  assert.equal(inTodaysShape(result), result);
});

test('an earlier result has its tiers, its failures and their evidence in the report', async () => {
  const page = await renderReport(earlier);
  for (const { received } of earlier.ledger.tiers) assert.ok(page.includes(count(received)));
  for (const { cause_title: title, rule } of earlier.ledger.failures) assert.ok(page.includes(title) && page.includes(rule));
  assert.doesNotMatch(page.slice(page.indexOf('<main>'), page.indexOf('</main>')), />(?:NaN|null|undefined|Infinity)/);
});
