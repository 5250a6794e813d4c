import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, recordOf } from '../../diagnose/fixtures/record.ts';
import { raise } from '../../diagnose/fixtures/tell.ts';
import { resultOf } from '../../diagnose/result.ts';
import type { FaultEffect } from '../../record/types.js';
import { crudResult, failingResult, healthyResult } from '../fixtures/results.ts';
import { formatRunMarkdown } from '../run-markdown.ts';
import { formatSummary } from '../terminal.ts';
import { nearMissesSection } from './near-misses.ts';
import { breakdownRows, breakdownsSection } from './parts.ts';
import { putFaultsSection } from './put-faults.ts';

test('each breakdown is a table with its caption, in a frame that scrolls by itself', () => {
	const text = breakdownsSection(crudResult())?.text.replaceAll('\u00a0', ' ') ?? '';
	assert.match(text, /<h3>By operation<\/h3><p class="lead">A miss is a read/);
	assert.match(text, /<div class="scroll" tabindex="0" role="region" aria-label="By operation"><table class="figures">/);
	assert.match(text, /<th scope="col">operation<\/th><th scope="col">good answers<\/th>/);
});

test('figures are written as the unit of their column, and what is missing is a dash', () => {
	const rows = breakdownRows(crudResult().breakdowns[0]).map((row) => row.map((cell) => cell.replaceAll('\u00a0', ' ')));
	assert.deepEqual(
		[rows[0], rows.at(-1)],
		[
			['read', '600', '19 ms', '40 ms', '50 ms', '0'],
			['delete', '0', '–', '–', '–', '0'],
		],
	);
});

test('a row that is shorter than the columns has dashes at its end', () => {
	const [table] = crudResult().breakdowns;
	assert.deepEqual(breakdownRows({ ...table, rows: [{ name: 'read', values: [] }] }), [['read', '–', '–', '–', '–', '–']]);
});

test('without breakdowns there is no section', () => {
	assert.equal(breakdownsSection(failingResult()), null);
});

/** MongoDB was away for a second, and the queue of the node overflowed, without a request that failed. */
function missedResult() {
	const raw = recordOf();
	endService(raw, 'mongo', 3, { back: 4 });
	raise(raw, 'app-1', 6, { ListenOverflows: 12 });
	return resultOf(raw);
}

test('each near miss has its tier, what it cost in a sentence, and the evidence where there is some', () => {
	const text = nearMissesSection(missedResult())?.text ?? '';
	const items = [...text.matchAll(/<li>(<span class="chip".*?)(?=<li><span class="chip"|<\/ul>\s*<\/section>)/gs)].map(([, item]) => item);
	assert.equal(items.length, 2);
	assert.match(items[0], /<\/span> mongo ended in second 3 and was back 1\.0 s later; no request was lost there\./s);
	assert.doesNotMatch(items[0], /class="evidence"|mongo<\/span>/);
	assert.match(items[1], /app-1<\/span> the accept queue/);
	assert.match(items[1], /the accept queue of app-1 overflowed 12 times.*ListenOverflows.*3.*15/s);
});

test('a run without near misses has no such section', () => {
	assert.equal(nearMissesSection(healthyResult()), null);
});

test('what a near miss says is text, not markup', () => {
	const result = missedResult();
	result.ledger.near_misses[0].text = '<img src=x>';
	assert.doesNotMatch(nearMissesSection(result)?.text ?? '', /<img/);
});

const PAUSED: FaultEffect = {
	text: 'pause <mongo>@4s+2s',
	began_s: 4.01,
	ended_s: 6.02,
	failed: null,
	before: { seconds: 4, goodput_rps: 300, failure_rate: 0 },
	during: { goodput_rps: 12.5, failure_rate: 0.2 },
	recovered_after_s: 1.5,
	backlog: null,
	watched_after_s: 6,
	metastable: false,
	loop: null,
	later_rps: null,
};

test('a run without faults has no such section', () => {
	assert.equal(putFaultsSection(failingResult()), null);
});

test('each fault has its mark, its text escaped, and what it did', () => {
	const result = { ...failingResult(), faults: [PAUSED] };
	const text = String(putFaultsSection(result)?.text).replaceAll('\u00a0', ' ');
	assert.match(text, /<b>F1<\/b> <code>pause &lt;mongo&gt;@4s\+2s<\/code>/);
	for (const said of ['300 rps', '12.5 rps', '20 %', 'after 1.5 s', 'seconds 4.01 to 6.02']) assert.ok(text.includes(said), said);
	for (const page of [formatSummary(result, 'report.html'), formatRunMarkdown({ result, judged: [] })])
		assert.match(page.replaceAll('\u00a0', ' '), /12\.5 rps during it, 20 % failed; recovered: after 1\.5 s/);
});
