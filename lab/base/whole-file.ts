/** Writes a file as a whole or not at all: what reads it may come when the lab was interrupted, or the disk was full. */

import { chmod, rename, rm, stat } from 'node:fs/promises';
import { asKept, writePrivate } from './private-file.ts';

/** @param path what is there stays as it is until the new one is whole */
export const writeFileAtomic = (path: string, text: string | Uint8Array) => replaceWith(path, asKept(path, text));

/** The same of a file that is its user's own: text and mode are theirs. */
export async function rewriteFile(path: string, text: string) {
	const { mode } = await stat(path);
	await replaceWith(path, text, mode & MODE_BITS);
}
const MODE_BITS = 0o777;

async function replaceWith(path: string, text: string | Uint8Array, mode?: number) {
	const draft = `${path}.new`;
	try {
		await writePrivate(draft, text, { isExact: true });
		if (mode !== undefined) await chmod(draft, mode);
		await rename(draft, path);
	} catch (error) {
		await rm(draft, { force: true });
		throw error;
	}
}
