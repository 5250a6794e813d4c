import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { execa } from 'execa';
import { NotReadyError } from '../../base/errors.ts';
import { architectures } from '../../catalog/architectures.ts';
import { experiments } from '../../catalog/experiments.ts';
import { listen } from '../../fixtures/reporter.ts';
import { OPTION_NAMES } from '../../options/accepted-options.ts';
import { flagOf } from '../command-line.ts';
import { completion } from './completion.ts';

const LIMIT_MS = 10_000;

const program = new Command('doubletake').option('--json', 'as JSON');
program.command('run [architecture]').summary("measure the user's").option('--allow', 'allow');
program.command('experiment <id>').summary('answer');
program.command('report [run]').summary('build: again');
program.command('completion <shell>').summary('print');

async function scriptOf(shell: string) {
	const { reporter, result } = listen();
	await completion(shell, program, reporter);
	return result().result.script;
}

const bash = await scriptOf('bash');

/** What bash offers for the last of some words, as it takes them apart itself. */
async function offered(...words: string[]) {
	const given = words.map((word) => `'${word}'`).join(' ');
	const call = `${bash}COMP_WORDS=(doubletake ${given}) COMP_CWORD=${words.length}; _doubletake; printf '%s\\n' "\${COMPREPLY[@]}"`;
	const { stdout } = await execa('bash', ['--norc', '-c', call], { timeout: LIMIT_MS });
	return stdout.split('\n').filter(Boolean);
}

test('the commands are those of the command line, with what their arguments may be', async () => {
	assert.deepEqual(await offered(''), ['run', 'experiment', 'report', 'completion']);
	assert.deepEqual(await offered('run', ''), Object.keys(architectures));
	assert.deepEqual(await offered('experiment', ''), [...Object.keys(experiments), 'all']);
	assert.deepEqual(await offered('report', ''), []);
	assert.deepEqual(await offered('report', '--'), ['--json', '--help', ...OPTION_NAMES.map(flagOf)]);
});

test('bash completes commands, architectures, experiments and options', async () => {
	assert.deepEqual(await offered('re'), ['report']);
	assert.deepEqual(await offered('run', '2a-h'), ['2a-haproxy']);
	assert.deepEqual(await offered('--json', 'run', '2a-h'), ['2a-haproxy']);
	assert.deepEqual(
		await offered('experiment', 'doub'),
		Object.keys(experiments).filter((id) => id.startsWith('doub')),
	);
	const flags = OPTION_NAMES.map(flagOf);
	assert.deepEqual(await offered('run', '--'), ['--allow', '--json', '--help', ...flags]);
	assert.deepEqual(await offered('report', '--al'), []);
	assert.deepEqual(await offered('run', 'a', '--load', 'pat'), ['patient']);
	assert.deepEqual(await offered('--json', 'run', '2a-h'), ['2a-haproxy']);
});

test('bash completes variables and loads, and a load that is called like a command is none', async () => {
	assert.deepEqual(await offered('run', 'a', 'BUD'), ['BUDGET=']);
	assert.deepEqual(await offered('run', 'a', 'LOAD', '=', 'pat'), ['patient']);
	assert.ok((await offered('run', 'a', 'LOAD', '=')).includes('smoke'));
	assert.deepEqual(await offered('LOAD', '=', 'open', 'experiment', 'doub'), await offered('experiment', 'doub'));
	// A folder: bash completes that by itself.
	assert.deepEqual(await offered('RUN', '=', 're'), []);
});

for (const [shell, noRun] of [
	['bash', '-n'],
	['zsh', '-n'],
	['fish', '--no-execute'],
] as const) {
	test(`the script for ${shell} has every command, architecture, experiment, load and variable`, async (context) => {
		const script = await scriptOf(shell);
		const names = ['run', 'completion', ...Object.keys(architectures), ...Object.keys(experiments), 'patient', ...OPTION_NAMES];
		for (const name of names) assert.match(script, new RegExp(`(?<![\\w-])${name}(?![\\w-])`), name);
		assert.match(script, /(--|-l )allow\b/);
		const { exitCode, failed, stderr } = await execa(shell, [noRun, '-c', script], { reject: false, timeout: LIMIT_MS });
		// Where it is installed it reads the script.
		if (exitCode === undefined) context.diagnostic(`no ${shell} here to read its script`);
		else assert.ok(!failed && stderr === '', stderr);
	});
}

test('a shell that there is no script for is refused, with those that there are', async () => {
	await assert.rejects(
		completion('csh', program, listen().reporter),
		(error) => error instanceof NotReadyError && /^shell: expected one of bash, zsh, fish; found "csh"/.test(error.message),
	);
});
