/**
 * A release, as its workflow makes it: each step of the workflow is run here as it stands there, but for those that publish.
 */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from '../../lab/base/paths.ts';
import { assertNothingIsLeft, machineImages, readResult, start } from './commands.ts';

const STEP_LIMIT_MS = 900_000;
const PUBLISHES = /^Publish /;
const REPOSITORY = 'Example/doubletake-test';

type Step = { name: string; run?: string; env?: Record<string, string> };

describe('the workflow that releases a version', () => {
	let folder = '';
	let image = '';
	const ended: Record<string, { exitCode: number | undefined; all: string; stdout: string }> = {};
	let steps: Step[] = [];

	before(
		async () => {
			folder = await mkdtemp(join(os.tmpdir(), 'doubletake-release-'));
			const { stdout: listed } = await start('git', ['ls-files', '--cached', '--others', '--exclude-standard']);
			for (const file of String(listed).split('\n')) await cp(join(ROOT, file), join(folder, file)).catch(() => {});
			const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
			image = `ghcr.io/${REPOSITORY.toLowerCase()}:${version}`;
			({ steps } = parse(await readFile(join(folder, '.github/workflows/release.yml'), 'utf8')).jobs.release);
			const given = { VERSION: `v${version}`, REPOSITORY, GITHUB_ACTOR: 'ada', ...(await machineImages()) };
			for (const { name, run, env } of steps) {
				if (run === undefined || PUBLISHES.test(name)) continue;
				// As the runner starts it.
				const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run];
				const { exitCode, all, stdout } = await start('bash', args, {
					cwd: folder,
					variables: { ...given, ...env },
					limitMs: STEP_LIMIT_MS,
				});
				ended[name] = { exitCode, all: String(all), stdout: String(stdout) };
				if (exitCode !== 0) break;
			}
		},
		{ timeout: STEP_LIMIT_MS },
	);
	after(async () => {
		await start('docker', ['image', 'rm', image, `${image}-machine`]);
		const { stdout: volumes } = await start('docker', ['volume', 'ls', '--quiet', '--filter', 'label=doubletake.program']);
		for (const volume of String(volumes).split('\n').filter(Boolean)) await start('docker', ['volume', 'rm', volume]);
		await rm(folder, { recursive: true, force: true });
	});

	test('each step that publishes nothing is run, and ends well', () => {
		const wanted = steps.filter(({ name, run }) => run !== undefined && !PUBLISHES.test(name)).map(({ name }) => name);
		assert.ok(wanted.length >= 5 && wanted.length < steps.length);
		for (const name of wanted) assert.equal(ended[name]?.exitCode, 0, `${name}: ${ended[name]?.all}`);
	});

	test('its notes are those of the changelog, and the package names the repository', async () => {
		assert.match(await readFile(join(folder, 'notes.md'), 'utf8'), /^### Added$/m);
		const { repository, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
		assert.match(JSON.stringify(repository), /Example\/doubletake-test/);
		const { stdout: names } = await start('ls', [join(folder, 'release/dist')]);
		assert.deepEqual(String(names).split('\n'), [`doubletake-${version}.cdx.json`, `doubletake-${version}.tgz`, 'SHA256SUMS'].sort());
		const bill = JSON.parse(await readFile(join(folder, `release/dist/doubletake-${version}.cdx.json`), 'utf8'));
		assert.equal(bill.bomFormat, 'CycloneDX');
		assert.ok(bill.components.some(({ name }: { name: string }) => name === 'commander'));
	});

	test('the image and the package each measured the shop from a clean container', async () => {
		const folders = ended['Try the package and the image'].stdout.trim().split('\n');
		assert.equal(folders.length, 2);
		for (const run of folders) {
			const { ledger, metrics } = await readResult(run);
			assert.ok(metrics.requests > 100, JSON.stringify(metrics));
			assert.equal(ledger.unattributed, 0);
			// reports/<folder>/<run> of the shop in a folder of its own.
			await rm(dirname(dirname(dirname(dirname(run)))), { recursive: true });
		}
	});

	test('nothing is left', assertNothingIsLeft);
});
