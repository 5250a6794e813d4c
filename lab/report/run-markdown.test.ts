import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result, Wire } from '../record/types.js';
import { crudResult, failingResult, healthyResult, invalidResult, noisyResult, programResult, unplacedResult } from './fixtures/results.ts';
import { judgedOf } from './fixtures/thresholds.ts';
import { FORMATS } from './format.ts';
import { escapeMarkdown } from './html.ts';
import { formatJUnit } from './junit.ts';
import { formatRunMarkdown } from './run-markdown.ts';
import { formatSummary } from './terminal.ts';
import { wireNotes } from './wire-rows.ts';

/** The first is met by any run, the others by none that loses requests for seconds. */
const THRESHOLDS = 'throughput_rps>=1,failure_rate<0.1%,latency_ms_p95_ok<1';

const markdownOf = (result: Result, text: string = THRESHOLDS) =>
	formatRunMarkdown({ result, judged: judgedOf(text, result) }).replaceAll('\u00a0', ' ');

test('a run with met and unmet thresholds says what happened, whether to trust it, which were met, and how to repeat it', () => {
	const result = failingResult();
	const text = markdownOf(result);
	const reported = (part: string) => assert.ok(text.includes(part), part);
	assert.ok(text.startsWith(`## 2a: two nodes behind Nginx, as published\n\n**${escapeMarkdown(result.headline)}**\n\nload smoke · `));
	reported(
		`**SUSPECT**: You can trust counts, status codes and the service of each failure. Take request and failure rates, latencies, the cause of 35 failures and the bottleneck with care.\n\n- ${escapeMarkdown(result.validity.reasons[0])}\n`,
	);
	reported(
		'### Thresholds: 1 of 3 met\n\n| Threshold | Verdict | Reason |\n| --- | --- | --- |\n| `throughput_rps>=1` | met, in doubt | expected throughput_rps',
	);
	reported('| `failure_rate<0.1%` | **not met** | expected failure_rate \\< 0.001; found 0.');
	reported(
		`| requests | ${result.metrics.requests.toLocaleString('en-US')} |\n| failed | ${result.metrics.failures.toLocaleString('en-US')} |\n`,
	);
	reported(`| p95 of successes | ${FORMATS.ms(result.metrics.latency_ms.ok.p95)} (in doubt) |`.replaceAll('\u00a0', ' '));
	for (const { cause_title: cause, count } of result.ledger.failures)
		reported(`| load balancer | ${escapeMarkdown(cause)} | ${count.toLocaleString('en-US')} | `);
	reported(`- Try \`${result.try_next[0].command}\`: `);
	reported(`- Repeat this run: \`${result.command} EXPECT='${THRESHOLDS}'\`\n- Report: \`reports/${result.run}/report.html\`\n`);
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
	assert.ok(text.includes('**VALID**: You can trust all measured figures: no doubt was found.\n'));
	assert.ok(text.includes('None of the requests failed.\n'));
	assert.ok(text.includes('| p95 of successes | – |'));
	assert.doesNotMatch(text, /NaN|null|undefined/);
});

test('a run that measured nothing says so in its title, and none of its thresholds counts', () => {
	const text = markdownOf(invalidResult());
	assert.match(text, /^## 2a: .* \(INVALID\)\n/);
	assert.ok(
		text.includes('**INVALID**: Trust nothing here: this run says nothing about the system. Comparisons between runs do not use this run.'),
	);
	assert.ok(text.includes('- The load was interrupted.\n'));
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
	assert.ok(text.includes('Requests of the load: one read, create, update or delete of a document.\n'));
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

test('failures that could not be placed are shown, and only where there are any', () => {
	const result = unplacedResult();
	assert.ok(markdownOf(result).includes('| unattributed | unknown |'));
	result.ledger.unattributed = 0;
	assert.ok(!markdownOf(result).includes('unattributed'));
});

test('what would have kept writes that are gone is said, and how many they are', () => {
	const gone = { count: 9, at_least: false, text: '', to_do: ['mongo ended: write its journal first.'] };
	const text = markdownOf({ ...healthyResult(), gone_writes: gone });
	assert.match(text, /^- So that no write is gone: mongo ended: write its journal first\.$/m);
	assert.match(text, /^\| writes that were acknowledged and are gone; .* \| 9 \|$/m);
});

const linesOf = (result: Result, text: string) =>
	formatSummary(result, 'reports/2a/x/report.html', judgedOf(text, result)).replaceAll('\u00a0', ' ').split('\n');

test('a summary says what happened, with what doubts, and where the report is', () => {
	const result = failingResult();
	const text = (unit: 'rps' | 'share' | 'ms', value: number | null) => FORMATS[unit](value).replaceAll('\u00a0', ' ');
	const { throughput_rps: throughput, goodput_rps: goodput, failure_rate: rate, latency_ms: latency } = result.metrics;
	assert.deepEqual(linesOf(result, ''), [
		'',
		'  SUSPECT: You can trust counts, status codes and the service of each failure. Take request and failure rates, latencies, the cause of 35 failures and the bottleneck with care.',
		`    ${result.validity.reasons[0]}`,
		`  ${result.headline}`,
		'',
		`  throughput ${text('rps', throughput)}, goodput ${text('rps', goodput)}, failed ${text('share', rate)}`,
		`  p95 of all ${text('ms', latency.all.p95)}, p95 of good answers ${text('ms', latency.ok.p95)}`,
		...result.try_next.map(({ command, why }) => `  next: ${command}  (${why})`),
		'',
		'  report: reports/2a/x/report.html',
		'',
	]);
});

test('of an INVALID run the first to do is the same again, and what comes then is marked', () => {
	const result = failingResult();
	const later = { command: 'make run-2a-slots', why: 'x', once_valid: true as const };
	result.try_next = [{ command: 'make run-2a', why: 'again' }, later];
	assert.deepEqual(
		linesOf(result, '').filter((line) => / (next|after a VALID run): /.test(line)),
		['  next: make run-2a  (again)', '  after a VALID run: make run-2a-slots  (x)'],
	);
	assert.match(formatRunMarkdown({ result, judged: [] }), /^- Try `make run-2a`: again\n- Try after a VALID run `make run-2a-slots`: x$/m);
	result.command = 'make run-2a';
	assert.match(
		formatRunMarkdown({ result, judged: [] }),
		/^- Try after a VALID run `make run-2a-slots`: x\n- Repeat this run: `make run-2a`: again\n/m,
		'one command is told once',
	);
});

test('what the wire and doubletake.yaml say differently has a line each', () => {
	const differs = ['seen on the wire, not in doubletake.yaml: api asks cache, 9 calls', 'no service asks worker'];
	const wire = { edges: [], no_host: [], networks: [], doubts: [] };
	const notes = (own: Wire) => linesOf({ ...failingResult(), wire: own }, '').filter((line) => line.startsWith('  note: '));
	assert.deepEqual(
		notes({ ...wire, differs }),
		differs.map((text) => `  note: ${text}`),
	);
	assert.deepEqual(notes(wire), [], 'a result from before has none');
	assert.deepEqual(wireNotes({ ...wire, differs }), differs, 'on the page and in Markdown');
});

test('each threshold has a line that says whether it is met, and why', () => {
	const lines = linesOf(failingResult(), 'throughput_rps>=1,failure_rate<0.001');
	assert.ok(
		lines.some((line) => /^ {2}met: throughput_rps>=1 {2}\(expected throughput_rps >= 1 rps; found [\d.]+ rps\)$/.test(line)),
		lines.join('\n'),
	);
	assert.ok(
		lines.some((line) => /^ {2}not met: failure_rate<0\.001 {2}\(expected failure_rate < 0\.001; found 0\.\d+\)$/.test(line)),
		lines.join('\n'),
	);
});

test('a load that ended before its time says when and why', () => {
	const text = 'The load ended after 19.1 s of at most 60 s: all its iterations were done.';
	const lines = linesOf({ ...healthyResult(), load_end: { after_s: 19.1, most_s: 60, text } }, '');
	assert.ok(lines.includes(`  ${text}`), lines.join('\n'));
});

test('why to doubt a run is said once, a reason a line', () => {
	const result = failingResult();
	result.validity.doubts = ['the machine was busy', 'a gap'].map((reason) => ({ ...result.validity.doubts[0], reason }));
	const lines = linesOf(result, '');
	assert.deepEqual(lines.slice(2, 5), ['    the machine was busy', '    a gap', `  ${result.headline}`]);
	assert.doesNotMatch(result.headline, /SUSPECT/);
});

test('a run that measured nothing judges no threshold', () => {
	const lines = linesOf(invalidResult(), 'throughput_rps>=700');
	const line = '  not judged: throughput_rps>=700  (nothing was measured: the run was interrupted before its load had ended)';
	assert.ok(lines.includes(line), lines.join('\n'));
});

test('of a run on a noisy machine what is in doubt is said, and what stands', () => {
	const lines = linesOf(noisyResult(), 'throughput_rps>=1');
	const [, first, reason, other] = lines;
	assert.equal(
		first,
		'  IN DOUBT: You can trust counts, status codes and the service and cause of each failure. Do not trust request and failure rates, latencies and the bottleneck.',
		lines.join('\n'),
	);
	assert.deepEqual(
		[reason, other],
		noisyResult().validity.reasons.map((text) => `    ${text}`),
	);
	const met = lines.findIndex((line) => line.startsWith('  met: throughput_rps>=1'));
	assert.equal(lines[met + 1], `    in doubt: ${noisyResult().validity.reasons[0]}`);
	const text = markdownOf(noisyResult());
	assert.match(text, /^## 2a: .* \(IN DOUBT\)\n/);
	assert.match(text, /\n- other machines .* 9\.9 %.*; the limit is 5 %\n\nMinor doubts:\n\n- other programs used 7\.1 %/);
	assert.doesNotMatch(`${lines.join('\n')}${text}`, /says nothing|INVALID/);
});

test('without doubts and thresholds there is no word of them', () => {
	assert.doesNotMatch(linesOf(healthyResult(), '').join('\n'), /VALID|SUSPECT|met/);
});

test("the scenario's own figures have a line, and a program has none of latency", () => {
	assert.match(linesOf(crudResult(), '').join('\n'), /\n {2}p95 of reads 40 ms, .*journal written 2 MB\/s\n/);
	assert.doesNotMatch(linesOf(programResult(), '').join('\n'), /p95|–/);
});

test('what would have kept writes that are gone has a line of its own', () => {
	const gone = { count: 9, at_least: false, text: '', to_do: ['mongo ended: write its journal first.'] };
	assert.match(
		formatSummary({ ...healthyResult(), gone_writes: gone }, 'x'),
		/\n {2}so that no write is gone: mongo ended: write its journal first\.\n/,
	);
});

const junitOf = (result: Result, text: string = THRESHOLDS) =>
	formatJUnit({ suite: `doubletake ${result.architecture} ${result.load}`, result, judged: judgedOf(text, result) });

test('a threshold that is not met is a failure that says why, what happened and how to repeat it', () => {
	const result = failingResult();
	const text = junitOf(result);
	assert.ok(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="3" failures="2" errors="0" skipped="0">'));
	assert.match(
		text,
		/<testsuite name="doubletake 2a smoke" timestamp="2026-[^"]*" time="[\d.]+" tests="3" failures="2" errors="0" skipped="0">/,
	);
	for (const [name, value] of Object.entries({
		run: result.run,
		architecture: '2a',
		load: 'smoke',
		budget: result.budget,
		seed: '1',
		command: result.command,
	}))
		assert.ok(text.includes(`<property name="${name}" value="${value}"/>`), name);
	assert.ok(text.includes(`<property name="validity" value="SUSPECT; ${result.validity.reasons[0]}"/>`));
	assert.ok(
		text.includes(
			`<testcase classname="doubletake 2a smoke" name="throughput_rps>=1">\n      <system-out><![CDATA[in doubt: ${result.validity.reasons[0]}]]></system-out>`,
		),
	);
	const [, reason, details] =
		text.match(/<failure message="(expected failure_rate [^"]*)" type="threshold not met"><!\[CDATA\[(.*?)\]\]>/s) ?? [];
	assert.match(reason, /^expected failure_rate &lt; 0\.001; found 0\.\d+$/);
	assert.ok(details.endsWith(`\n${result.headline}\nRepeat it with: ${result.command}`));
});

test('a threshold that is met is a test case that passes', () => {
	const text = junitOf(healthyResult(), 'failure_rate<0.001');
	assert.match(text, /<testsuite [^>]*tests="1" failures="0" errors="0"/);
	assert.match(text, /<testcase classname="doubletake a crowd" name="failure_rate&lt;0.001"\/>/);
});

test('of a run that measured nothing every threshold is an error with its reasons, and none a failure', () => {
	const text = junitOf(invalidResult());
	assert.match(text, /<testsuite [^>]*tests="3" failures="0" errors="3"/);
	assert.equal(text.match(/<error message="no threshold was judged: [^"]*was interrupted[^"]*" type="not judged">/g)?.length, 3);
});

test('a threshold that is met by a figure in doubt passes with the doubt, and is an error where doubts decide', () => {
	const [result, text] = [noisyResult(), 'throughput_rps>=1'];
	assert.match(junitOf(result, text), /tests="1" failures="0" errors="0"[\s\S]*<system-out><!\[CDATA\[in doubt: other machines/);
	const strict = formatJUnit({ suite: 'x', result, judged: judgedOf(text, result), strict: true });
	assert.match(strict, /tests="1" failures="0" errors="1"[\s\S]*<error message="met, but in doubt: other machines[^"]*" type="in doubt">/);
});

test('no text can break out of its place, nor bring in what XML does not take', () => {
	const result = failingResult();
	result.headline = ']]></failure><script/>]]> & more';
	result.command = 'make run-2a "SEED=1" <&>';
	result.validity.reasons = ['a bell \u0007, a colour \u001b[31m'];
	const text = junitOf(result);
	assert.ok(text.includes(']] ></failure><script/>]] > & more'));
	assert.ok(text.includes('value="The record has no command that this program would write."'));
	assert.ok(!text.includes('\u0007') && !text.includes('\u001b'));
	assert.equal(text.match(/]]>/g)?.length, text.match(/<!\[CDATA\[/g)?.length);
});

test('writes that are gone are told whatever was asked for, with what would have kept them', () => {
	const gone = { count: 9, at_least: false, text: '9 acknowledged writes are gone.', to_do: ['mongo ended: write its journal first.'] };
	assert.match(
		junitOf({ ...healthyResult(), gone_writes: gone }),
		/<property name="gone_writes" value="9 acknowledged writes are gone\. mongo ended: write its journal first\."\/>/,
	);
	assert.doesNotMatch(junitOf(healthyResult()), /gone_writes/);
});

test('a threshold on writes that are gone is met by none and not by what is not known', () => {
	const judged = (count: number | null) =>
		judgedOf('writes_lost<=0', { ...healthyResult(), gone_writes: { count, at_least: false, text: '', to_do: [] } })[0].verdict;
	assert.deepEqual([judged(0), judged(9), judged(null)], ['met', 'not met', 'not met']);
});
