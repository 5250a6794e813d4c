import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLES } from '../base/paths.js';
import { readExcerpt } from '../record/excerpt-file.js';
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

test('what an earlier result advises, and the lab has judged worse or never better since, is in no page', async () => {
  const stored = Object.values(await readExcerpt(join(EXAMPLES, 'doubling'))).filter((record) => record.try_next?.length > 0);
  const advised = stored.flatMap(({ try_next: next }) => next.map((/** @type {{ command: string }} */ { command }) => command));
  assert.ok(
    advised.some((command) => command.includes('run-2a-keepalive')),
    'there was such advice',
  );
  const left = stored.flatMap((result) => inTodaysShape(result).try_next.map(({ command }) => command));
  assert.ok(left.length > 0);
  assert.deepEqual([...new Set(left.map((command) => /run-(\S+)/.exec(command)?.[1]))].sort(), ['2a-slots', 'a-lb-slots']);
  const [result] = stored.filter(({ architecture }) => architecture === '2a');
  assert.ok(!(await renderReport(result)).includes('run-2a-keepalive'));
  assert.deepEqual(inTodaysShape({ ...result, validity: { ...result.validity, verdict: 'INVALID' } }).try_next, []);
});
