import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, recordOf } from '../../diagnose/fixtures/record.ts';
import { resultOf } from '../../diagnose/result.ts';
import type { Result } from '../../record/types.js';
import { failingResult, healthyResult, programResult, unplacedResult } from '../fixtures/results.ts';
import { html } from '../html.ts';
import { evidenceSection } from './evidence.ts';
import { flowSection } from './parts.ts';
import { verdictSection } from './verdict.ts';

const HEAD = '<h3>Failures by tier and cause</h3>';

/** What stands below that head, up to the next one. */
function shown(result: Result) {
	const text = String(evidenceSection(result)).replaceAll('\u00a0', ' ');
	const from = text.indexOf(HEAD) + HEAD.length;
	return text.slice(from, text.indexOf('<h3>', from)).trim();
}

/** The cells of the rows that have a count, as text. */
const rowsIn = (text: string) =>
	[...text.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) =>
		[...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
			cell
				.replace(/<[^>]+>/g, ' ')
				.replace(/\s+/g, ' ')
				.trim(),
		),
	);

/** One node that was killed, while connections to it broke and were refused, and a database that ended later. */
function chainedResult() {
	const raw = recordOf({
		kinds: { eof: { 3: 10 }, refused: { 3: 30 } },
		answers: [{ error: 'MongoPoolClearedError', second: 9, count: 8 }],
	});
	endService(raw, 'app-1', 2.5, { back: 3 });
	endService(raw, 'mongo', 8);
	return resultOf(raw);
}

test('each row has tier and cause, how place and cause are known, and how many there are', () => {
	const result = failingResult();
	const rows = rowsIn(shown(result));
	assert.equal(rows.length, result.ledger.failures.length + (result.ledger.unattributed > 0 ? 1 : 0));
	for (const [index, { service, cause, cause_title: title, count, basis }] of result.ledger.failures.entries()) {
		const [tier, what, where, why, number, share] = rows[index];
		assert.equal(tier, `load balancer ${service}`);
		assert.equal(html`${title} ${cause}`.text, what.replace(/ in doubt In doubt: other programs used 7\.1 % of the machine\./, ''));
		assert.deepEqual([where.split(' ')[0], why.split(' ')[0]], [Object.keys(basis.where)[0], Object.keys(basis.why)[0]]);
		assert.equal(number, count.toLocaleString('en-US'));
		assert.match(share, /^[\d.]+ %$/);
	}
});

test('what is known in several ways has each with its share, from the surest on, and what is known in one has that word alone', () => {
	const [, [, cause, where, why]] = [[], rowsIn(shown(chainedResult()))[0]];
	assert.match(cause, /app-crashed$/);
	assert.deepEqual([where, why], ['proved 75 % timed 25 %', 'timed']);
});

test('a chain stands above the rule, where there is one', () => {
	const text = shown(chainedResult());
	assert.match(
		text,
		/<span class="label">Chain<\/span> mongo: it was down\. In app-1 8 requests failed of it: the driver had cleared the pool\.<\/p><p><span class="label">Rule/,
	);
	assert.equal(text.match(/>Chain</g)?.length, 1);
	assert.doesNotMatch(shown(failingResult()), />Chain</);
});

test('what could not be placed has a row with the reason, and only where there is any', () => {
	const result = unplacedResult();
	const row = rowsIn(shown(result)).at(-1) ?? [];
	assert.equal(row[1], `could not be placed on a tier: ${html`${result.ledger.unattributed_reason}`.text}`);
	assert.equal(row[2], result.ledger.unattributed.toLocaleString('en-US'));
	assert.doesNotMatch(shown(chainedResult()), /could not be placed/);
});

test('the words for how a failure is known are explained below the table', () => {
	for (const word of ['Proved', 'Timed', 'Counted', 'Inferred']) assert.match(shown(failingResult()), new RegExp(`\\b${word} means `));
});

test('a run that lost nothing has no table', () => {
	assert.equal(shown(healthyResult()), '<p class="calm">None of the requests failed.</p>');
	assert.equal(shown(programResult()), '<p class="calm">None of the inserts failed.</p>');
});

test('what proves a failure stands at the top and is linked to, the rest in its row, and nothing twice on the page', () => {
	const result = failingResult();
	const [most, ...others] = result.ledger.failures;
	const texts = ['first', 'second', 'third', 'fourth'].map((word) => `the ${word} reading.`);
	const evidence = ['the way.', ...texts].map((text) => ({ kind: 'reading' as const, text }));
	/** Of a finding no more is shown. */
	const finding: any = { count: most.count, evidence: texts };
	const followed: Result = {
		...result,
		ledger: { ...result.ledger, failures: [{ ...most, evidence }, ...others] },
		waiting: { failed: most.count, followed: most.count, findings: [finding], doubts: [] },
	};
	const page = [verdictSection, flowSection, evidenceSection].map((section) => String(section(followed))).join('');
	for (const { text } of evidence) assert.equal(page.split(text).length - 1, 1, text);
	assert.match(
		shown(followed),
		/<tbody id="failure-1">.*<li>the way\.<\/li><li>the third reading\.<\/li><li>the fourth reading\.<\/li><li><a href="#proof">2 more pieces of evidence are at the top of the page</s,
	);
	assert.match(
		String(verdictSection(followed)),
		/<li id="proof">.*the first reading.*the second reading\. <a href="#failure-1">All evidence</s,
	);
	assert.match(String(flowSection(followed)), /<a href="#failure-1">Evidence</);
});

test('the log line that stands one to one with the failures comes first, whichever others there are', () => {
	const result = failingResult();
	const [most] = result.ledger.failures;
	const texts = [
		'the first reading.',
		'The log of web says, 9 times while requests failed, never in the 7 calm seconds: “502 in web”',
		'Its log says, 35 times for 35 failed requests: “pool <is> empty”',
	];
	const evidence = texts.map((text) => ({ kind: 'reading' as const, text }));
	const waiting: any = { failed: most.count, followed: most.count, findings: [{ count: most.count, evidence: texts }], doubts: [] };
	const page = String(verdictSection({ ...result, waiting, ledger: { ...result.ledger, failures: [{ ...most, evidence }] } }));
	assert.match(
		page,
		/<li id="proof"><span class="label">Log<\/span> nginx logged this 35 times for 35 failed requests: <code>pool &lt;is&gt; empty<\/code><\/li><li>.*the first reading/,
	);
	assert.doesNotMatch(page, /502 in web/);
});
