import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLES } from '../base/paths.ts';
import { publishedOf } from '../diagnose/run-metrics.ts';
import { readExcerpt } from '../record/excerpt-file.ts';
import { assertFits } from '../record/fixtures/fits.ts';
import type { Result } from '../record/types.js';
import { carry } from './drawn.ts';
import {
	crudResult,
	failingResult,
	healthyResult,
	invalidResult,
	noisyResult,
	poolsResult,
	programResult,
	unplacedResult,
} from './fixtures/results.ts';
import { FORMATS } from './format.ts';
import { html, jsonText } from './html.ts';
import { FILES, renderReport } from './report.ts';

/** Of what a result advises, what its page has. */
async function stillAdvised(result: Result) {
	const page = await renderReport(result);
	return result.try_next.map(({ command }) => command).filter((command) => page.includes(html`${command}`.text));
}

test('what a result advises, and the lab has judged worse or never better since, is in no page', async () => {
	const stored = Object.values(await readExcerpt(join(EXAMPLES, 'doubling'))).filter((record) => record.try_next?.length > 0);
	const advised = stored.flatMap(({ try_next: next }) => next.map(({ command }: { command: string }) => command));
	assert.ok(
		advised.some((command) => command.includes('run-2a-keepalive')),
		'there was such advice',
	);
	const left = [];
	for (const result of stored) left.push(...(await stillAdvised(result)));
	assert.ok(left.length > 0);
	assert.deepEqual([...new Set(left.map((command) => /run-(\S+)/.exec(command)?.[1]))].sort(), ['2a-slots', 'a-lb-slots']);
	const [result] = stored.filter(({ architecture }) => architecture === '2a');
	assert.ok(!(await renderReport(result)).includes('run-2a-keepalive'));
	const today = failingResult();
	assert.deepEqual(
		await stillAdvised(today),
		today.try_next.map(({ command }) => command),
	);
	assert.ok(today.try_next.length > 0);
});

const ATTACK = '</script><img src=x onerror=alert(1)>';
const SECTIONS = ['verdict', 'flow', 'figures', 'load', 'timeline', 'evidence', 'time', 'stages', 'bottleneck', 'machine'];

/** What the reader sees, without the block of data. */
async function shown(result: Result) {
	const page = await renderReport(result);
	return page.slice(page.indexOf('<main>'), page.indexOf('<script type="application/json"')).replaceAll('\u00a0', ' ');
}

const sectionsOf = (page: string) => [...page.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id);

test('the fixtures are results as the schema has them', () => {
	for (const result of [failingResult(), healthyResult(), invalidResult(), unplacedResult(), crudResult(), poolsResult(), programResult()])
		assertFits('result', result);
});

test('the sections stand in the order of the questions that they answer', async () => {
	const page = await renderReport(failingResult());
	const places = SECTIONS.map((id) => page.indexOf(`<section id="${id}"`));
	assert.ok(
		places.every((place) => place > 0),
		String(places),
	);
	assert.deepEqual(
		places,
		places.toSorted((one, other) => one - other),
	);
});

/** What the guide to a report calls a part, and the section in which it is. */
const IN_GUIDE = Object.entries({
	'The verdict': 'verdict',
	'Requests in flight': 'standing',
	'Flow of requests': 'flow',
	'Headline figures': 'figures',
	'Measurements over time': 'timeline',
	'Failures by tier and cause': 'evidence',
	'Near misses': 'near-misses',
	'Time of the users': 'user-time',
	'Bottleneck by stage': 'bottleneck',
});

test('the guide to a report tells its parts in the order in which they stand', async () => {
	const guide = readFileSync(new URL('../../docs/reading-a-report.md', import.meta.url), 'utf8');
	const bold = [...guide.matchAll(/^\d+\. \*\*([^*]+)\*\*/gm)].map(([, name]) => name);
	const page = await shown(failingResult());
	const reported = bold.flatMap((name) => IN_GUIDE.filter(([part]) => name.includes(part)).map(([, id]) => id));
	assert.equal(reported.length, IN_GUIDE.length);
	const stands = reported.filter((id) => page.includes(`id="${id}"`));
	const order = stands.toSorted((one, other) => page.indexOf(`id="${one}"`) - page.indexOf(`id="${other}"`));
	assert.ok(stands.length > 5, String(stands));
	assert.deepEqual(stands, order);
});

test('the page asks nothing of any network', async () => {
	const page = await renderReport(failingResult());
	assert.match(
		page,
		/Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"/,
	);
	assert.doesNotMatch(page, /\b(?:src|href)="(?:https?:)?\/\//);
	assert.doesNotMatch(page, /@import|url\((?!["']?#)/);
});

test('a page that is passed on has no link to what its reader does not have', async () => {
	const page = await renderReport(failingResult(), { isShared: true });
	assert.deepEqual([...page.matchAll(/ href="(?!#|data:)[^"]*/g)].map(String), []);
	assert.match(page, /on one machine with \d+ cores/);
});

test('a log line cannot break out, wherever it is shown', async () => {
	const result = failingResult();
	result.headline = ATTACK;
	result.notes = [ATTACK];
	result.flow.nodes[0].label = ATTACK;
	result.flow.outlets[0].cause_title = ATTACK;
	result.series.limits[0].label = ATTACK;
	result.ledger.failures[0].evidence = [{ kind: 'log', source: ATTACK, line: ATTACK, count: 1 }];
	result.versions = { [ATTACK]: ATTACK };
	result.variables = { [ATTACK]: ATTACK };
	const column = { id: ATTACK, label: ATTACK, unit: 'ms' } as const;
	result.breakdowns = [{ title: ATTACK, caption: ATTACK, rows_label: ATTACK, columns: [column], rows: [{ name: ATTACK, values: [1] }] }];
	const page = await renderReport(result);
	assert.ok(!page.includes('<img'));
	assert.equal(page.split('</script>').length, page.split('<script').length);
	assert.ok(page.includes('<code>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</code>'));
});

test('the data block reads back as what the charts need', async () => {
	const result = failingResult();
	result.series.limits[0].label = `<!-- ${ATTACK}`;
	const page = await renderReport(result);
	const block = page.match(/<script type="application\/json" id="result">(.*?)<\/script>/s)?.[1];
	assert.deepEqual(JSON.parse(block ?? ''), JSON.parse(String(jsonText(carry(result)))));
});

test('failures are shown with cause, rule and evidence, and the unattributed ones too', async () => {
	const result = unplacedResult();
	const page = await shown(result);
	const texts = result.ledger.failures.flatMap(({ cause_title: title, rule, evidence }) => [
		title,
		rule,
		...evidence.map((piece) => (piece.kind === 'log' ? piece.line : piece.kind === 'counter' ? piece.name : piece.text)),
	]);
	assert.ok(texts.length > 5);
	const kinds = Object.keys(result.failures_by.kind).map((kind) => kind.replaceAll('_', ' '));
	for (const text of [...texts, ...kinds, result.ledger.unattributed_reason, 'could not be placed on a tier'])
		assert.ok(page.includes(html`${text}`.text), text);
});

test('measured figures stand beside the published ones with their ratio', async () => {
	const result = { ...failingResult(), published: publishedOf('doubling.2a', false) };
	const { throughput_rps: throughput } = result.metrics;
	const source = Number(result.published?.throughput_rps);
	const page = (await renderReport(result)).replaceAll('\u00a0', ' ');
	const [, measured, published, ratio] =
		page.match(
			/Throughput<\/dt><dd class="measured">(.*?)<\/dd>\s*<dd class="published">.*?<\/span> (.*?)<\/dd>\s*<dd class="ratio">(.*?)×/,
		) ?? [];
	assert.deepEqual(
		[measured.replace(/ <a class="in-doubt".*/, ''), published],
		[throughput, source].map((value) => FORMATS.rps(value).replaceAll('\u00a0', ' ')),
	);
	assert.ok(Math.abs(Number(ratio) / (throughput / source) - 1) < 0.01);
});

test('doubts, reliefs and the bottleneck are in the page', async () => {
	const result = { ...failingResult(), notes: ['a note of the run'] };
	const page = await shown(result);
	const [{ command }] = result.try_next;
	for (const text of [
		...result.validity.reasons,
		...result.notes,
		command,
		...(result.bottleneck?.evidence ?? []),
		result.bottleneck_reason,
		...(result.giving_way ?? []),
	])
		assert.ok(page.includes(html`${text}`.text), text);
	assert.ok((result.giving_way?.length ?? 0) > 0 && page.includes('<p>Limits and failures'));
});

test('a healthy run is calm, and what was not measured is said to be missing', async () => {
	const page = (await renderReport(healthyResult())).replaceAll('\u00a0', ' ');
	assert.ok(page.includes('No request failed.'));
	assert.ok(!page.includes('none was lost'), 'writes may be gone all the same');
	assert.ok(page.includes('None of the requests failed.'));
	assert.ok(!page.includes('what the source published'));
	assert.ok(!page.includes('id="time"'), 'nothing tells where time went');
	assert.ok(page.includes('<b>No bottleneck named</b>'));
	assert.ok(!page.includes('class="lost"'));
	assert.doesNotMatch(page.slice(0, page.indexOf('<script type="application/json"')), />(?:NaN|null|undefined|Infinity)/);
});

test('an invalid run says so above everything else', async () => {
	const page = await renderReport(invalidResult());
	const at = page.indexOf('<aside class="trusted invalid" role="alert"');
	assert.ok(at > 0 && at < page.indexOf('<h1'));
	assert.ok(page.includes('<b>Trust nothing here: this run says nothing about the system.</b>'));
	assert.ok(page.includes(invalidResult().validity.reasons[0]));
	assert.ok(page.includes('The load was interrupted'));
	assert.ok(!(await renderReport(failingResult())).includes('role="alert"'));
});

test('of a run on a noisy machine a line above the headline says what is in doubt and what stands, with the graver doubts apart', async () => {
	const result = noisyResult();
	const page = await shown(result);
	const banner = /<aside class="trusted in-doubt".*?<\/aside>/s.exec(page)?.[0] ?? '';
	assert.match(
		banner,
		/<b>You can trust counts, status codes and the service and cause of each failure\.<\/b> Do not trust request and failure rates, latencies and the bottleneck\. .*<div id="doubts">.*Comparisons between runs do not use/s,
	);
	const [grave, less] = banner.split('Minor doubts:');
	assert.ok(grave.includes('took 9.9 %') && !grave.includes('7.1 %'), 'a limit that makes a run SUSPECT is none of those');
	assert.ok(less.includes('7.1 %'));
	const words = page.slice(0, page.indexOf('<script type="application/json"'));
	assert.doesNotMatch(words, /says nothing about the system|INVALID/);
});

test('a doubt stands beside each figure that it can move, and beside none that it cannot', async () => {
	const result = noisyResult();
	const page = await shown(result);
	const marked = (words: RegExp) => assert.match(page, new RegExp(`${words.source} <a class="in-doubt" href="#doubts"`));
	for (const label of ['Throughput', 'Goodput', 'p95 of all requests', 'p95 of successful', 'Failure rate'])
		marked(new RegExp(`<dt>${label}</dt><dd class="measured">[^<]*`));
	for (const title of ['Measurements over time', 'Latency by service', 'Stages of the load', 'Bottleneck by stage', 'Resources'])
		marked(new RegExp(title));
	assert.match(
		page,
		/ title="(In doubt: other machines [^"]*\. 1 more reason at the top\.)">.*?<span class="hidden">\1<\/span>/,
		'for those who hear the page',
	);
	const failures = page.slice(page.indexOf('id="failure-1"'), page.indexOf('Failures as k6 recorded'));
	assert.ok(failures.includes('by a limit or a rule of its own') && !failures.includes('class="in-doubt"'), 'a refusal stands');
	assert.ok(!(await shown(healthyResult())).includes('class="in-doubt"'));
});

test('where requests failed at another tier than what was at its limit, the box says that both are true', async () => {
	const result = { ...failingResult(), bottleneck: { tier: 'app' as const, evidence: [] } };
	const words = /The load balancer lost 35 of 35 failed requests, although another tier was at its limit\./;
	assert.match(await shown(result), words);
	assert.doesNotMatch(await shown({ ...result, bottleneck: { tier: 'load-balancer', evidence: [] } }), /although another tier/);
});

test('of a run in doubt the next step is the same without the doubts', async () => {
	const result = noisyResult();
	const page = await shown(result);
	const [again] = result.try_next;
	assert.equal(page.split(html`<code class="command">${again.command}</code>`.text).length, 2);
	assert.match(
		page,
		/<span class="label">Next<\/span> First [^<]+\. Then run <code class="command">[^<]+<\/code> again with half the users, to remove the doubts\./,
	);
});

test('every figure has a caption, and a table or the place where the script writes it', async () => {
	for (const result of [failingResult(), healthyResult()]) {
		const figures = (await renderReport(result)).match(/<figure.*?<\/figure>/gs) ?? [];
		assert.ok(figures.length >= 5);
		for (const figure of figures) assert.match(figure, /<figcaption>.+<details class="data">.*(?:<table|JavaScript fills this table)/s);
	}
});

test('links are relative to the folder of the run', async () => {
	const page = await renderReport(failingResult(), { files: ['k6.html', ...FILES] });
	assert.ok(!(await renderReport(failingResult())).includes('k6.html'));
	for (const href of ['k6.html', 'result.json', 'manifest.json', 'raw/', '../../index.html'])
		assert.ok(page.includes(`href="${href}"`), href);
});

test('a copy of a report links to what was copied with it, and to nothing else', async () => {
	const page = await renderReport(failingResult(), { files: ['manifest.json'], hasIndex: false });
	assert.deepEqual(
		[...page.matchAll(/<a href="([^#"]+)"/g)].map(([, href]) => href),
		['manifest.json'],
	);
});

test('the variables stand beside what ran, and what the load asked for stands once', async () => {
	const page = await shown(crudResult());
	assert.match(page, /three databases of one MongoDB <b class="variable">WORKERS=20<\/b> <span class="sep">/);
	assert.match(page, /<dt>variables<\/dt><dd>WORKERS=20<\/dd>/);
	assert.equal(page.split('one read, create, update or delete of a document').length, 2);
	assert.ok(page.includes('1,500 operations ended in'));
});

test("the scenario's own figures join the headline figures, and its tables follow the stages", async () => {
	const page = await shown(crudResult());
	assert.match(page, /<div class="tiles own"><dl class="tile"><dt>p95 of reads<\/dt><dd class="measured">40 ms/);
	assert.ok(page.includes('2 MB/s'));
	const ids = sectionsOf(page);
	assert.deepEqual(ids.slice(ids.indexOf('stages')), ['stages', 'bottleneck', 'breakdowns', 'machine']);
	assert.ok(!(await shown(failingResult())).includes('tiles own'));
});

test('of a run that a program drives nothing is said of users, seconds, stages, latency or k6', async () => {
	const page = await shown(programResult());
	assert.deepEqual(sectionsOf(page), ['verdict', 'flow', 'figures', 'load', 'evidence', 'breakdowns', 'machine']);
	assert.doesNotMatch(page, /\bk6\b|p95|slowest|Not measured|<h3>Writes|NaN|\bnull\b|undefined|Infinity/);
	assert.equal(page.match(/<dl class="tile">/g)?.length, 3);
	for (const expected of ['THREADS=2', '4,000 inserts ended in 10 s', 'None of the inserts failed.', 'store-1.tch', 'href="result.json"'])
		assert.ok(page.includes(expected), expected);
});

test('a second before the load alone, as a program leaves it, makes no time axis', async () => {
	const program = programResult();
	assert.equal(program.timeline[0].throughput_rps, null);
	assert.ok(!(await shown(program)).includes('id="timeline"'));
});

test('what became of writes is in the page of a run in which somebody asked for it, and in no other of a user’s own system', async () => {
	const own = { ...healthyResult(), scenario: 'requests' };
	const unasked = { acknowledged: null, persisted: null, unacknowledged: null, lost: null, duplicated: null };
	const pageWith = (writes: { acknowledged?: number }) => shown({ ...own, ledger: { ...own.ledger, writes: { ...unasked, ...writes } } });
	assert.doesNotMatch(await pageWith({}), /acknowledged to a user/);
	// What is not known is no 0.
	assert.match(
		await pageWith({ acknowledged: 716 }),
		/confirmed to a user<\/[^>]*>(?:(?!<\/tr>).)*716[\s\S]*confirmed, but lost<\/[^>]*>(?:(?!<\/tr>).)*–/,
	);
});

test('a run without a database says nothing of one', async () => {
	const page = await shown(poolsResult());
	assert.doesNotMatch(page, /<h3>Writes|mongo|\bMongoDB\b/i);
	assert.ok(page.includes('<section id="timeline"') && page.includes('VARIANT=sync-pooled') && page.includes('12.3 ms'));
});
