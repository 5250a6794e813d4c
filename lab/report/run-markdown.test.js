import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crudResult, failingResult, healthyResult, invalidResult, olderResult, programResult, unplacedResult } from './fixtures/results.js';
import { judgedOf } from './fixtures/thresholds.js';
import { FORMATS } from './format.js';
import { escapeMarkdown } from './markdown.js';
import { formatRunMarkdown } from './run-markdown.js';

/** The first is met by any run, the others by none that loses requests for seconds. */
const THRESHOLDS = 'throughput_rps>=1,failure_rate<0.1%,latency_ms_p95_ok<1';

/** @param {import('../record/result.js').Result} result @param {string} [text] */
const markdownOf = (result, text = THRESHOLDS) => formatRunMarkdown({ result, judged: judgedOf(text, result) }).replaceAll('\u00a0', ' ');

test('a run with met and unmet thresholds says what happened, whether to trust it, which were met, and how to repeat it', () => {
  const result = failingResult();
  const text = markdownOf(result);
  const told = (/** @type {string} */ part) => assert.ok(text.includes(part), part);
  assert.ok(text.startsWith(`## 2a: two nodes behind Nginx, as published\n\n**${escapeMarkdown(result.headline)}**\n\nload smoke · `));
  told(`**SUSPECT**: read the figures with these doubts:\n\n- ${escapeMarkdown(result.validity.reasons[0])}\n`);
  told(
    '### Thresholds: 1 of 3 met\n\n| Threshold | Verdict | Why |\n| --- | --- | --- |\n| `throughput_rps>=1` | met | expected throughput_rps',
  );
  told('| `failure_rate<0.1%` | **not met** | expected failure_rate \\< 0.001; found 0.');
  told(
    `| requests | ${result.metrics.requests.toLocaleString('en-US')} |\n| failed | ${result.metrics.failures.toLocaleString('en-US')} |\n`,
  );
  told(`| p95 of successes | ${FORMATS.ms(result.metrics.latency_ms.ok.p95)} |`.replaceAll('\u00a0', ' '));
  for (const { cause_title: cause, count } of result.ledger.failures)
    told(`| load balancer | ${escapeMarkdown(cause)} | ${count.toLocaleString('en-US')} | `);
  told(`- Try \`${result.try_next[0].command}\`: `);
  told(`- Repeat this run: \`${result.command} EXPECT='${THRESHOLDS}'\`\n- Report: \`reports/${result.run}/report.html\`\n`);
});

test('thresholds go where a shell takes them in the command of an installed lab', () => {
  const result = { ...failingResult(), command: 'SEED=7 doubletake run' };
  assert.ok(markdownOf(result, 'failure_rate<0.1%').includes("- Repeat this run: `EXPECT='failure_rate<0.1%' SEED=7 doubletake run`\n"));
});

test('without thresholds there is no word of them, and the command is the plain one', () => {
  const text = markdownOf(healthyResult(), '');
  assert.doesNotMatch(text, /hreshold|EXPECT/);
  assert.ok(text.includes('- Repeat this run: `make run-a`\n'));
});

test('a load that ended before its time says when and why', () => {
  const text = 'The load ended after 19.1 s of at most 60 s: all its iterations were done.';
  assert.ok(markdownOf({ ...healthyResult(), load_end: { after_s: 19.1, most_s: 60, text } }).includes(`\n\n${text}\n\n**VALID**`));
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
  assert.ok(text.includes('\nWORKERS=20 · load crowd · '));
  assert.ok(text.includes('One request is: one read, create, update or delete of a document.\n'));
  assert.ok(text.includes('| operations | 1,500 |') && text.includes('| journal written | 2 MB/s |'));
  assert.match(
    text,
    /### By operation\n\nA miss is [^\n]*\n\n\| operation \| good answers \| p50 [^\n]*\n\| --- \| ---: [^\n]*\n\| read \| 600 \| 19 ms \| 40 ms \| 50 ms \| 0 \|\n/,
  );
  assert.doesNotMatch(text, /mean batch|p97/);
});

test('of a run that a program drives there is no latency', () => {
  const text = markdownOf(programResult(), '');
  assert.ok(text.includes('THREADS=2 · FILES=2 · load inserts') && text.includes('| inserts | 4,000 |'));
  assert.doesNotMatch(text, /p95|–|NaN|null|undefined/);
});

test('a result written before there were scenarios reads as one of documents', () => {
  assert.equal(markdownOf(olderResult()), markdownOf(failingResult()));
});

test('failures that could not be placed are shown, and only where there are any', () => {
  const result = unplacedResult();
  assert.ok(markdownOf(result).includes('| unattributed | could not be placed on a tier |'));
  result.ledger.unattributed = 0;
  assert.ok(!markdownOf(result).includes('unattributed'));
});

test('what would have kept writes that are gone is said, and how many they are', () => {
  const gone = { count: 9, at_least: false, text: '', to_do: ['mongo ended: write its journal first.'] };
  const text = markdownOf({ ...healthyResult(), gone_writes: gone });
  assert.match(text, /^- So that no write is gone: mongo ended: write its journal first\.$/m);
  assert.match(text, /^\| writes that were acknowledged and are gone; .* \| 9 \|$/m);
});
