/**
 * Folders for what a run needs and its record must not have: what Compose is given, with the values of headers, and changed copies of
 * configurations. Each is its owner's alone and is removed after the run; those of a run that was ended by force, by the next one.
 */

import { lstat, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { removeWritten } from './take-written.ts';

export type RunFolder = {
	/** below reports/ */
	id: string;
	folder: string;
	/** into which the lab writes, and nobody else */
	rawFolder: string;
	/** into which the lab's containers write; what they wrote is taken from there into raw/ */
	writtenFolder: string;
	/** the same of a user's services: a folder for each */
	servicesFolder: string;
	/** uid:gid of the lab's containers that write */
	user: string;
};

/** In it, where the run's folder is. */
const RUN = 'run-folder';
const NAME = /^doubletake-[a-z]+-(\d+)-(\d+)-\w+$/;

/**
 * Says whose it is: process ids mean nothing outside of their namespace, and a temporary folder may be shared with a container.
 * @param kind of a word, as it is called
 * @returns the folder, which is there and private
 */
export const makeScratch = async (kind: string): Promise<string> =>
	mkdtemp(join(os.tmpdir(), `doubletake-${kind}-${await namespace()}-${process.pid}-`));

/**
 * Says where the run's containers write: of a run that was ended by force nobody has looked through that.
 * @param folder of the run
 */
export const noteRun = (scratch: string, folder: string) => writeFile(join(scratch, RUN), folder);

/** Removes those whose process is gone, and what their containers wrote. What cannot be removed, such as another user's, stays. */
export async function clearScratch() {
	const here = await namespace();
	for (const name of await readdir(os.tmpdir()).catch(() => [] as string[])) {
		const [, owner, pid] = NAME.exec(name) ?? [];
		if (owner !== here || isAlive(Number(pid))) continue;
		const scratch = join(os.tmpdir(), name);
		// Anybody may put something there, and name in it what is to be removed.
		const found = await lstat(scratch).catch(() => null);
		if (!found?.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) continue;
		const run = await readFile(join(scratch, RUN), 'utf8').catch(() => null);
		if (run !== null) await removeWritten(run);
		await rm(scratch, { recursive: true, force: true }).catch(() => {});
	}
}

/** Of this process' ids; 0 where the system has none. */
const namespace = async () => /\d+/.exec(await readlink('/proc/self/ns/pid').catch(() => ''))?.[0] ?? '0';

export function isAlive(pid: number) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// Of another user it may not be asked.
		return (error as NodeJS.ErrnoException).code !== 'ESRCH';
	}
}
