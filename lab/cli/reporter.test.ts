import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, NotReadyError } from '../base/errors.ts';
import type { LoadStatus } from '../base/progress.ts';
import { secrets } from '../base/secrets.ts';
import { listen } from '../fixtures/reporter.ts';
import type { OpenLine } from './reporter.ts';
import { createReporter } from './reporter.ts';

const refusal = new NotReadyError('LOAD: expected a load; found "x".', 'use one.');

test('with --json standard output has the result alone, and the words are on standard error', () => {
	const { reporter, out, err, result } = listen();
	reporter.progress.say('bringing the stack up');
	reporter.tell('\n  failed 3 %\n');
	reporter.give({ report: 'reports/a/1/report.html' });
	assert.equal(out(), '');
	assert.deepEqual(result(), { report: 'reports/a/1/report.html' });
	assert.equal(err(), '  bringing the stack up\n\n  failed 3 %\n');
});

test('without it the words are on standard output, and no JSON is', () => {
	const { reporter, out, err } = listen({ json: false });
	reporter.progress.say('bringing the stack up');
	reporter.tell('failed 3 %\n');
	reporter.give({ report: 'reports/a/1/report.html' });
	reporter.end(EXIT.done);
	assert.deepEqual([out(), err()], ['  bringing the stack up\nfailed 3 %\n', '']);
});

test('an error takes the place of what was found, and is said in words too', () => {
	const { reporter, err, result } = listen();
	reporter.give({ report: 'page' });
	reporter.fail(refusal);
	assert.deepEqual(result(EXIT.notReady), {
		error: { message: 'LOAD: expected a load; found "x".', expected: 'a load', found: '"x"', do: 'use one.' },
	});
	assert.equal(err(), 'error: LOAD: expected a load; found "x".\n  To do: use one.\n');
});

test('an error is on standard error without --json, and standard output stays as it is', () => {
	const { reporter, out, err } = listen({ json: false });
	reporter.fail(refusal);
	reporter.end(EXIT.notReady);
	assert.deepEqual([out(), err()], ['', 'error: LOAD: expected a load; found "x".\n  To do: use one.\n']);
});

test('of what is found on the way the last counts, and an interruption keeps it', () => {
	const { reporter, result } = listen();
	reporter.give({ result: 1 });
	reporter.give({ result: 2 });
	assert.deepEqual(result(EXIT.interrupted), { result: 2 });
});

test('where nothing was found yet an interruption says so, and a command that finds nothing gives an empty object', () => {
	assert.deepEqual(listen().result(EXIT.interrupted), { error: { message: 'interrupted' } });
	assert.deepEqual(listen().result(EXIT.done), {});
});

const STATUS = { stage: 'to 500 users', users: 1234, rps: 703.6, p95Ms: 874.14, failureRate: 0.174, leftS: 12.4 };

function plainOutput() {
	const lines: string[] = [];
	return { lines, write: (text: string) => lines.push(text) };
}

/** The line of a status where the output is no terminal. */
function formatStatus(status: LoadStatus) {
	const out = plainOutput();
	createReporter({ json: false, out, err: out }).progress.load(status);
	const [line] = out.lines;
	return line.slice(0, -1);
}

test('a status names stage, users, rate, p95, failures and the time left', () => {
	const words = formatStatus(STATUS)
		.split(/\s{2,}/)
		.filter(Boolean);
	assert.deepEqual(words, ['to 500 users', '1,234 users', '704 rps', 'p95', '874 ms', 'failed', '17.4 %', '12 s left']);
});

test('what is not known yet is a dash, and zero is a zero', () => {
	const line = formatStatus({ ...STATUS, users: null, rps: null, p95Ms: null, failureRate: 0 });
	assert.match(line, /– users +– rps +p95 +– +failed +0\.0 %/);
});

test('users that nobody can tell in each moment are told as the most, and those of a load at a rate not at all', () => {
	const lineOf = (usersMost: number | null) => formatStatus({ ...STATUS, users: null, usersMost });
	assert.match(lineOf(20), /to 500 users +at most 20 users +704 rps/);
	assert.match(lineOf(null), /to 500 users +704 rps/);
	for (const most of [20, null]) assert.doesNotMatch(lineOf(most), /– users/);
});

test('the time left never falls below zero', () => {
	assert.match(formatStatus({ ...STATUS, leftS: -3 }), / 0 s left$/);
});

test('of a load that may end before its time the time left is the longest', () => {
	assert.match(formatStatus({ ...STATUS, isLongest: true }), / at most 12 s left$/);
});

test('lines are equally long, so that a live line does not jump', () => {
	const small = formatStatus({ ...STATUS, users: 1, rps: 2, p95Ms: 3, failureRate: 0 });
	assert.equal(small.length, formatStatus(STATUS).length);
});

test('where the output is no terminal, a line comes every five seconds of load', () => {
	const out = plainOutput();
	const progress = createReporter({ json: false, out, err: out }).progress;
	for (let leftS = 20; leftS >= 0; leftS -= 1) progress.load({ ...STATUS, leftS });
	const left = out.lines.map((line) => Number(/(\d+) s left/.exec(line)?.[1]));
	assert.deepEqual(left, [20, 15, 10, 5, 0]);
	assert.ok(out.lines.every((line) => line.endsWith('\n')));
});

test('what is said stays on a line of its own', () => {
	const out = plainOutput();
	const progress = createReporter({ json: false, out, err: out }).progress;
	progress.say('bringing the stack up');
	progress.done();
	assert.deepEqual(out.lines, ['  bringing the stack up\n']);
});

/** What a container, a record or the name of a file may say. */
const HOSTILE = 'a\u001b]52;c;ZXZpbA==\u0007b\u009b2Jc\u202ed\u2066e\u200bf\rg\u0000h\u007f';
const OBEYED = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test('whatever is printed, a terminal obeys nothing of it', () => {
	for (const json of [true, false]) {
		const { reporter, out, err } = listen({ json });
		reporter.progress.say(HOSTILE);
		reporter.progress.load({ ...STATUS, stage: HOSTILE });
		reporter.tell(`${HOSTILE}\n`);
		reporter.give({ [HOSTILE]: [HOSTILE] });
		reporter.fail(new NotReadyError(`expected x; found ${HOSTILE}.`, HOSTILE));
		reporter.end(EXIT.notReady);
		reporter.fail(Object.assign(new Error(HOSTILE), { path: HOSTILE }));
		reporter.end(EXIT.failed);
		const printed = `${out()}${err()}`;
		assert.doesNotMatch(printed, OBEYED);
		assert.ok(printed.split('\\u202e').length > 6, printed);
	}
});

test('JSON of what is hostile reads as it was', () => {
	const { reporter, result } = listen();
	reporter.give({ text: HOSTILE });
	assert.deepEqual(result(), { text: HOSTILE });
});

test('the live line moves the cursor, and what stands in it does not', () => {
	const lines: string[] = [];
	const live = Object.assign((line: string) => lines.push(line), { clear() {}, done() {}, persist() {} });
	const openLine = (() => live) as unknown as OpenLine;
	const reporter = createReporter({ json: false, out: { write() {} }, err: { write() {} }, openLine });
	reporter.progress.load({ ...STATUS, stage: `${HOSTILE}\nover` });
	assert.equal(lines.length, 1);
	assert.doesNotMatch(lines[0], OBEYED);
	assert.doesNotMatch(lines[0], /\n/);
});

test('what is known to be secret is printed nowhere', () => {
	secrets.learn(['Berg&Tal-4711']);
	for (const json of [true, false]) {
		const { reporter, out, err } = listen({ json });
		const text = `it is Berg&Tal-4711 or ${Buffer.from('a:Berg&Tal-4711').toString('base64')}`;
		reporter.progress.say(text);
		reporter.tell(text);
		reporter.give({ text });
		reporter.end(EXIT.done);
		reporter.fail(new Error(text));
		reporter.end(EXIT.failed);
		assert.doesNotMatch(`${out()}${err()}`, /Berg|Tal-4711|QmVyZy|Jlcmcm|ZXJnJl/);
		assert.ok(`${out()}${err()}`.includes('*secret*'));
	}
});
