import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Score } from '../record/selftest-total.ts';
import { skippedScore } from '../record/selftest-total.ts';
import { projectSelftestRecord, selftestRecord } from './fixtures/selftest.ts';
import { renderSelftest, scoreTable } from './selftest.ts';
import { formatSelftestMarkdown } from './selftest-markdown.ts';

test('shares stand with the best first, and what nothing is known by is left out', () => {
	const [, score] = selftestRecord().scores;
	const [, line] = scoreTable([{ ...score, where: { inferred: 10, proved: 30, timed: 0, counted: 0 } }]);
	assert.match(line.replaceAll('\u00a0', ' '), /where proved 75 %, inferred 25 %; why timed 100 %$/);
});

const pageOf = (record = selftestRecord()) => renderSelftest(record).replaceAll('\u00a0', ' ');

const sectionOf: (page: string, id: string) => string = (page, id) =>
	page.match(new RegExp(`<section id="${id}".*?</section>`, 's'))?.[0] ?? '';

test('the page begins with how many faults were diagnosed rightly, and on what that rests', () => {
	const page = pageOf();
	assert.ok(
		page.includes(
			'<h1>2 of 4 known faults were diagnosed rightly. The report gave the right tier and cause for 92.9 % of 140 failed requests.</h1>',
		),
	);
	assert.match(page, /measured from 2026-03-14 04:00 UTC to 2026-03-14 06:30 UTC.*2 cores Intel.*budget none.*judged by commit 1234567/s);
});

test('each fault has a row with its causes, its shares and what was missed', () => {
	const faults = sectionOf(pageOf(), 'faults');
	assert.equal(faults.match(/<th scope="row"/g)?.length, 4);
	assert.match(faults, /app-killed: the only node killed mid-run<\/th><td[^>]*>app: app-crashed<.*?>90 %<.*?>90 %<.*?✗ wrong/s);
	assert.match(faults, /slow-node-of-two.*expected the near miss left-out of app-2; found none/s);
});

test('on a narrow screen a fault is a card, each of whose figures says what it is', () => {
	const page = pageOf();
	const faults = sectionOf(page, 'faults');
	const [, style] = faults.match(/<table class="cards figures" style="(.*?)">/) ?? assert.fail();
	const columns = [...faults.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, title]) => title);
	assert.equal(columns.length, 9);
	assert.deepEqual(
		style.split(';--').map((label) => label.replaceAll('&quot;', '"').replace(/^(--)?/, '--')),
		columns.slice(1).map((title, index) => `--c${index + 2}:"${title}"`),
	);
	for (const index of columns.keys())
		if (index > 0)
			assert.match(page, new RegExp(`\\.cards td:nth-child\\(${index + 1}\\)::?before ?\\{\\s*content:\\s*var\\(--c${index + 1}\\)`));
	assert.doesNotMatch(sectionOf(page, 'causes'), /--c2/);
});

test('the matrix counts requests by tier, and what lies off its diagonal is listed by cause', () => {
	const page = pageOf();
	assert.match(sectionOf(page, 'matrix'), />app<\/th><td>130<\/td><td>10</);
	assert.match(sectionOf(page, 'confusions'), />app: app-crashed<\/th><td[^>]*>load-balancer: balancer-down<\/td><td[^>]*>10</);
});

test('precision and recall stand beside each cause, and every cause has its rule', () => {
	const page = pageOf();
	assert.match(sectionOf(page, 'causes'), />app: app-crashed<\/th><td[^>]*>100<\/td><td[^>]*>90<\/td><td[^>]*>100 %<\/td><td[^>]*>90 %</);
	assert.match(sectionOf(page, 'rules'), /answer-lost/);
	assert.match(sectionOf(page, 'left-out'), /cut-at-end/);
});

test('a self-test that was cut short says so', () => {
	assert.ok(!pageOf().includes('class="doubt"'));
	assert.match(pageOf({ ...selftestRecord(), complete: false }), /class="doubt">Not every fault was tried/);
});

test('a run on a machine that others took is listed as not judged, and only then', () => {
	const record = selftestRecord();
	assert.doesNotMatch(pageOf(), /id="not-judged"/);
	const page = pageOf({ ...record, scores: [...record.scores, skippedScore('healthy', 'other machines took 14 %', 'a/9')] });
	assert.match(sectionOf(page, 'not-judged'), /healthy: nothing \(control\)<\/th><td[^>]*>other machines took 14 %/);
});

test('what is missing is a dash, and a name that is no longer in the table is said to be so', () => {
	const record = selftestRecord();
	const page = pageOf({ ...record, scores: [{ ...record.scores[0], fault: 'gone' }] });
	assert.doesNotMatch(page.slice(page.indexOf('<main>')), /NaN|\bnull\b|undefined|Infinity/);
	assert.match(page, /gone: no longer in the table/);
	assert.match(page, /No request failed\./);
});

test('what the record says is text, not markup', () => {
	const record = selftestRecord();
	const page = pageOf({ ...record, machine: '<img src=x onerror=alert(1)>' });
	assert.ok(!page.includes('<img'));
});

test('of a user’s own system the page names it, its faults and causes, and the command that makes it', () => {
	const page = pageOf(projectSelftestRecord());
	assert.match(
		page,
		/<h1>2 of 2 known faults were diagnosed rightly\. The report gave the right tier and cause for 100 % of 20 failed requests/,
	);
	assert.match(page, /class="basis">system shop/);
	assert.match(
		sectionOf(page, 'faults'),
		/web\.killed: its container killed<\/th><td[^>]*>\(app: app-crashed\)<.*?where proved 100 %; why timed 100 %.*?✓ right/s,
	);
	assert.match(sectionOf(page, 'summary'), /put into a copy of shop/);
	assert.match(sectionOf(page, 'repeat'), /doubletake selftest/);
});

test('what could not be put in and what the system bore count for nothing, and are reported with the reason', () => {
	const page = pageOf(projectSelftestRecord());
	assert.equal(sectionOf(page, 'faults').match(/<th scope="row"/g)?.length, 2);
	assert.match(sectionOf(page, 'not-judged'), /web\.paused: its container paused<\/th><td[^>]*>no request failed of it/);
	assert.match(sectionOf(page, 'not-judged'), /store\.locked-table: a lock<\/th><td[^>]*>psql is not in its container/);
	// The reports of those that were run can be read all the same.
	assert.match(sectionOf(page, 'runs'), /web\.paused<\/th><td[^>]*>selftest\/runs\/3\/report\.html/);
});

test('a fault that is wrong has what would tell more beside what was missed', () => {
	const record = projectSelftestRecord();
	const [control, killed] = record.scores;
	const page = pageOf({ ...record, scores: [control, { ...killed, right: 0, advice: ['write web: { watch: 1 }'] }] });
	assert.match(sectionOf(page, 'faults'), /✗ wrong<\/td><td[^>]*>write web: \{ watch: 1 \}/);
});

const text = formatSelftestMarkdown(selftestRecord()).replaceAll('\u00a0', ' ');

test('the page says what was found, on what it rests, and that nobody wrote it by hand', () => {
	assert.match(text, /^# Can the diagnosis be trusted\?\n\n\*\*2 of 4 known faults were diagnosed rightly\./);
	assert.match(text, /judged by commit 1234567/);
	assert.match(text, /Written by `make selftest`; not to be edited by hand\./);
});

test('every table has as many cells in each row as in its head', () => {
	const tables = text.split(/\n\n/).filter((block) => block.startsWith('|'));
	assert.ok(tables.length >= 6);
	for (const block of tables) {
		const widths = block
			.trim()
			.split('\n')
			.map((row) => row.replaceAll('\\|', '').split('|').length);
		assert.equal(new Set(widths).size, 1, block.slice(0, 80));
	}
});

test('the page of the shipped systems has the rules in their order, that of a user’s own has none', () => {
	assert.match(text, /## The rules and questions\n.*\| `generator-exhausted` \| `generator-exhausted` \| +\| free: /s);
	assert.doesNotMatch(text, /## Rules\n/);
	const own = formatSelftestMarkdown(projectSelftestRecord());
	assert.doesNotMatch(own, /The rules and questions/);
	assert.match(own, /## Rules\n/);
});

test('the same record gives the same page', () => {
	assert.equal(formatSelftestMarkdown(selftestRecord()), formatSelftestMarkdown(selftestRecord()));
});

test('what was taken for something else is listed', () => {
	assert.match(text, /\| app: app-crashed \| load-balancer: balancer-down \| 10 \|/);
});

test('of a user’s own system it says by which command it was written', () => {
	assert.match(formatSelftestMarkdown(projectSelftestRecord()), /Written by `doubletake selftest`; not to be edited by hand\./);
});

const { scores } = selftestRecord();
const tableOf = (all: Score[]) => scoreTable(all).map((line) => line.replaceAll('\u00a0', ' '));

test('each fault has a line: right or wrong, how many failed, how many are right, and how that is known', () => {
	const lines = tableOf(scores);
	assert.match(lines[0], /^ +fault +failed +right +unattr\. +how it is known$/);
	assert.match(
		String(lines.find((line) => line.includes('app-errors'))),
		/^✓ right +app-errors +40 +100 % +0 +where proved 100 %; why timed 100 %$/,
	);
	assert.match(
		String(lines.find((line) => line.includes('app-killed'))),
		/^✗ WRONG +app-killed +100 +90 % +0 +where proved 90 %, inferred 10 %/,
	);
});

test('below what is wrong it is said why, and what would let the ledger say more', () => {
	const lines = tableOf([{ ...scores[2], advice: ['watch it'] }]);
	assert.deepEqual(lines.slice(2), ['    10 of app: app-crashed taken for load-balancer: balancer-down', '    watch it']);
	assert.ok(!tableOf([{ ...scores[1], advice: ['watch it'] }]).includes('    watch it'));
});

test('a fault by which nothing can be judged is told apart, with the reason', () => {
	const lines = tableOf([scores[1], skippedScore('db.locked', 'psql is not there')]);
	assert.match(lines[2], /^– skipped +db\.locked +psql is not there$/);
});

test('columns stand one below the other, over all faults of the test', () => {
	const wide = scoreTable([scores[1]], ['app-errors', 'x'.repeat(40)]);
	const at = wide[0].indexOf('failed') + 'failed'.length;
	assert.equal(wide[1].slice(at - 2, at), '40');
});
