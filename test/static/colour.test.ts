/**
 * Nothing that the lab prints has a colour, so that NO_COLOR (https://no-color.org) has nothing to turn off.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { createLogUpdate } from 'log-update';
import { ROOT } from '../../lab/base/paths.ts';
import { createReporter } from '../../lab/cli/reporter.ts';
import { succeed } from './command.ts';

const LIMIT_MS = 60_000;
/** What colours a text in a terminal: the packages that do it, Node's own way, and the sequence itself as it is written in code. */
const COLOURING = /\b(chalk|picocolors|colorette|kleur|ansi-colors|yoctocolors|styleText)\b|\\(x1b|u001b|u\{1b\}|033|e)\[/i;
const START = '\u001b[';

/** Whether a text sets a colour or a weight: sequences that end in "m" do, and those that move the cursor do not. */
const isColoured = (text: string) =>
	text
		.split(START)
		.slice(1)
		.some((sequence) => /^[\d;]*m/.test(sequence));

test('a colour is known by its sequence, and the cursor is none', () => {
	assert.ok(isColoured(`${START}31mred`) && isColoured(`${START}m`) && isColoured(`${START}1;32mbold`));
	assert.ok(!isColoured(`${START}2K${START}1A${START}?25l metres: 3m`));
	assert.ok(COLOURING.test("printf '\\033[31m'") && COLOURING.test("import chalk from 'chalk'") && COLOURING.test("'\\u001b[1m'"));
});

test('no file that prints colours anything', async () => {
	const listed = await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'lab', 'compose', 'test/run.sh']);
	const files = listed
		.split('\n')
		.filter((file) => /\.([jt]s|sh)$|^lab\/doubletake$/.test(file) && !/\.test\.[jt]s$|^lab\/report\/assets\//.test(file));
	assert.ok(files.length > 100);
	assert.deepEqual(
		files.filter((file) => COLOURING.test(readFileSync(join(ROOT, file), 'utf8'))),
		[],
	);
});

test('the live line moves the cursor, and has no colour', () => {
	const texts: string[] = [];
	const terminal = { isTTY: true, columns: 120, rows: 24, write: (text: string) => texts.push(text) };
	const progress = createReporter({ json: false, out: terminal, err: terminal, openLine: createLogUpdate }).progress;
	for (const leftS of [3, 2, 1]) progress.load({ stage: 'to 500 users', users: 500, rps: 700, p95Ms: 90, failureRate: 0.1, leftS });
	progress.say('note: one');
	progress.done();
	const text = texts.join('');
	assert.ok(text.includes(START) && text.includes('1 s left') && text.includes('  note: one\n'), text);
	assert.ok(!isColoured(text), JSON.stringify(text));
});

test('words, help and errors have none, though colours are forced', async () => {
	for (const args of [['list'], ['--help'], ['run', '3z']]) {
		const { all } = await execa(process.execPath, ['lab/cli/start.ts', ...args], {
			cwd: ROOT,
			all: true,
			reject: false,
			timeout: LIMIT_MS,
			env: { FORCE_COLOR: '1' },
		});
		assert.ok(String(all).length > 0 && !isColoured(String(all)), String(all));
	}
});
