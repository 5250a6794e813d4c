import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCompareMarkdown } from './compare-markdown.js';
import {
  comparisonFixture,
  emptyFixture,
  hostileFixture,
  inconclusiveFixture,
  sameFixture,
  survivorshipFixture,
} from './fixtures/comparisons.js';

/** @param {import('../record/comparison.js').Comparison} comparison */
const textOf = (comparison) => formatCompareMarkdown(comparison).replaceAll('\u00a0', ' ');

test('the verdict comes first, with its blocks and what was left out', () => {
  const text = textOf(comparisonFixture());
  assert.match(text, /^## 2a-tuned against 2a: BETTER\n\n\*\*2a-tuned serves 1\.10 times/);
  assert.ok(text.includes('8 of 8 blocks complete · 1 INVALID run left out · load ramp · budget fair'));
});

test('the gates stand before the metrics, each with its interval', () => {
  const text = textOf(comparisonFixture());
  assert.ok(text.includes('- goodput: **better**, 937 rps → 1,010 rps (1.08×, 95 % interval 1.05 to 1.11×, 8 blocks)\n'));
  assert.ok(text.indexOf('### Gates') < text.indexOf('### Metrics'));
});

test('every metric has a row, a latency of successes with the failed share', () => {
  const comparison = survivorshipFixture();
  const text = textOf(comparison);
  for (const { label } of comparison.metrics) assert.ok(text.includes(`\n| ${label} |`), label);
  assert.match(
    text,
    /\| p95 of successes \| 2\.72 s, 0 % failed \| 1\.06 s, 19\.9 % failed \| 0\.392× \|.*\*\*INCONCLUSIVE\*\*: 2a looks better, but/,
  );
  assert.ok(text.includes('> **Survivorship:** the p95 of successes of 2a'));
});

test('with too few blocks it says how many are needed, and shows no interval', () => {
  const text = textOf(inconclusiveFixture());
  assert.match(text, /^## 2a-tuned against 2a: INCONCLUSIVE\n/);
  assert.ok(text.includes('A verdict needs 8.'));
  assert.match(text, /\| goodput \| [^|]+ \| [^|]+ \| [\d.]+× \| – \| \*\*INCONCLUSIVE\*\* \|/);
});

test('the command, the doubts and the folder end it', () => {
  const text = textOf(comparisonFixture());
  assert.ok(text.includes('- Doubt: one of the runs began while another'));
  assert.ok(text.includes('- Repeat this comparison: `make compare A=2a B=2a-tuned LOAD=ramp BUDGET=fair REPEATS=8 SEED=1`\n'));
  assert.ok(textOf(sameFixture()).includes('no run was INVALID'));
});

test('no figure is made up where none was measured', () => {
  for (const make of [emptyFixture, inconclusiveFixture, hostileFixture])
    assert.doesNotMatch(textOf(make()), /NaN|\bnull\b|undefined|Infinity/);
});

test('text from outside stays text, wherever it is shown', () => {
  const attack = '| **zz** <img src=x> [l](u)\n# h `c`';
  const comparison = comparisonFixture({ title: attack, command: attack, notes: [attack], correction: attack });
  comparison.verdict.sentence = attack;
  comparison.base.id = attack;
  comparison.metrics[0].label = attack;
  comparison.metrics[2].held_back = attack;
  comparison.survivorship = {
    ...survivorshipFixture().survivorship,
    sentence: attack,
    arm: attack,
    failed_share: 0,
    latency_ms_p95_ok: { base: 1, other: 1 },
    rank: 1,
  };
  const text = textOf(comparison);
  // What is escaped or in code is text; nothing of the attack may be left besides.
  const markup = text.replace(/\\[!-/:-@[-`{-~]/g, '').replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
  assert.doesNotMatch(markup, /[<[`]|\*\*zz|^# h/m);
  const widths = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.match(/(?<!\\)\|/g)?.length);
  assert.deepEqual([...new Set(widths)], [7]);
});

test('the head of an arm says how many of its runs were SUSPECT', () => {
  assert.ok(textOf(comparisonFixture()).includes('| 2a (1 of 8 SUSPECT) | 2a-tuned (1 of 8 SUSPECT) |'));
});
