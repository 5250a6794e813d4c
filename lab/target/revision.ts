/**
 * Git revisions of a user's folder: which commit is meant, what is not committed, and the files of a commit in a temporary folder.
 * Nothing in the user's repository is changed: the files come out of an index that is made for them and goes with them. And what an arm is of a
 * folder.
 */

import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { makeScratch } from '../docker/scratch.ts';
import { follow, isWithin } from './real-path.ts';
import { withRepository } from './repository.ts';

const CHECKOUT_LIMIT_MS = 300_000;
/** What a repository of a few megabytes may become is without end. */
const CHECKOUT_MOST_BYTES = 10e9;
/** Compose reads it beside the files. It is seldom under version control. */
const ENV_FILE = '.env';

/** the files of a revision */
type Checkout = {
	/** all of them */
	root: string;
	/** those of the user's folder */
	folder: string;
};

export type Checkouts = {
	/** checked out when it is first asked for */
	at: (commit: string) => Promise<Checkout>;
	/** removes them; gives the folders that are still there, into which a container wrote */
	close: () => Promise<string[]>;
};

/**
 * @param option for errors
 * @returns the commit
 * @throws {NotReadyError} when the folder is in no repository, or the repository has no such revision
 */
export async function findCommit(option: string, folder: string, revision: string): Promise<string> {
	const found = await withRepository(folder, `${option} rev:${revision}`, ({ git }) =>
		git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]),
	);
	if (!found.failed) return String(found.stdout).trim();
	throw new NotReadyError(
		`${option}: expected a revision of the git repository around ${folder}; found none called "${revision}".`,
		'correct it, or fetch it; "git log --oneline" and "git tag" name some.',
	);
}

/**
 * Files that are under version control and not as they were committed: no revision has them so.
 * @param folder in a repository
 * @param except files of the folder
 * @returns of the whole repository, as seen from its root
 */
export async function changedFiles(folder: string, except: string[]): Promise<string[]> {
	const paths = [':/', ...except.map((file) => `:(exclude)${file}`)];
	// A submodule has settings of its own, by which git would look into it.
	const args = ['status', '--porcelain', '--untracked-files=no', '--ignore-submodules=dirty', '--', ...paths];
	const found = await withRepository(folder, 'compare', ({ git }) => git(args, { cwd: folder }));
	// Two letters, a blank, the path.
	return String(found.stdout)
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => line.slice(3));
}

/**
 * @param folder of the user, absolute
 * @param mostBytes of a checkout
 */
export function openCheckouts(folder: string, mostBytes: number = CHECKOUT_MOST_BYTES): Checkouts {
	const scratches: string[] = [];
	const made: Map<string, Promise<Checkout>> = new Map();
	const checkOut = async (commit: string) => {
		const scratch = await makeScratch('rev');
		scratches.push(scratch);
		return checkOutInto(scratch, { folder, commit, mostBytes });
	};
	return {
		at: (commit) => {
			const known = made.get(commit) ?? checkOut(commit);
			made.set(commit, known);
			return known;
		},
		close: async () => {
			made.clear();
			const all = scratches.splice(0);
			const removed = await Promise.allSettled(all.map((scratch) => rm(scratch, { recursive: true, force: true })));
			return all.filter((_, index) => removed[index].status === 'rejected');
		},
	};
}

const checkOutInto: (scratch: string, asked: { folder: string; commit: string; mostBytes: number }) => Promise<Checkout> = (
	scratch,
	{ folder, commit, mostBytes },
) =>
	withRepository(folder, `rev:${commit}`, async ({ root: from, prefix, git }) => {
		const root = join(scratch, basename(from) || 'revision');
		await mkdir(root);
		const listed = await git(['ls-tree', '-r', '--long', commit], { cwd: root, limitMs: CHECKOUT_LIMIT_MS });
		const bytes = [...listed.stdout.matchAll(/^\d+ blob \w+ +(\d+)\t/gm)].reduce((sum, [, size]) => sum + Number(size), 0);
		if (bytes > mostBytes || listed.timedOut || listed.failed)
			throw new NotReadyError(
				`Expected the commit ${commit} to have files of at most ${mostBytes / 1e9} GB, which can be listed; found more.`,
				'compare folders that you have checked out yourself.',
			);
		// An index of its own: what git makes of a folder for a release plays no part.
		const env = { GIT_INDEX_FILE: join(scratch, 'index'), GIT_WORK_TREE: root };
		for (const args of [
			['read-tree', commit],
			['checkout-index', '--all', `--prefix=${root}/`],
		]) {
			const done = await git(args, { cwd: root, env, limitMs: CHECKOUT_LIMIT_MS });
			if (done.failed)
				throw new NotReadyError(
					`Checking out ${commit} failed; git says: ${wordsOf(done)}`,
					'correct what git names, or fetch the commit.',
				);
		}
		const own = resolve(root, prefix);
		if (!existsSync(own))
			throw new NotReadyError(`Expected ${prefix} in the commit ${commit}; it has no such folder.`, 'name a later revision.');
		if (!isWithin(realpathSync(own), realpathSync(root)))
			throw new NotReadyError(
				`Expected ${prefix} in the commit ${commit} to be a folder; found a link that leads out of it.`,
				'name a later revision.',
			);
		await takeAlong(folder, own);
		return { root, folder: own };
	});

/** What Compose reads beside the files and nobody commits is of the folder as it is, as the load is. */
async function takeAlong(from: string, into: string) {
	// A commit may have a link there, which would be written through.
	if (lstatSync(join(into, ENV_FILE), { throwIfNoEntry: false }) !== undefined) return;
	const { real } = follow(ENV_FILE, { from });
	// What lies elsewhere is not made a file of the folder.
	if (!isWithin(real, follow(from).real)) return symlink(real, join(into, ENV_FILE));
	const text = readText(join(from, ENV_FILE));
	if (text !== null) await writeFile(join(into, ENV_FILE), text, { flag: 'wx', mode: 0o600 });
}

/** @param failed without a word where there is no git */
const wordsOf = ({ stderr, shortMessage }: { stderr?: unknown; shortMessage?: string }) => String(stderr ?? '').trim() || shortMessage;
