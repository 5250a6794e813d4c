import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { crudResult, failingResult, healthyResult, invalidResult, olderResult, programResult } from './fixtures/results.js';
import { judgedOf } from './fixtures/thresholds.js';
import { formatRunMarkdown } from './run-markdown.js';

const THRESHOLDS = 'throughput_rps>=700,failure_rate<0.1%,latency_ms_p95_ok<800';

/** @param {import('../define/result.js').Result} result @param {string} [text] */
const markdownOf = (result, text = THRESHOLDS) => formatRunMarkdown({ result, judged: judgedOf(text, result) }).replaceAll('\u00a0', ' ');

test('a run with met and unmet thresholds reads as it did', () => {
  assert.equal(markdownOf(failingResult()), readFileSync(new URL('fixtures/summary-2a.md', import.meta.url), 'utf8'));
});

test('without thresholds there is no word of them, and the command is the plain one', () => {
  const text = markdownOf(healthyResult(), '');
  assert.doesNotMatch(text, /hreshold|EXPECT/);
  assert.ok(text.includes('- Repeat this run: `make run-a LOAD=ramp BUDGET=fair SEED=1`\n'));
});

test('a healthy run is calm, and a figure that is missing is a dash', () => {
  const result = healthyResult();
  result.metrics.latency_ms.ok.p95 = null;
  const text = markdownOf(result, '');
  assert.ok(text.includes('**VALID**: the run can be believed.\n'));
  assert.ok(text.includes('None of the requests failed.\n'));
  assert.ok(text.includes('| p95 of successes | – |'));
  assert.doesNotMatch(text, /NaN|null|undefined/);
});

test('an INVALID run says so in its title, and none of its thresholds counts', () => {
  const text = markdownOf(invalidResult());
  assert.match(text, /^## 2a: .* \(INVALID\)\n/);
  assert.ok(text.includes('**INVALID**: this run says nothing about the architecture'));
  assert.ok(text.includes('- The load was cut short.\n'));
  assert.match(text, /Thresholds: 0 of 3 met/);
  assert.equal(text.match(/\*\*not judged\*\*/g)?.length, 3);
});

test('text from outside stays text, wherever it is shown', () => {
  const attack = '| **b** <img src=x> [l](u)\n# h `c`';
  const result = failingResult();
  result.headline = attack;
  result.architecture_title = attack;
  result.validity.reasons = [attack];
  result.ledger.failures[0].cause_title = attack;
  result.try_next = [{ command: attack, why: attack }];
  const text = markdownOf(result);
  // What is escaped or in code is text; nothing of the attack may be left besides.
  const markup = text.replace(/\\[!-/:-@[-`{-~]/g, '').replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
  assert.doesNotMatch(markup, /[<[`]|\*\*b|^# h/m);
  const widths = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.match(/(?<!\\)\|/g)?.length);
  assert.deepEqual([...new Set(widths)].sort(), [3, 4, 5]);
});

test('variables, own figures and own tables are there, and no figure of another scenario', () => {
  const text = markdownOf(crudResult(), '');
  assert.ok(text.includes('\nWORKERS=20 · load workers · '));
  assert.ok(text.includes('One request is: one read, create, update or delete of a document.\n'));
  assert.ok(text.includes('| operations | 58,012 |') && text.includes('| journal written | 0.166 MB/s |'));
  assert.ok(
    text.includes(
      '### Latency by operation\n\nSee how much more a write waits than a read.\n\n| operation | operations | share | p95 |\n| --- | ---: | ---: | ---: |\n| read | 23,205 | 40 % | 41.2 ms |\n',
    ),
  );
  assert.doesNotMatch(text, /mean batch|p97/);
});

test('of a run that a program drives there is no latency', () => {
  const text = markdownOf(programResult(), '');
  assert.ok(text.includes('THREADS=4 · FILES=1 · load inserts') && text.includes('| inserts | 4,000,000 |'));
  assert.doesNotMatch(text, /p95|–|NaN|null|undefined/);
});

test('a result written before there were scenarios reads as one of documents', () => {
  assert.equal(markdownOf(olderResult()), markdownOf(failingResult()));
});

test('failures that could not be placed are shown, and only where there are any', () => {
  const result = failingResult();
  assert.ok(markdownOf(result).includes('| unattributed | could not be placed on a tier |'));
  result.ledger.unattributed = 0;
  assert.ok(!markdownOf(result).includes('unattributed'));
});
