import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderFindings } from './findings.ts';
import { formatFindingsMarkdown } from './findings-markdown.ts';
import { findingsFixture, hostileFindings } from './fixtures/findings.ts';

const ATTACK = '</script><script>alert(1)</script><img src=x onerror=alert(1)>';
const pageOf = (findings = findingsFixture()) => renderFindings(findings).replaceAll('\u00a0', ' ');

const rowOf: (page: string, id: string) => string = (page, id) =>
	page.match(new RegExp(`<tr class="claim" id="claim-${id}">.*?</tr>`, 's'))?.[0] ?? '';

test('the page begins with the sentence that counts the verdicts, and the counts', () => {
	const page = pageOf();
	const first = page.slice(page.indexOf('<main>'), page.indexOf('<table'));
	assert.ok(
		first.includes(
			'<h1>1 publication makes 12 claims. Of these, 4 are refuted, 4 are inconclusive and 4 are not measured. The lab adds 3 claims of its own. Of these, 1 holds, 1 is inconclusive and 1 is not measured.</h1>',
		),
	);
	assert.match(
		first,
		/Publications’ claims<\/li><li><b>4<\/b> <span class="stamp refuted small">.*The lab’s own<\/li><li><b>1<\/b> <span class="stamp holds small">/s,
	);
	assert.ok(page.includes('As registered before the runs, 10 in all: 1 holds, 4 are refuted and 5 are inconclusive.'));
	assert.ok(first.includes('measured from 2026-03-14 04:00 UTC to 2026-03-16 08:06 UTC'));
});

test('a claim has what was claimed, the published figures, the verdict, a sentence and a link', () => {
	const row = rowOf(pageOf(), 'D3');
	for (const expected of [
		'The failures are MongoDB&#39;s: its connections are exhausted.',
		'21 HTTP 500s among 93,069 failures',
		'<span class="stamp refuted small">',
		'<span class="sentence">Of the failures of two nodes',
		'href="./../../doubling/20260314T040000Z-1a2b/experiment.html#claim-D3"',
	]) {
		assert.ok(row.includes(expected), expected);
	}
});

test('every claim is there once, and every one that was measured has its link', () => {
	const findings = findingsFixture();
	const page = pageOf(findings);
	for (const { id, href } of findings.experiments.flatMap(({ claims }) => claims)) {
		const row = rowOf(page, id);
		assert.equal(row.includes('<a href='), href !== null, id);
		if (href !== null) assert.ok(row.includes(`href="./${href}"`), id);
	}
	assert.equal(page.match(/<tr class="claim"/g)?.length, 15);
});

test('an experiment is the head of its claims, and says on what they rest or why they do not', () => {
	const heads = [...pageOf().matchAll(/<tr class="group">.*?<\/tr>/gs)].map(([head]) => head);
	assert.equal(heads.length, 3);
	assert.match(heads[0], /<th scope="rowgroup" colspan="5">.*Two servers instead of one.*8 of 8 repetitions complete.*load <b>ramp<\/b>/s);
	assert.doesNotMatch(heads[0], /incomplete/);
	assert.match(heads[1], /<span class="incomplete">2 repetitions are complete, and a verdict needs 8\./);
	assert.match(heads[2], /<span class="incomplete">Not measured yet: make experiment-missing/);
	assert.doesNotMatch(heads[2], /<a /);
});

test('an experiment without claims has its question, what was found and a link', () => {
	const page = pageOf();
	const [, item = ''] = page.match(/<ul class="questions"><li>(.*?)<\/li>/s) ?? [];
	for (const expected of [
		'Two pools',
		'Which pool?',
		findingsFixture().unclaimed[0].headline ?? '-',
		'load <b>',
		'2 repetitions are complete',
	]) {
		assert.ok(item.replaceAll('&#39;', "'").includes(expected), `${expected} in ${item}`);
	}
	assert.match(item, /<a href="\.\/[^"]*experiment\.html">/);
	assert.ok(!pageOf({ ...findingsFixture(), unclaimed: [] }).includes('Without a claim'));
});

test('the list of everything is linked where it is, and not where it is not', () => {
	assert.ok(pageOf().includes('<a href="./../../index.html">all runs</a>'));
	assert.ok(!pageOf({ ...findingsFixture(), index: null }).includes('all runs'));
});

test('what is missing is a dash or nothing', () => {
	const page = pageOf();
	assert.doesNotMatch(page.slice(page.indexOf('<main>')), /NaN|\bnull\b|undefined|Infinity/);
});

test('what the records say is text, not markup, and every link is a path from the folder', () => {
	const page = pageOf(hostileFindings(ATTACK));
	assert.ok(!page.includes('<img'));
	assert.ok(!page.includes('alert(1)</script>'));
	assert.ok([...page.matchAll(/<a href="([^"]*)"/g)].every(([, href]) => href.startsWith('./')));
});

/** D2 rests on SUSPECT runs, and comes out otherwise when read again. */
function reported() {
	const findings = findingsFixture();
	const claim = findings.experiments[0].claims.find(({ id }) => id === 'D2');
	Object.assign(claim ?? {}, {
		verdict: 'INCONCLUSIVE',
		statement: 'As it stands now.',
		sentence: 'The result depends on SUSPECT runs.',
		deviation: 'It was tested otherwise.',
		doubt: '2a: 8 of 8 runs SUSPECT: k6 was at its quota',
		elsewhere: [
			{ load: 'calm', budget: 'none', record: 'x', verdict: 'HOLDS', text: 'a figure: 2.', instead: 'other arms were there', tests: [] },
		],
	});
	return findings;
}

test('what was registered stands beside what is read today, and why it is another verdict in a note that the row leads to', () => {
	const page = pageOf(reported());
	const row = rowOf(page, 'D2');
	assert.match(row, /<span class="stamp inconclusive small">.*registered: REFUTED, of another statement/s);
	assert.match(row, /Under load calm, budget none: <b>HOLDS<\/b> \(other variants\), a figure: 2\./);
	assert.match(row, /<a class="note" href="#note-D2">note 1/);
	const [note = ''] = page.match(/<li id="note-D2">.*?<\/li>/s) ?? [];
	assert.match(
		note,
		/Registered before the runs, as “The second node costs availability”: REFUTED\..*a deviation: It was tested otherwise\..*In doubt: 2a: 8 of 8 runs SUSPECT: k6 was at its quota\./s,
	);
});

test('a verdict on runs that were graded by rules replaced since says so in its row and at its experiment', () => {
	const findings = findingsFixture();
	findings.experiments[0].grading = 'Its runs were graded otherwise.';
	const page = pageOf(findings);
	assert.equal(page.match(/runs graded by earlier rules/g)?.length, findings.experiments[0].claims.length);
	assert.ok(page.includes('<span class="incomplete">Its runs were graded otherwise.</span>'));
});

const textOf = (findings = findingsFixture()) => formatFindingsMarkdown(findings).replaceAll('\u00a0', ' ');

test('it begins with the sentence that counts the verdicts and ends with the command', () => {
	const lines = textOf().trimEnd().split('\n');
	assert.equal(
		lines[0],
		'## 1 publication makes 12 claims. Of these, 4 are refuted, 4 are inconclusive and 4 are not measured. The lab adds 3 claims of its own. Of these, 1 holds, 1 is inconclusive and 1 is not measured.',
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
	assert.match(
		rows,
		/\| \*\*Two pools\*\* Which pool\? \| .+ \| .*2 repetitions are complete.* \| \[evidence\]\(\.\/.*experiment\.md\) \|/,
	);
	assert.doesNotMatch(textOf({ ...findingsFixture(), unclaimed: [] }), /Without a claim/);
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

test('what was registered stands beside what is read today, and why it is another verdict in a note', () => {
	const text = textOf(reported());
	const row = text.split('\n').find((line) => line.startsWith('| **D2** ')) ?? '';
	assert.match(
		row,
		/As it stands now\. \|.*\*\*INCONCLUSIVE\*\* \(registered: REFUTED\) \| The result depends on SUSPECT runs\..* Note 1\. \|/,
	);
	assert.match(row, /Under load calm, budget none: HOLDS \(other variants\), a figure: 2\./);
	const [, notes = ''] = text.split('### Notes');
	assert.match(
		notes,
		/1\. \*\*D2\*\* Registered before the runs, as “The second node costs availability”: REFUTED\. “Two nodes .*After the runs, a deviation: It was tested otherwise\. .*other arms were there\. .*In doubt: 2a: 8 of 8 runs SUSPECT: k6 was at its quota\./,
	);
});
