import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logWords } from '../../adapters/log-words.ts';
import { ZERO } from './fixtures/made-stack.ts';
import type { ServiceLog } from './logs.ts';
import { logsOf, withoutMasks } from './logs.ts';
import { maskedFigures, shownTemplate } from './template.ts';

const templateOf = (text: string) => shownTemplate(maskedFigures(text));

test('figures, times, addresses, ids and values are masked', () => {
	const lines: [string, string][] = [
		[
			'HikariPool-1 - request timed out after 30000ms (total=10, active=10)',
			'HikariPool-# - request timed out after #ms (total=#, active=#)',
		],
		['[31] gave up 172.18.0.3:5432 after 10.02 s', '[#] gave up # after # s'],
		['order 7c9e6679-7425-40de-944b-e07fc1f90ae7 of anna@example.org failed', 'order # of # failed'],
		['trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7 at 0x7f3a9b2e', 'trace # span # at #'],
		['token eyJhbGciOiJIUzI1NiJ9 refused', 'token # refused'],
		['GET http://catalog:8080/price?item=9 gave 503', 'GET http://# gave #'],
		['cannot write /var/lib/anna/list.json: full', 'cannot write /#: full'],
		['user=anna name="Anna B" key=(a, b) late', 'user=# name=# key=# late'],
		["relation \"orders\" and 'Anna B' but don't `drop`", "relation \"…\" and '…' but don't `…`"],
		['HTTP/1.1 and/or (101/100)', 'HTTP/#.# and/or (#/#)'],
		[`cannot write '/tmp/a' (Errcode: 28 "No space left on device")`, `cannot write '…' (Errcode: # "No space left on device")`],
		['late request: "GET /orders/7 HTTP/1.1"', 'late request: "…"'],
		[
			`child 12 said into stderr: "PHP message: PHP Fatal error: no basket of 'anna' in /app/index.php on line 17"`,
			`child # said into stderr: "PHP message: PHP Fatal error: no basket of '…' in /# on line #"`,
		],
	];
	for (const [text, template] of lines) assert.equal(templateOf(text), template.replace('#.#', '#'));
});

test('of what is quoted only the words of a known phrase are shown', () => {
	const known = /\(#, 'Too many connections'\)/;
	assert.equal(
		shownTemplate(maskedFigures(`"anna" said (1040, 'Too many connections') to 'bob'`), known),
		`"…" said (#, 'Too many connections') to '…'`,
	);
	assert.equal(shownTemplate(maskedFigures(`"anna said: it is full today`), /it is full/), '"…it is full today');
});

test('what a phrase quotes of others is not shown', () => {
	const known = /Aborted connection # to db: .{1,200} \(Too many connections\)/;
	assert.equal(
		shownTemplate(maskedFigures("Aborted connection 54 to db: 'shop' user: 'anna' (Too many connections)"), known),
		"Aborted connection # to db: '…' user: '…' (Too many connections)",
	);
});

test('a long line is cut, and a phrase far behind in it is shown', () => {
	assert.equal(templateOf('word '.repeat(100)).length, 160);
	assert.ok(shownTemplate(maskedFigures(`${'word '.repeat(100)}it is full`), /it is full/).startsWith('…it is full'));
});

test('lines that are made to be slow are not', () => {
	const begun = process.cpuUsage().user;
	for (const text of [
		'a'.repeat(1e6),
		'=('.repeat(5e5),
		'"GET '.repeat(2e5),
		'/'.repeat(1e6),
		'://'.repeat(3e5),
		"'a ".repeat(3e5),
		'1.'.repeat(5e5),
		'a-'.repeat(5e5),
		'=("'.repeat(3e5),
	])
		for (let times = 0; times < 100; times += 1) templateOf(text);
	assert.ok(process.cpuUsage().user - begun < 2e6, 'nine hundred lines');
});

const SPAN = { from: ZERO, to: ZERO + 100 };
/** Of CPU. An analysis has seconds in all; another machine may take several times as long. */
const LONGEST_MS = 5_000;

const read = (log: string, level: number = 1) =>
	logsOf({ adapted: [{ service: 'api', level, files: { log } }] } as any, logWords, SPAN)('api') as ServiceLog;

/** @returns evenly over the span */
function logOf(count: number, textOf: (index: number) => string): string {
	const lines = [];
	for (let index = 0; index < count; index += 1)
		lines.push(`${new Date((ZERO + (100 * index) / count) * 1000).toISOString()} ${textOf(index)}\n`);
	return lines.join('');
}

function inTime<T>(action: () => T): T {
	const begun = process.cpuUsage().user;
	const given = action();
	const took = (process.cpuUsage().user - begun) / 1e3;
	assert.ok(took < LONGEST_MS, `${took} ms`);
	return given;
}

test('a quote has the short figures that all of its lines have, a single line no long one, and no mail address, path or id', () => {
	const quoteOf = (count: number, textOf: (index: number) => string) => withoutMasks(read(logOf(count, textOf)).templates[0].quote);
	const [line, secret] = ['[7#7] breaker of stock is open after 5 failures', 'anna@example.org /home/anna 7c9e6679 k=anna 5550199'];
	assert.equal(
		quoteOf(3, (index) => `${line}, basket ${index}, timeout=30000 ${secret}`),
		'breaker of stock is open after 5 failures, basket n, timeout=30000 n /n n k=n n',
	);
	assert.equal(
		quoteOf(1, () => 'basket 31415 had 12 items'),
		'basket n had 12 items',
	);
});

test('lines become templates with their times, those of one phrase one', () => {
	const { templates, part } = read(
		logOf(6, (index) =>
			index % 2
				? `(HikariPool-${index}) x${'y'.repeat(index)} - Connection is not available, request timed out after 9ms`
				: `basket ${index} was taken`,
		),
	);
	assert.deepEqual(
		templates.map(({ text, phrase, times }) => [text.slice(0, 16), phrase?.product, times.length]),
		[
			['(HikariPool-#) x', 'HikariCP', 3],
			['basket # was tak', undefined, 3],
		],
	);
	assert.equal(part, 1);
});

test('a service without a log, of another time, or watched as a container alone, has none', () => {
	assert.equal(
		read(
			logOf(3, () => 'late'),
			0,
		),
		null,
	);
	assert.equal(logsOf({ adapted: [] }, logWords, SPAN)('api'), null);
	assert.deepEqual(read('2026-11-27T03:20:11Z late\n').templates, []);
});

test('ten megabytes in one line take no longer than a line', () => {
	const at = new Date(ZERO * 1000).toISOString();
	const { templates } = inTime(() => read(`${at} ${'a "b=(1/'.repeat(1.25e6)}\n${at} {"msg":"${'x'.repeat(1e7)}"}\n`));
	assert.equal(templates.length, 2);
	assert.ok(templates.every(({ text }) => text.length <= 160));
});

test('a million different lines are read in part, and what is frequent or known among them is kept', () => {
	const word = (index: number) => [...String(index)].map((figure) => 'abcdefghij'[Number(figure)]).join('');
	const log = logOf(1e6, (index) =>
		index % 1000 === 0
			? 'panic: the shelf is empty'
			: index % 1000 === 500
				? 'Error: connect ECONNREFUSED 172.18.0.3:6379'
				: `basket of ${word(index)} was taken`,
	);
	const { templates, part, isRead } = inTime(() => read(log));
	assert.ok(part > 1, `one in ${part}`);
	assert.ok(templates.length <= 2_100, `${templates.length} templates`);
	const seconds = Array.from({ length: 100 }, (_, second) => ZERO + second + 0.5).filter(isRead).length;
	for (const text of ['panic: the shelf is empty', 'Error: connect ECONNREFUSED #'])
		assert.equal(templates.find((template) => template.text === text)?.times.length, seconds * 10, text);
});

test('a log of requests alone costs hardly anything', () => {
	const log = logOf(300_000, () => '172.18.0.9 - - [27/Nov/2026:03:20:11 +0000] "GET /items HTTP/1.1" 200 5 "-" "k6"');
	assert.deepEqual(inTime(() => read(log)).templates, []);
});
