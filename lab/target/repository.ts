/**
 * A user's git repository, which somebody else may have made: its configuration and its hooks can name programs, and git runs these in whatever it is
 * asked there (https://git-scm.com/docs/git#_security; safe.directory only speaks of folders of other users). So git is never called in it. It works
 * in an empty repository of the lab's own, that has copies of the other's names and index, and reads its objects where they are.
 */

import { lstatSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { isSomethingAt, readIfThere } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import type { Ended } from '../docker/bounded.ts';
import { runBounded } from '../docker/bounded.ts';
import { makeScratch } from '../docker/scratch.ts';
import { follow, isWithin } from './real-path.ts';

type Repository = {
	/** of the user's files */
	root: string;
	/** the user's folder in it; empty, or with a slash at its end */
	prefix: string;
	git: (args: string[], given?: { cwd?: string; env?: Record<string, string>; limitMs?: number }) => Promise<Ended>;
};

const ASK_LIMIT_MS = 15_000;
const GIT = '.git';
/** One with a million files has an index of 0.1 GB. */
const [COPIED_MOST_BYTES, REFS_MOST] = [1e9, 100_000];
const REMEDY = 'leave the revision out, or compare in a clone of the repository.';
/** By which nothing is run that the user's own settings name, and nothing is fetched. */
const CLOSED = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'protocol.allow=never'];
/** What a repository says of its files, in values that name nothing. */
const OF_FILES =
	/^(?:core\.(?:filemode|autocrlf|eol|symlinks|ignorecase|precomposeunicode)|extensions\.objectformat) (?:true|false|input|lf|crlf|native|sha1|sha256)$/;

/**
 * @param asked what needs it, for the error
 * @throws {NotReadyError} when the folder is in no repository, or in one whose files lie elsewhere
 */
export async function withRepository<T>(folder: string, asked: string, use: (repository: Repository) => Promise<T>): Promise<T> {
	const real = follow(folder).real;
	const root = rootAround(real);
	if (root === null) throw new NotReadyError(`${asked}: expected a git repository around ${folder}; found none.`, REMEDY);
	const scratch = await makeScratch('git');
	try {
		const places = await placesOf(root, scratch);
		if (places === null)
			throw new NotReadyError(`${asked}: expected the repository of ${root} in its folder; found that its files lie elsewhere.`, REMEDY);
		const [away] = await leadingAway(places.common);
		if (away !== undefined)
			throw new NotReadyError(
				`${asked}: expected a repository that has its own objects; found ${away}, which leads to those of another.`,
				'compare in a clone of it that has all of its objects: git clone --dissociate.',
			);
		const call = await openOwn(places, { scratch, root });
		return await use({ root, prefix: real === root ? '' : `${relative(root, real)}/`, git: call });
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
}

function rootAround(folder: string): string | null {
	if (isSomethingAt(join(folder, GIT))) return folder;
	return dirname(folder) === folder ? null : rootAround(dirname(folder));
}

/** own: of this one of several worktrees */
type Places = { own: string; common: string };

/** Where it lies: in the folder, or where git has put it for a worktree or a submodule, which names the folder in turn. */
async function placesOf(root: string, scratch: string): Promise<Places | null> {
	const [, named] = /^gitdir: (.+)/.exec(isPlainFile(join(root, GIT)) ? (readIfThere(join(root, GIT)) ?? '') : '') ?? [];
	const own = follow(resolve(root, named?.trim() ?? GIT)).real;
	const shared = readIfThere(join(own, 'commondir'))?.trim();
	const isOwn = isWithin(own, root) ? shared === undefined : await namesFolder(own, root, scratch);
	const common = follow(resolve(own, shared ?? '.')).real;
	return isOwn && isWithin(follow(join(common, 'objects')).real, common) ? { own, common } : null;
}

/** By which git would read what another repository has: whoever knows the hash of something in that one would have it checked out. */
async function leadingAway(common: string): Promise<string[]> {
	const borrowed = join(common, 'objects/info/alternates');
	const found = (lstatSync(borrowed, { throwIfNoEntry: false })?.size ?? 0) > 0 ? [borrowed] : [];
	for (const folder of ['objects', 'lfs'].map((name) => join(common, name))) {
		if (isLink(folder)) found.push(folder);
		for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
			if (entry.isSymbolicLink()) found.push(join(entry.parentPath, entry.name));
	}
	return found;
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

async function namesFolder(own: string, root: string, scratch: string): Promise<boolean> {
	const worktree = readIfThere(join(own, 'gitdir'))?.trim();
	if (worktree !== undefined) return follow(worktree, { from: own }).real === join(root, GIT);
	const { stdout } = await run(['config', '--file', join(own, 'config'), 'core.worktree'], { cwd: scratch });
	return stdout !== '' && follow(stdout, { from: own }).real === root;
}

async function openOwn({ own, common }: Places, { scratch, root }: { scratch: string; root: string }): Promise<Repository['git']> {
	const settings = await run(['config', '--file', join(common, 'config'), '--get-regexp', '.'], { cwd: scratch });
	const kept = settings.stdout.split('\n').flatMap((line) => (OF_FILES.test(line) ? [line.replace(' ', '=')] : []));
	const format = kept.includes('extensions.objectformat=sha256') ? ['--object-format=sha256'] : [];
	const made = await run(['init', '--quiet', '--template=', ...format, scratch], { cwd: scratch });
	if (made.failed) throw new NotReadyError(`Expected git to make a repository; git says: ${made.stderr || made.shortMessage}`, REMEDY);
	const into = join(scratch, GIT);
	await mkdir(join(into, 'refs'), { recursive: true });
	// An index names the one that it shares by its hash, of which a repository keeps some.
	const indexes = (await readdir(own).catch(() => [])).filter((name) => /^(index|sharedindex\.[\da-f]{40,64})$/.test(name));
	const refs = await plainFilesIn(common, 'refs');
	const copies = [
		...['packed-refs', 'shallow', ...refs].map((name) => [join(common, name), join(into, name)]),
		...['HEAD', ...indexes].map((name) => [join(own, name), join(into, name)]),
	];
	const sizes = copies.map(([from]) => lstatSync(from, { throwIfNoEntry: false })?.size ?? 0);
	const bytes = sizes.reduce((sum, size) => sum + size, 0);
	if (bytes > COPIED_MOST_BYTES || refs.length > REFS_MOST)
		throw new NotReadyError(
			`Expected a repository whose names and index have at most ${COPIED_MOST_BYTES / 1e9} GB in ${REFS_MOST} files; found ${(bytes / 1e9).toFixed(1)} GB, most of it ${copies[sizes.indexOf(Math.max(...sizes))][0]}.`,
			REMEDY,
		);
	for (const [from, to] of copies) await copyPlain(from, to);
	const flags = [...kept.filter((one) => one.startsWith('core.')), `lfs.storage=${join(common, 'lfs')}`].flatMap((one) => ['-c', one]);
	return (args, { cwd = root, env = {}, limitMs } = {}) => {
		const places = { GIT_DIR: into, GIT_WORK_TREE: root, GIT_OBJECT_DIRECTORY: join(common, 'objects'), ...env };
		return run([...flags, ...args], { cwd, env: places, limitMs });
	};
}

/** Of a folder of the repository, one more than are taken at most; no link is followed. */
async function plainFilesIn(common: string, name: string): Promise<string[]> {
	const [open, files] = [[name], [] as string[]];
	if (!lstatSync(join(common, name), { throwIfNoEntry: false })?.isDirectory()) return [];
	for (const folder of open)
		for (const entry of files.length + open.length > REFS_MOST ? [] : await readdir(join(common, folder), { withFileTypes: true })) {
			if (entry.isDirectory()) open.push(join(folder, entry.name));
			if (entry.isFile()) files.push(join(folder, entry.name));
		}
	return open.length > REFS_MOST ? open : files;
}

const isPlainFile = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** no link, which could lead to another repository */
async function copyPlain(from: string, to: string): Promise<void> {
	if (!isPlainFile(from)) return;
	await mkdir(dirname(to), { recursive: true });
	await copyFile(from, to);
	// By when an index was written git knows which files it has to read again.
	const { atime, mtime } = lstatSync(from);
	await utimes(to, atime, mtime);
}

const run: (args: string[], given: { cwd: string; env?: Record<string, string>; limitMs?: number }) => Promise<Ended> = (
	args,
	{ cwd, env = {}, limitMs = ASK_LIMIT_MS },
) =>
	runBounded('git', [...CLOSED.flatMap((one) => ['-c', one]), ...args], {
		cwd,
		// What the shell says of a repository is of another. Asking for the state of one writes to it, unless git is told not to.
		env: { ...NO_REPOSITORY, GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: '', ...env },
		limitMs,
	});

const NO_REPOSITORY: Record<string, undefined> = Object.fromEntries(
	['DIR', 'WORK_TREE', 'COMMON_DIR', 'INDEX_FILE', 'OBJECT_DIRECTORY', 'ALTERNATE_OBJECT_DIRECTORIES', 'NAMESPACE', 'PREFIX'].map(
		(name) => [`GIT_${name}`, undefined],
	),
);
