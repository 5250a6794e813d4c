import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatExperimentMarkdown } from './experiment-markdown.js';
import { emptyFixture, experimentFixture, hostileFixture, publishedFixture, quickFixture, scaleFixture } from './fixtures/experiments.js';

/** @param {import('../record/experiment-result.js').ExperimentResult} result */
const textOf = (result) => formatExperimentMarkdown(result).replaceAll('\u00a0', ' ');

test('it begins with the finding and ends with the command', () => {
  const lines = textOf(experimentFixture()).split('\n');
  assert.equal(lines[0], '## Two servers instead of one');
  assert.match(lines[4], /^\*\*The database is cleared: of 129,692 failures/);
  assert.ok(lines.includes('- Repeat this experiment: `make experiment-doubling LOAD=ramp BUDGET=fair REPEATS=8 SEED=1`'));
});

test('a claim has id, claim, published, measured, verdict and quote', () => {
  const row = textOf(experimentFixture())
    .split('\n')
    .find((line) => line.startsWith('| D2 |'));
  assert.match(
    row ?? '',
    /The second node costs availability\. \| failed with one node: 0 %; .* \| failure rate, 2a less a: \+17\.7 percentage points .* \| \*\*REFUTED\*\* \| Two nodes behind/,
  );
});

test('an arm has its medians with ranges, and the failed share with each latency of successes', () => {
  const row = textOf(experimentFixture())
    .split('\n')
    .find((line) => line.startsWith('| **2a** '));
  assert.match(
    row ?? '',
    /8 runs count, 1 INVALID left out \| 934 rps \(910 to 952 rps\) .* 1\.05 s \(1\.02 to 1\.07 s\), 17\.7 % failed .* load balancer: its connection table was full/,
  );
});

test('a curve has a row for each point, and no claims stand where none are', () => {
  const text = textOf(scaleFixture());
  assert.match(text, /\| 4 \| 1,480 rps \| .* \| 65\.7 % \| 0\.04 % \|/);
  assert.ok(!text.includes('### Claims'));
});

test('published figures stand beside the measured ones in a row for each arm, and below it why they are not near', () => {
  const text = textOf(publishedFixture());
  assert.ok(text.includes('| Arm | goodput | throughput, failures included | journal written | p95 of successes |\n'));
  assert.ok(text.includes('| **a** (0 % failed) | 559 rps (published 548, 1.02×, near) | 559 rps (published 917, 0.61×, not near) |'));
  assert.ok(text.includes('| – (published 0.5 MB/s) | – |'));
  assert.ok(text.includes('| 1.05 s (published 2.1, 0.5×) |'));
  assert.ok(text.includes('\n- **a**: throughput, failures included not near: It has two cores here, and had eight there.\n'));
  assert.ok(text.includes('\n- **2a**: goodput not near: not explained\n'));
  assert.ok(!textOf(experimentFixture()).includes('### Published'));
});

test('too few blocks are said to be too few', () => {
  assert.ok(textOf(quickFixture()).includes('A verdict needs 8.'));
});

test('what is missing is a dash', () => {
  assert.doesNotMatch(textOf(emptyFixture()), /NaN|\bnull\b|undefined|Infinity/);
});

test('what an experiment says is text, and no table is broken by it', () => {
  const text = formatExperimentMarkdown(hostileFixture('<script>|\n# [x](y) `z` **b** @everyone'));
  const outside = text.replace(/`+[^\n]*`+/g, '');
  assert.doesNotMatch(outside, /(?<!\\)<script/);
  assert.doesNotMatch(text, /^# /m);
  assert.doesNotMatch(outside, /@everyone/);
  for (const table of text.split('\n\n').filter((part) => part.startsWith('|'))) {
    const widths = table
      .trimEnd()
      .split('\n')
      .map((row) => row.replaceAll('\\|', '').split('|').length);
    assert.equal(new Set(widths).size, 1, table);
  }
});

test('where arms take different containers their price stands in a table of its own', () => {
  const result = experimentFixture();
  const price = { containers: 5, database_connections: 104, backlog: 2956, drained_after_s: 5.7, stale_share: null };
  const withPrices = (/** @type {(index: number) => number} */ containersOf) =>
    textOf({ ...result, arms: result.arms.map((arm, index) => ({ ...arm, price: { ...price, containers: containersOf(index) } })) });
  const priced = withPrices((index) => 3 + index);
  const [, table] = priced.split('### The price\n');
  assert.match(table, /\| Arm \| p95 of successes \| CPU per 1,000 done \| Containers \| Database connections \| Left for later \|/);
  assert.match(table, /\| 2a \| .* \| \d \| 104 \| 2,956 writes queued, 5\.7 s to drain \|/);
  for (const text of [textOf(result), withPrices(() => 5)]) assert.ok(!text.includes('### The price'));
});
