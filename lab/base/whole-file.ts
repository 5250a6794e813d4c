/** Writes a file as a whole or not at all: what reads it may come when the lab was interrupted, or the disk was full. */

import { randomUUID } from 'node:crypto';
import { chmod, lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NotReadyError, writing } from './errors.ts';
import { asKept, NEW, writePrivate } from './private-file.ts';

/** @param path what is there stays as it is until the new one is whole */
export const writeFileAtomic = (path: string, text: string | Uint8Array) => replaceWith(path, asKept(path, text));

/** The same of a file that is its user's own: text and mode are theirs. */
export async function rewriteFile(path: string, text: string) {
	const { mode } = await stat(path);
	await replaceWith(path, text, mode & MODE_BITS);
}
const MODE_BITS = 0o777;

async function replaceWith(path: string, text: string | Uint8Array, mode?: number) {
	const found = await lstat(path).catch(() => null);
	if (found && !found.isFile() && !found.isSymbolicLink())
		throw new NotReadyError(`${path}: expected a file, or nothing; found what is no file.`, 'move it away, or name another place.');
	const folder = dirname(path);
	for (const name of await readdir(folder).catch(() => []))
		if (Number(DRAFT.exec(name)?.[1]) < Date.now() - LEFT_AFTER_MS) await rm(join(folder, name), { force: true }).catch(() => {});
	const draft = join(folder, `.doubletake-${Date.now()}-${randomUUID()}.new`);
	try {
		await writePrivate(draft, text, { isExact: true, flags: NEW });
		if (mode !== undefined) await chmod(draft, mode);
		await rename(draft, path);
	} catch (error) {
		await rm(draft, { force: true }).catch(() => {});
		throw Object.assign(writing(error as object, path), { path });
	}
}
/** Nobody can guess it, and put something there. */
const DRAFT = /^\.doubletake-(\d+)-[\da-f-]{36}\.new$/;
/** Our own choice: an older one is of a program that was killed. */
const LEFT_AFTER_MS = 3_600_000;
