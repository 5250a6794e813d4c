import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStoredRun } from '../../diagnose/fixtures/stored-run.ts';
import { Made } from '../../diagnose/joins/fixtures/made.ts';
import { joinedOf } from '../../diagnose/joins/joined.ts';
import { resultOf } from '../../diagnose/result.ts';
import { wireRequestsOf } from '../../diagnose/wire-requests/trees.ts';
import { ALL_STATEMENTS } from '../../record/touches.ts';
import type { WireHop } from '../../record/types.js';
import { failingResult, healthyResult } from '../fixtures/results.ts';
import { selftestRecord } from '../fixtures/selftest.ts';
import { renderReport } from '../report.ts';
import { formatRunMarkdown } from '../run-markdown.ts';
import { renderSelftest } from '../selftest.ts';
import { urlsSection } from './urls.ts';
import { verdictSection } from './verdict.ts';
import { waterfallsSection } from './waterfalls.ts';

const EVIL = '/<script>alert(1)</script>|';

async function reported(dropped: number | null = 0) {
	const made = new Made();
	made.call('k6 lb', 1, 3.001, { id: 'one', template: EVIL, status: 504, bad: true });
	made.call('lb web', 1.001, 3, { id: 'one', template: EVIL, status: null, end: 'given-up', by: 'client' });
	made.call('web db', 1.002, 1.5, {
		protocol: 'postgres',
		verb: 'SELECT',
		template: 'SELECT items',
		status: null,
		code: '40P01',
		bad: true,
	});
	made.call('k6 lb', 4, 4.5, { id: 'two', template: EVIL });
	const result = resultOf(await readStoredRun());
	const requests = wireRequestsOf(
		{ failures: [{ id: 'one', t: 3, waited_s: 2, status: 504, code: 0, kind: 'status' }], program: null },
		{ from: 0, to: 10, warmupFrom: 0 },
		joinedOf(made.record),
	);
	const networks = [{ name: 'net', packets: 9, dropped, cpu_s: 0 }];
	return { ...result, wire: { edges: [], no_host: [], networks, doubts: [], ...requests } };
}

test('a lost request shows its hops, who hung up on whom, and how each hop was joined, with everything escaped', async () => {
	const text = waterfallsSection(await reported())?.text.replaceAll('\u00a0', ' ') ?? '';
	for (const wanted of [
		'Failed, answered 504: 1',
		'The slowest of 1 successful requests',
		'given up by lb · matched by id',
		'postgres · SELECT items · answered 40P01 · matched by order',
		'<code>one</code>',
		'--depth:2',
	])
		assert.ok(text.includes(wanted), `${wanted} in ${text}`);
	assert.doesNotMatch(text, /<script/);
});

test('the table by URL is on the page and in the summary, and doubts joins by order where packets are missing', async () => {
	const result = await reported(7);
	for (const text of [urlsSection(result)?.text ?? '', formatRunMarkdown({ result, judged: [] })]) {
		assert.match(text, /Requests by URL/);
		assert.match(text, /lb → web 0\.5, web → db 0\.5/);
		assert.match(text, /The record misses packets/);
		assert.doesNotMatch(text, /(?<!\\)<script/);
	}
	assert.doesNotMatch(urlsSection(await reported())?.text ?? '', /Not every packet/);
});

test('on a narrow screen the rows of wide tables are cards, in the report as on the page of the self-test', async () => {
	for (const page of [await renderReport(await reported()), renderSelftest(selftestRecord())]) assert.match(page, /table\.cards/);
});

test('where nothing was recorded, neither section is there', async () => {
	const result = resultOf(await readStoredRun());
	assert.equal(urlsSection(result), null);
	assert.equal(waterfallsSection(result), null);
	assert.doesNotMatch(formatRunMarkdown({ result, judged: [] }), /Requests by URL/);
});

test('what would have kept writes that are gone stands below the headline, and nothing where none is', () => {
	const gone = { count: 9, at_least: false, text: '', to_do: ['mongo ended: write its journal first.'] };
	const shown = (result: any) => verdictSection(result).text;
	assert.match(
		shown({ ...healthyResult(), gone_writes: gone }),
		/<li><span class="label">Writes gone<\/span> mongo ended: write its journal first\.<\/li>/,
	);
	assert.doesNotMatch(shown(healthyResult()), /Writes gone/);
});

test('a headline is two sentences of 240 characters: a longer second one stands whole below it, as the others do, and how sure it is is no part of it', () => {
	const shown = (headline: string) => verdictSection({ ...healthyResult(), headline }).text;
	const [what, where, last] = [
		'9 of 12 requests failed.',
		'All 9 failed at api: its log says "no reply. Giving up".',
		'Then it came back.',
	];
	const quoted = where.replaceAll('"', '&quot;');
	assert.ok(
		/<h1>(.*?)<\/h1>.*<li class="rest"><span class="label">Also<\/span> (.*?)<\/li>/s
			.exec(shown(`${what} ${where} ${last} Place: proved. The cause is likely: why.`))
			?.slice(1)
			.join('|') === `${what} ${quoted}|${last}`,
	);
	const long = `All 9 failed at api: ${'it waited, '.repeat(30)}long.`;
	const [, heading = '', rest] =
		/<h1>(.*?)<\/h1>.*<li class="rest"><span class="label">In full<\/span> (.*?)<\/li>/s.exec(shown(`${what} ${long}`)) ?? [];
	assert.ok(heading.startsWith(`${what} All 9 failed at api: `) && heading.endsWith(' …') && heading.length <= 242, heading);
	assert.equal(rest, long);
	assert.match(shown(`${what} All 9 failed at api: it was slow (7, 77.8 %); it was full (2, 22.2 %).`), /Also<\/span> It was full/);
});

test('a log line that proves some of the failures alone says which', () => {
	const result = failingResult();
	const [most] = result.ledger.failures;
	const line = { kind: 'log' as const, source: 'error log', line: '[alert] 512 worker_connections are not enough', count: 9 };
	const shown = (share: number) =>
		verdictSection({ ...result, ledger: { ...result.ledger, failures: [{ ...most, share, evidence: [line] }] } }).text.replaceAll(
			'\u00a0',
			' ',
		);
	const rest = '<a href="#failure-1">All evidence</a></li>';
	assert.ok(shown(0.6).includes(`9 lines in the error log. It stands for 60 % of the failures: ${most.cause_title}. ${rest}`), shown(0.6));
	assert.ok(shown(1).includes(`9 lines in the error log. ${rest}`));
});

test('calls that differ in their time alone are one line with a bar for each that stands apart, also where another is asked between', async () => {
	const result = await reported();
	const [first] = result.wire.waterfalls;
	const asked = (given: Partial<WireHop>) => ({
		...{ ...first.rows[0], depth: 1, from: 'web', to: 'db', protocol: 'postgres', verb: 'SELECT', template: 'SELECT items', status: null },
		...{ joined: 'order' as const, took_ms: 2, ...given },
	});
	const rows = [
		first.rows[0],
		...[10, 20, 30].map((offset_ms) => asked({ offset_ms })),
		asked({ offset_ms: 40, template: 'SELECT prices' }),
		asked({ offset_ms: 50, took_ms: 7 }),
		asked({ offset_ms: 51, depth: 2 }),
		...[60, 62, 64].flatMap((offset_ms) => [
			asked({ offset_ms, template: 'SELECT taxes' }),
			asked({ offset_ms: offset_ms + 1, template: 'SELECT rates', took_ms: 0 }),
		]),
	];
	const text = String(waterfallsSection({ ...result, wire: { ...result.wire, waterfalls: [{ ...first, rows }] } })).replaceAll(
		'\u00a0',
		' ',
	);
	const lines = [...text.matchAll(/<li.*?<\/li>/gs)].map(([line]) => line);
	assert.deepEqual(
		lines.map((line) => line.match(/<i/g)?.length),
		[1, 3, 1, 1, 1, 1, 1],
	);
	assert.match(lines[5], /style="left:12\.0%;width:1\.2%"/);
	assert.match(lines[1], /3 times · postgres · SELECT items/);
	assert.match(lines[1], /\+10 ms, <b>6 ms<\/b><br>in total, longest 2 ms/);
	assert.doesNotMatch(lines.slice(2, 5).join(''), / times · /);
});

test('the first screen says how sure place and cause are, has one step to take next, and failures over time', () => {
	const result = failingResult();
	const text = verdictSection(result).text.replaceAll('\u00a0', ' ');
	const bases = result.ledger.failures[0].basis;
	assert.deepEqual([Object.keys(bases.where), Object.keys(bases.why)], [['proved'], ['timed']]);
	assert.match(
		text,
		/The named service is <b>certain<\/b>: a record of each failed request shows it\. The named cause is <b>likely<\/b>: an event /,
	);
	assert.equal(text.match(/<span class="label">Next<\/span>/g)?.length, 1);
	assert.match(text, /<li class="next"><span class="label">Next<\/span> Run <code class="command">make run-2a-[^<]+<\/code>: it relieves /);
	assert.match(text, /<svg[^>]*role="img" aria-label="Requests per second, [^"]+">(?:<path class="(?:good|bad)" d="M0 40V[^"]+z"\/>){2}/);
	assert.match(verdictSection(healthyResult()).text, /none failed<\/p>\n<svg[^>]*>(?:<path class="good"[^>]*>)<\/svg>/);
});

test('a change that a proof found is said as something to do, and is the next step', () => {
	const of = (probe: object) => {
		const proof: any = {
			outcome: 'proved',
			sentence: 'Proved by relief: with it, 0 % failed.',
			trouble: {},
			as_it_was: [],
			probes: [probe],
		};
		return /<span class="label">Next<\/span> (.*?)<\/li>/s.exec(verdictSection({ ...failingResult(), proof }).text)?.[1];
	};
	const change = { verdict: 'proved', service: 'api', kind: 'knob', line: 'services.api.cpus', title: 'cpus of api at 2 instead of 1' };
	assert.equal(of(change), 'Set cpus of api in <code>services.api.cpus</code> to <b>2</b>; it is 1 now. This change ended the failures.');
	assert.equal(
		of({ ...change, kind: 'two-of-it', title: 'two containers of api instead of one', line: '' }),
		'Run two containers of api instead of one. This change ended the failures.',
	);
	assert.equal(
		of({ ...change, kind: 'fresh', title: 'api restarted', line: '' }),
		'Make this change: api restarted. This change ended the failures.',
	);
	assert.equal(
		of({ ...change, kind: 'two-of-it', title: 'two containers of api', line: '', puts_off: true }),
		'Run two containers of api. It delays the failures, and does not end them for good.',
	);
});

test('Of a run that says nothing the heading says why, and what was recorded stands below, without how sure it is', () => {
	const dead = { rule: 'lost-generator', grade: 'INVALID' as const, reason: 'k6-2 ended; the limit is 1 %', touches: ALL_STATEMENTS };
	const result = {
		...failingResult(),
		validity: { verdict: 'INVALID' as const, doubts: [{ ...dead, rule: 'counts', reason: 'x' }, dead] },
	};
	const { text } = verdictSection(result as any);
	assert.match(text, /<h1>This run says nothing about the system: k6-2 ended\.<\/h1>/);
	assert.match(text, /Recorded, not to be trusted<\/span> .* requests failed/);
	assert.doesNotMatch(text, /class="sure"/);
});

test('Who bore a load at its limit is to get more, or less to do', () => {
	const nextOf = (bottleneck: any) => /Next<\/span> (.*?)<\/li>/.exec(verdictSection({ ...healthyResult(), bottleneck }).text)?.[1];
	assert.match(String(nextOf({ tier: 'app', service: 'web', evidence: ['x'] })), /^Raise the limit that web reached, or lower the load/);
	assert.match(String(nextOf({ tier: 'machine', service: '', evidence: ['x'] })), /^Lower the load, or take a larger machine/);
	assert.match(String(nextOf(null)), /a higher load|this higher load/);
});

test('What bears a diagnosis out and only delays the failures is no end of them', () => {
	const change = { verdict: 'proved', service: 'api', kind: 'knob', line: '', title: 'POOL of api at 20 instead of 5' };
	const sureOf = (probe: any) => {
		const proof: any = { outcome: 'proved', sentence: 'Proved by relief: x.', as_it_was: [], probes: [probe] };
		proof.trouble = { service: 'api', cause: 'pool-full' };
		return /class="sure">(.*?)<\/p>/s.exec(verdictSection({ ...failingResult(), proof }).text)?.[1].replace(/<[^>]*>/g, '');
	};
	assert.match(String(sureOf(change)), /proved: the change below ends the failures\./);
	assert.match(String(sureOf({ ...change, puts_off: true })), /proved: the change below delays the failures\./);
});
