import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { execa } from 'execa';
import { EXIT } from '../base/errors.ts';
import { RECORD, ROOT } from '../base/paths.ts';
import { architectures } from '../catalog/architectures.ts';
import { putStoredRun } from '../diagnose/fixtures/stored-run.ts';
import { readCommit } from '../run/components.ts';

const LIMIT_MS = 60_000;

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-main-'));
after(() => rmSync(folder, { recursive: true }));

/** The command as it is given in a folder without a system. */
async function giveWith(
	variables: Record<string, string>,
	...args: string[]
): Promise<{ exitCode?: number; stdout: string; stderr: string }> {
	const { exitCode, stdout, stderr } = await execa(process.execPath, [join(ROOT, 'lab/cli/start.ts'), ...args], {
		reject: false,
		timeout: LIMIT_MS,
		env: { DOUBLETAKE_FOLDER: folder, DOUBLETAKE_REPORTS: join(folder, 'reports'), ...variables },
	});
	return { exitCode, stdout, stderr };
}

const give = (...args: string[]) => giveWith({}, ...args);

test('list --json gives one object on standard output, and its words on standard error', async () => {
	const { exitCode, stdout, stderr } = await give('list', '--json');
	assert.equal(exitCode, EXIT.done, stderr);
	const { result } = JSON.parse(stdout);
	assert.deepEqual(
		result.architectures.map(({ id }: { id: string }) => id),
		Object.keys(architectures),
	);
	assert.match(stderr, /^Architectures \(doubletake run <id>\)$/m);
});

test('report --json gives the result that it writes, its folder, its page and its thresholds', async () => {
	const run = 'reports/2a/2026-11-22T070000Z-0001';
	await putStoredRun(join(folder, run));
	const { stdout, stderr } = await giveWith({ EXPECT: 'failure_rate<0.001' }, 'report', run, '--json');
	const { folder: named, report, thresholds, result } = JSON.parse(stdout);
	assert.deepEqual([named, report], [run, `${run}/${RECORD.report}`]);
	assert.deepEqual(result, JSON.parse(readFileSync(join(folder, run, RECORD.result), 'utf8')));
	assert.deepEqual(
		thresholds.map(({ text, met }: { text: string; met: boolean }) => [text, met]),
		[['failure_rate<0.001', false]],
	);
	assert.match(stderr, new RegExp(`^ {2}report: ${report}$`, 'm'));
});

test('a refusal is an object too, in its parts, with the exit code that it has without', async () => {
	const { exitCode, stdout, stderr } = await give('--json', 'run', '3z');
	const { error } = JSON.parse(stdout);
	assert.deepEqual([exitCode, error.found], [EXIT.notReady, '"3z"']);
	assert.equal(error.expected, `one of ${Object.keys(architectures).join(', ')}`);
	assert.match(error.do, /"doubletake list" says what each is/);
	assert.match(stderr, /^error: architecture: expected one of /);
});

for (const [args, message] of [
	[['juggle'], /^unknown command 'juggle'/],
	[['help', 'juggle'], /^unknown command 'juggle'/],
	[
		['run', 'compose.yml'],
		/^run: expected the id of an architecture of Doubletake, or nothing for the system of this folder; found "compose.yml"/,
	],
	[['completion'], /^shell: expected one of bash, zsh, fish; found ""/],
	[['experiment'], /^experiment: expected doubletake\.yaml in .*, or the id of an experiment of Doubletake; found neither/],
	[['compare'], /^compare: expected doubletake\.yaml in .*, or two architectures; found neither/],
	[[], /^expected a command; found none$/],
] as [string[], RegExp][]) {
	test(`a command line that cannot be understood is one: ${['doubletake', ...args].join(' ')}`, async () => {
		const { exitCode, stdout, stderr } = await give(...args, '--json');
		assert.equal(exitCode, EXIT.notReady, stderr);
		assert.match(JSON.parse(stdout).error.message, message);
		assert.notEqual(stderr, '');
	});
}

test('a variable may stand behind the command, as with make', async () => {
	const { exitCode, stdout } = await give('run', 'a', 'LOAD=tsunami', '--json');
	const { error } = JSON.parse(stdout);
	assert.deepEqual([exitCode, error.found], [EXIT.notReady, '"tsunami"']);
});

test('one that the lab does not know is refused with the one that was meant, however it is given', async () => {
	for (const [variables, ...args] of [
		[{}, 'run', 'a', 'LOD=smoke'],
		[{ DOUBLETAKE_TYPED: 'LOADS=smoke', LOADS: 'smoke' }, 'run', 'a'],
		[{ load: 'smoke' }, 'run', 'a'],
	] as [Record<string, string>, ...string[]][]) {
		const { exitCode, stdout, stderr } = await giveWith(variables, ...args, '--json');
		assert.equal(exitCode, EXIT.notReady, stderr);
		assert.match(JSON.parse(stdout).error.do, /^write LOAD=smoke/, args.join(' '));
		assert.equal(stderr.match(/^error: /gm)?.length, 1, stderr);
	}
});

test('a flag, a word behind the command and a variable before it are one option', async () => {
	const reported = [];
	// How else a flag has its value: command-line.test.js.
	for (const [variables, ...args] of [
		[{}, 'run', 'a', '--repeats', '3'],
		[{}, 'run', 'a', 'REPEATS=3'],
		[{ DOUBLETAKE_TYPED: 'REPEATS=3', REPEATS: '3' }, 'run', 'a'],
	] as [Record<string, string>, ...string[]][])
		reported.push((await giveWith(variables, ...args)).stderr);
	assert.match(reported[0], /^error: REPEATS: expected none, because it changes nothing about a; found "3"\./);
	assert.equal(new Set(reported).size, 1);
});

test('the help of a command has the options that it takes', async () => {
	const { stdout } = await give('run', '--help');
	assert.match(stdout, /^ {2}--retry-budget +per cent of its requests/m);
	assert.doesNotMatch(stdout, /--target-rps/);
});

test('beside a user’s own Compose file it says what an own system has unless given, and of the published ones elsewhere', async () => {
	const own = await mkdtemp(join(os.tmpdir(), 'doubletake-help-'));
	const helpOf = async (command: string) => (await giveWith({ DOUBLETAKE_FOLDER: own }, command, '--help')).stdout.replaceAll(/\s+/g, ' ');
	try {
		assert.match(await helpOf('run'), /--users users at the top \(2,000, as published, unless given\)/);
		await writeFile(join(own, 'docker-compose.yml'), 'services: {}\n');
		const run = await helpOf('run');
		assert.match(run, /More options for the system of this folder, as --load <value>/);
		assert.match(run, /--users users at the top \(200, or what load\.users in doubletake\.yaml says, unless given\)/);
		assert.match(
			run,
			/--load how many users, for how long: steps, brief, .* \(steps, or what load\.shape in doubletake\.yaml says, unless given\)/,
		);
		assert.doesNotMatch(run, /published|2,000|patient|--delay |the nodes are/);
		const compare = await helpOf('compare');
		assert.match(compare, /--a baseline: Compose files, NAME=value/);
		assert.doesNotMatch(compare, /a:DELAY/);
		// Of records it is the same anywhere.
		assert.match(await helpOf('report'), /--expect thresholds that a run has to meet/);
	} finally {
		await rm(own, { recursive: true });
	}
});

test('a misspelt command, or flag of one, is reported with the one that was meant', async () => {
	// Of all words that there are: command-line.test.js; of names of architectures, loads, budgets and metrics: settings.test.js in lab/options.
	for (const [args, meant] of [
		[['selftset'], /^write "selftest"/],
		[['init', '--verbose'], /^write "--explain" instead of "--verbose"/],
		[['-v'], /^write "--version" instead of "-v"/],
	] as [string[], RegExp][]) {
		const { exitCode, stdout } = await give(...args, '--json');
		assert.equal(exitCode, EXIT.notReady, stdout);
		assert.match(JSON.parse(stdout).error.do, meant);
	}
});

test('the version is told with the commit that a manifest has, and nothing is done beside it', async () => {
	const { exitCode, stdout } = await give('run', '3z', '--version', '--json');
	const { result } = JSON.parse(stdout);
	const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
	assert.deepEqual([exitCode, result], [EXIT.done, { version, git: await readCommit() }]);
	const { stdout: words } = await give('--version');
	assert.equal(words.startsWith(`doubletake ${version}${result.git === null ? '' : `, commit ${result.git.commit}`}`), true, words);
});

test('without --json an error leaves standard output empty', async () => {
	const { exitCode, stdout, stderr } = await give('report');
	assert.deepEqual([exitCode, stdout], [EXIT.notReady, '']);
	assert.match(stderr, /^error: report: expected the folder of a run; found none\.\n {2}To do: /);
});

test('selftest in a folder without a system begins nothing before somebody has said yes', async () => {
	const { exitCode, stdout } = await give('selftest', '--json');
	const { error } = JSON.parse(stdout);
	assert.equal(exitCode, EXIT.notReady);
	assert.match(error.expected, /doubletake\.yaml in .*, or a yes to \d+ runs of systems that Doubletake brings along, about \d+ h/);
	assert.match(error.do, /doubletake selftest --yes/);
});
