/**
 * The lab as a package: packed, installed into the folder of a user's own system, and what it is made of. Used there by its name it is in
 * project.test.js.
 */
import assert from 'node:assert/strict';
import { lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT } from '../../lab/base/errors.ts';
import { ENV_FILE, ROOT } from '../../lab/base/paths.ts';
import { doubletake, installedIn, start } from './commands.ts';
import { serveAsRegistry } from './registry.ts';

const timeout = 60_000;
/** As a user installs it: what is not asked for here, such as running no scripts, the package itself has to see to. */
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=warn'];
const SHIPPED = [
	...['app', 'compose', 'compose.yaml', 'docs/*.md', 'envoy', 'experiments', 'haproxy', 'k6', 'lab', 'nginx'],
	...['LICENSE', 'README.md', 'package.json'],
];
/** Made when the package is packed. */
const MADE = ['npm-shrinkwrap.json'];
/** Tests, what only they read, and what only the type checker and the editor read. */
const LEFT_OUT = /(^|\/)fixtures\/|\.test\.[jt]s$|\/tsconfig\.json$|\.d\.ts$/;

/** Every file and folder below one, with its size and the time of its last change. */
async function stateOf(folder: string) {
	const entries = await readdir(folder, { recursive: true });
	const states = entries.sort().map(async (entry) => {
		const { size, mtimeMs } = await lstat(join(folder, entry));
		return `${entry} ${size} ${mtimeMs}`;
	});
	return Promise.all(states);
}

/** @returns what it printed */
async function succeed(file: string, args: string[], cwd: string): Promise<string> {
	const { exitCode, all, stdout } = await start(file, args, { cwd });
	assert.equal(exitCode, 0, String(all));
	return String(stdout);
}

export type Package = {
	/** in which it is installed */
	folder: string;
	packed: { filename: string; files: { path: string; mode: number }[] };
	/** by npm while it installed it */
	said: string;
	/** of all files of the installed one */
	state: string[];
};

const placeIn = (folder: string): string => join(folder, 'node_modules', 'doubletake');

export async function installPackage(folder: string): Promise<Package> {
	await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
	// The commit of the repository around it is none of the lab's.
	await succeed('git', ['init', '--quiet'], folder);
	const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
	await succeed('git', [...author, 'commit', '--quiet', '--allow-empty', '--message', 'Begin'], folder);
	const [packed] = JSON.parse(await succeed('npm', ['pack', '--json', '--pack-destination', folder], ROOT));
	let said = '';
	const registry = await serveAsRegistry(join(folder, packed.filename));
	try {
		said = await succeed('npm', [...INSTALL, '--registry', registry.url, 'doubletake'], folder);
	} finally {
		registry.close();
	}
	return { folder, packed, said, state: await stateOf(placeIn(folder)) };
}

export function testPackage(given: () => Package) {
	test('holds what the lab is made of, and neither tests nor what only they read', async () => {
		const listed = await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...SHIPPED], ROOT);
		const wanted = listed
			.split('\n')
			.filter((file) => file !== '' && !/(^|\/)node_modules$/.test(file) && !LEFT_OUT.test(file))
			.map((file) => file.replace(/\.ts$/, '.js'));
		const { files } = given().packed;
		assert.deepEqual(files.map(({ path }) => path).sort(), [...wanted, ...MADE].sort());
		for (const { path, mode } of files) if (/\.sh$|^lab\/doubletake$/.test(path)) assert.ok(mode & 0o100, `${path} can be run`);
	});

	test('comes with the versions that it was tested with, and none of their install scripts was run', async () => {
		const { folder, said } = given();
		assert.doesNotMatch(said, /install scripts/);
		const { packages } = JSON.parse(await readFile(join(placeIn(folder), 'npm-shrinkwrap.json'), 'utf8'));
		const installed = await readdir(folder, { recursive: true });
		// An add-on that a script compiled.
		assert.deepEqual(
			installed.filter((file) => /\/build\/Release\//.test(file)),
			[],
		);
		const found = await Promise.all(
			Object.entries<any>(packages).map(async ([path, { version, optional, dev, devOptional, peer }]) => {
				const text = await readFile(join(placeIn(folder), path, 'package.json'), 'utf8').catch(() => null);
				// Those of another platform are not there, nor what only development needs.
				if (text === null) return optional || dev || devOptional || peer ? [] : [`${path} is missing`];
				return JSON.parse(text).version === version ? [] : [`${path} is ${JSON.parse(text).version}, not ${version}`];
			}),
		);
		assert.deepEqual(found.flat(), []);
	});

	test('goes by the name that the README and docs/own-system.md call it by', async () => {
		for (const file of ['README.md', 'docs/own-system.md']) {
			const named = (await readFile(join(ROOT, file), 'utf8')).match(/doubletake-[\w.-]+\.tgz/g);
			assert.deepEqual([...new Set(named)], [given().packed.filename], file);
		}
	});

	test('names the images as the checkout does, in a file in the user’s cache', { timeout }, async () => {
		assert.equal((await doubletake(['images'])).exitCode, EXIT.done);
		const { folder } = given();
		const cache = join(folder, 'cache');
		const { exitCode, output } = await installedIn(folder, ['images'], { XDG_CACHE_HOME: cache });
		assert.equal(exitCode, EXIT.done, output);
		assert.equal(await readFile(join(cache, 'doubletake', 'images.env'), 'utf8'), await readFile(ENV_FILE, 'utf8'));
	});
}

/** That nothing was written into its folder by what was done with it. */
export async function assertUnchanged({ folder, state }: Package) {
	assert.deepEqual(await stateOf(placeIn(folder)), state);
}
