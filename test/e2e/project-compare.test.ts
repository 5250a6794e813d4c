/**
 * A user's own system against itself: a revision of git, of which an image is built, and another value of a variable. Interrupted,
 * resumed, and read again.
 */
import assert from 'node:assert/strict';
import { access, chmod, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { execa } from 'execa';
import { EXIT } from '../../lab/base/errors.ts';
import { EXPERIMENT_RECORD, RECORD, ROOT } from '../../lab/base/paths.ts';
import { checkPage } from '../browser/made-pages.ts';
import {
	assertNothingIsLeft,
	assertRan,
	doubletakeIn,
	LAB,
	machineImages,
	RUN_LIMIT_MS,
	readJson,
	readManifest,
	readResult,
	saysSo,
	start,
} from './commands.ts';

const SIDES = ['--a', 'rev:HEAD', '--b', 'DELAY_MS=50'];
const LIMIT_MS = 4 * RUN_LIMIT_MS;
const ASK_LIMIT_MS = 120_000;
const DOCKERFILE = 'ARG NODE_IMAGE\nFROM $NODE_IMAGE\nCOPY web.js /srv/web.js\n';

/** Checkouts of revisions that are there. */
const checkouts = async () => (await readdir(os.tmpdir())).filter((name) => name.startsWith('doubletake-rev-'));

describe('two arms of a system of one’s own', () => {
	let folder = '';
	let comparison = '';
	const built = new Set() as Set<string>;
	let variables: Record<string, string> = {};

	async function change(name: string, changes: [string | RegExp, string][]) {
		const text = await readFile(join(folder, name), 'utf8');
		const changed = changes.reduce((before, [from, to]) => before.replace(from, to), text);
		assert.notEqual(changed, text);
		await writeFile(join(folder, name), changed);
	}

	before(
		async () => {
			folder = await mkdtemp(join(os.tmpdir(), 'doubletake-own-'));
			await cp(join(ROOT, 'test/own'), folder, { recursive: true });
			// Its load is a script, which k6 reads in its container.
			await chmod(folder, 0o755);
			variables = await machineImages();
			await writeFile(join(folder, 'Dockerfile'), DOCKERFILE);
			await change('compose.yaml', [
				[/image: (\$\{NODE_IMAGE.*\})/, 'build: {context: ., args: {NODE_IMAGE: "$1"}}'],
				[/ +volumes: \["\.\/web\.js.*\n/, ''],
			]);
			// As long as shows how often each arm fails.
			await change('load.js', [["'8s'", "'5s'"]]);
			const { exitCode, output } = await doubletakeIn(folder, ['init'], variables);
			assert.equal(exitCode, EXIT.done, output);
			await change('doubletake.yaml', [[/(edge: .*watch: )1/, '$12']]);
			const git = (...args: string[]) =>
				execa('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false', ...args], { cwd: folder });
			await git('init', '--quiet');
			await git('add', 'compose.yaml', 'Dockerfile', 'edge.conf', 'web.js');
			await git('commit', '--quiet', '--message', 'One in twenty fails');
			// Not committed: the revision has one failure in twenty, the folder one in ten.
			await change('web.js', [[/% 20/g, '% 10']]);
		},
		{ timeout: ASK_LIMIT_MS },
	);
	after(async () => {
		await rm(folder, { recursive: true, force: true });
		for (const id of built) await execa('docker', ['image', 'rm', '--force', id]);
		await assertNothingIsLeft();
	});

	// What else is reported: project-plan.test.js in lab/compare/experiment, and variable-effect, revision and resolve-arm.test.js in lab/target.
	test('what cannot be compared is reported before anything is measured', { timeout: ASK_LIMIT_MS }, async () => {
		const { exitCode, output } = await doubletakeIn(folder, ['compare', '--a', 'POLL=8'], variables);
		assert.equal(exitCode, EXIT.notReady, output);
		assert.match(output, /--a: expected a variable that compose\.yaml reads; POLL changes nothing/);
		const arms = 'arms:\n  today:\n  before: rev:HEAD\n  slow: POLL=50\n';
		const nothing = await doubletakeIn(folder, ['compare'], variables);
		assert.equal(nothing.exitCode, EXIT.notReady, nothing.output);
		assert.match(nothing.output, /expected what differs[\s\S]* against itself: 16 runs, about \d+ minutes[\s\S]*give --b \./);
		await writeFile(join(folder, 'experiment.yaml'), `question: Does the delay matter?\n${arms}`);
		const asked = await doubletakeIn(folder, ['experiment'], variables);
		assert.equal(asked.exitCode, EXIT.notReady, asked.output);
		assert.match(asked.output, /experiment\.yaml, arms\.slow: expected a variable that compose\.yaml reads; POLL changes nothing/);
		await assert.rejects(access(join(folder, 'reports')));
	});

	test('an interruption keeps what was measured, and says how to go on', { timeout: LIMIT_MS }, async () => {
		const earlier = await checkouts();
		const given = { ...variables, REPEATS: '1', SEED: '3' };
		const child = start(LAB, ['compare', ...SIDES], { variables: given, detached: true, cwd: folder, limitMs: LIMIT_MS });
		await saysSo(child, /: 1 run to go[\s\S]* s left/);
		process.kill(-Number(child.pid), 'SIGINT');
		const { exitCode, all } = await child;
		assert.equal(exitCode, EXIT.interrupted, String(all));
		assert.match(String(all), /note: not committed, and so not in rev:HEAD: web\.js\./);
		const [, shown] = /go on with: RESUME=(reports\/compare\/\S+) doubletake compare/.exec(String(all)) ?? [];
		assert.ok(shown, String(all));
		comparison = join(folder, shown);
		const { attempts, ended } = await readManifest(comparison);
		// An INVALID run is made twice.
		const made = new Set<any>(attempts.map(({ arm }: { arm: string }) => arm));
		assert.deepEqual([made.size, ended], [1, null]);
		assert.deepEqual(await checkouts(), earlier);
		await assertNothingIsLeft();
	});

	test('goes on with the runs that are missing', { timeout: LIMIT_MS }, async () => {
		const earlier = await readManifest(comparison);
		assertRan(await doubletakeIn(folder, ['compare'], { ...variables, RESUME: comparison }, LIMIT_MS));
		const { schedule, attempts, arms } = await readManifest(comparison);
		assert.deepEqual(schedule, earlier.schedule);
		assert.deepEqual(attempts[0], earlier.attempts[0]);
		assert.deepEqual(
			arms.map(({ id }: { id: string }) => id),
			['rev:HEAD', 'DELAY_MS=50'],
		);
		await assertNothingIsLeft();
	});

	test('each arm was run as it was asked for: the image of the revision, the value of the variable', async () => {
		const { attempts } = await readManifest(comparison);
		const images = { 'rev:HEAD': new Set(), 'DELAY_MS=50': new Set() };
		for (const { images: ids } of attempts) built.add(ids.web);
		for (const { arm, run, images: built } of attempts) {
			const folderOfRun = join(folder, 'reports', run);
			const { metrics, architecture_title: title } = await readResult(folderOfRun);
			const isRevision = arm === 'rev:HEAD';
			assert.ok(Math.abs(Number(metrics.failure_rate) - (isRevision ? 0.05 : 0.1)) < 0.02, `${arm}: ${metrics.failure_rate}`);
			const p50 = Number(metrics.latency_ms.ok.p50);
			assert.ok(isRevision ? p50 < 50 : p50 >= 50, `${arm}: ${p50} ms`);
			assert.match(title, isRevision ? / at HEAD \([0-9a-f]{7}\)$/ : / with DELAY_MS=50$/);
			assert.equal((await readManifest(folderOfRun)).system.arm.id, arm);
			images[arm as keyof typeof images].add(built.web);
		}
		assert.deepEqual(
			Object.values(images).map(({ size }) => size),
			[1, 1],
		);
		assert.notDeepEqual(images['rev:HEAD'], images['DELAY_MS=50']);
	});

	test('each run was of the user’s script as it is, and says what it checked', async () => {
		for (const { run } of (await readManifest(comparison)).attempts) {
			const folderOfRun = join(folder, 'reports', run);
			const { metrics, ledger, notes, load_title: title, user_time: users } = await readResult(folderOfRun);
			assert.match(title, /^load\.js, as it is: up to 15 users for 5 s/);
			assert.ok(metrics.requests > 100 && metrics.failures > 0);
			assert.deepEqual([...new Set(ledger.failures.map(({ service, cause }) => `${service} ${cause}`))], ['web app-error']);
			for (const wanted of [/answers with a good status failed a check of the script/, /not met: http_req_failed: rate<0\.001/])
				assert.ok(
					notes.some((note) => wanted.test(note)),
					notes.join(),
				);
			assert.ok(Number(users?.parts.find(({ id }) => id === 'thinking')?.share) > 0.5);
			assert.ok((await readFile(join(folderOfRun, RECORD.report), 'utf8')).includes('http_req_failed'));
		}
	});

	test('is judged by the rules of every comparison, without the user’s secrets', async () => {
		const { verdict, blocks, notes, command } = await readJson(comparison, EXPERIMENT_RECORD.comparison);
		assert.deepEqual([verdict.word, blocks.wanted, blocks.least], ['INCONCLUSIVE', 1, 8]);
		assert.equal(command, 'REPEATS=1 SEED=3 doubletake compare --a rev:HEAD --b DELAY_MS=50');
		assert.ok(notes.some((note: string) => note.endsWith('measure one with: doubletake compare --a rev:HEAD --b rev:HEAD')));
		for (const file of [RECORD.manifest, EXPERIMENT_RECORD.comparison, EXPERIMENT_RECORD.comparisonPage])
			assert.ok(!(await readFile(join(comparison, file), 'utf8')).includes('hunter2'), file);
	});

	test('draws a page that a browser shows without a fault, with links that lead somewhere', { timeout: ASK_LIMIT_MS }, async () => {
		await checkPage('compare', join(comparison, EXPERIMENT_RECORD.comparisonPage));
		const { base, other } = await readJson(comparison, EXPERIMENT_RECORD.comparison);
		for (const { href } of [...base.runs, ...other.runs]) await access(join(comparison, href));
		assert.ok((await readFile(join(folder, 'reports', 'index.html'), 'utf8')).includes('compare.html'), 'index.html lists it');
	});

	test(
		'is judged again from its folder alone, and is not gone on with once it is complete or changed',
		{ timeout: ASK_LIMIT_MS },
		async () => {
			const earlier = await readJson(comparison, EXPERIMENT_RECORD.comparison);
			assertRan(await doubletakeIn(folder, ['report', comparison]));
			assert.deepEqual(await readJson(comparison, EXPERIMENT_RECORD.comparison), earlier);
			const complete = await doubletakeIn(folder, ['compare'], { ...variables, RESUME: comparison });
			assert.match(complete.output, /Nothing to resume: [\s\S]*"doubletake report .*REPEATS=3 adds two repetitions/);
			await change('load.js', [['target: 10', 'target: 12']]);
			const changed = await doubletakeIn(folder, ['compare'], { ...variables, RESUME: comparison, REPEATS: '3' });
			assert.match(changed.output, /doubletake\.yaml: expected it and the files of its load as they were/);
		},
	);
});
