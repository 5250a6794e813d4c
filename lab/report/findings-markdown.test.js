import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingsTable, formatFindingsMarkdown } from './findings-markdown.js';
import { findingsFixture, hostileFindings } from './fixtures/findings.js';

const textOf = (findings = findingsFixture()) => formatFindingsMarkdown(findings).replaceAll('\u00a0', ' ');

test('it begins with the sentence that counts the verdicts and ends with the command', () => {
  const lines = textOf().trimEnd().split('\n');
  assert.equal(
    lines[0],
    '## Of 12 claims of 1 publication 4 are refuted, 4 are inconclusive and 4 are not measured. Of 3 questions of the lab’s own 1 holds, 1 is inconclusive and 1 is not measured.',
  );
  assert.equal(lines.at(-1), 'Repeat it: `make experiment-all`');
});

test('a claim has claim, published figures, verdict, sentence and a link to its evidence', () => {
  const row = textOf()
    .split('\n')
    .find((line) => line.startsWith('| **D2** '));
  assert.match(
    row ?? '',
    /^\| \*\*D2\*\* The second node costs availability\. \| failed with one node: 0 %; .* \| \*\*REFUTED\*\* \| Two nodes behind .* \| \[evidence\]\(\.\/\.\.\/\.\.\/doubling\/20260314T040000Z-1a2b\/experiment\.md\) \|$/,
  );
});

test('an experiment has a row above its claims, and what was not measured has no link', () => {
  const lines = textOf().split('\n');
  assert.ok(lines.some((line) => line.startsWith('| **[Two servers instead of one](./../../doubling/')));
  assert.ok(lines.some((line) => line.startsWith('| **Experiment missing** ') && line.includes('make experiment-missing')));
  assert.match(lines.find((line) => line.startsWith('| **M1b** ')) ?? '', /\*\*not measured\*\* \| – \| – \|$/);
});

test('experiments without claims have a table of their own, where there are any', () => {
  const [, rows = ''] = textOf().split('### Without a claim');
  assert.match(rows, /\| \*\*Two pools\*\* Which pool\? \| .+ \| .*2 blocks are complete.* \| \[evidence\]\(\.\/.*experiment\.md\) \|/);
  assert.doesNotMatch(textOf({ ...findingsFixture(), unclaimed: [] }), /Without a claim/);
});

test('the table can stand elsewhere: its links are led from there', () => {
  const links = [...findingsTable(findingsFixture(), 'reports/examples/').matchAll(/\]\(([^)]+)\)/g)].map(([, href]) => href);
  assert.ok(links.length > 10 && links.every((href) => href.startsWith('./reports/examples/../../')));
});

test('what the records say is text, and no table is broken by it', () => {
  const text = formatFindingsMarkdown(hostileFindings('<script>|\n# [x](y) `z` **b** @everyone'));
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

/** D2 rests on SUSPECT runs, and comes out otherwise when read again. */
function told() {
  const findings = findingsFixture();
  const claim = findings.experiments[0].claims.find(({ id }) => id === 'D2');
  Object.assign(claim ?? {}, {
    verdict: 'INCONCLUSIVE',
    statement: 'As it stands now.',
    sentence: 'Rests on SUSPECT runs.',
    deviation: 'It was tested otherwise.',
    doubt: '2a: 8 of 8 runs SUSPECT: k6 was at its quota',
    elsewhere: [
      { load: 'calm', budget: 'none', record: 'x', verdict: 'HOLDS', text: 'a figure: 2.', instead: 'other arms were there', tests: [] },
    ],
  });
  return findings;
}

test('what was registered stands beside what is read today, and why it is another verdict in a note', () => {
  const text = textOf(told());
  const row = text.split('\n').find((line) => line.startsWith('| **D2** ')) ?? '';
  assert.match(row, /As it stands now\. \|.*\*\*INCONCLUSIVE\*\* \(registered: REFUTED\) \| Rests on SUSPECT runs\..* Note 1\. \|/);
  assert.match(row, /Under load calm, budget none: HOLDS \(other arms\), a figure: 2\./);
  const [, notes = ''] = text.split('### Notes');
  assert.match(
    notes,
    /1\. \*\*D2\*\* Registered before the runs, as “The second node costs availability”: REFUTED\. “Two nodes .*After the runs, a deviation: It was tested otherwise\. .*other arms were there\. .*In doubt: 2a: 8 of 8 runs SUSPECT: k6 was at its quota\./,
  );
});
