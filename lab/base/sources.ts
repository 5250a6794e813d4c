/**
 * What is below a folder, and what a program is made of: the same files have the same hash, wherever they are.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** @returns paths of the files below it, in their order */
export const filesIn = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(folder, join(entry.parentPath, entry.name)))
		.sort();

const HASH_LENGTH = 10;
/** What is installed, and what only tests read. The folder itself may lie in any other, such as node_modules. */
const LEFT_OUT = /(^|\/)(node_modules|fixtures)\/|\.test\.[jt]s$/;

/**
 * Of what a program is made of.
 * @returns paths below it
 */
export const sourcesIn = (folder: string): string[] => filesIn(folder).filter((file) => !LEFT_OUT.test(file));

/** @returns the same for the same files of a program, wherever its folder is */
export async function hashOf(folder: string, seed: string = ''): Promise<string> {
	const hash = createHash('sha256').update(seed);
	for (const file of sourcesIn(folder)) hash.update(`/${file}`).update(await readFile(join(folder, file)));
	return hash.digest('hex').slice(0, HASH_LENGTH);
}

/** Those that its hash is made of. */
export async function copyFiles(folder: string, into: string) {
	for (const file of sourcesIn(folder)) {
		await mkdir(dirname(join(into, file)), { recursive: true });
		await copyFile(join(folder, file), join(into, file));
	}
}
