/**
 * Takes what containers wrote into the record. They write into folders of their own, where a program under test can put what it likes: a
 * link to a file of this machine, a pipe, a name that the lab uses. So the lab writes nothing there, and takes only files.
 */

import { randomUUID } from 'node:crypto';
import { chmod, lstat, opendir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RECORD, SERVICE_RECORD } from '../base/paths.ts';
import { PRIVATE_FILE, READ_MOST_BYTES, readPrivate } from '../base/private-file.ts';
import { secrets } from '../base/secrets.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { placesIn } from './run-folder.ts';

/** The preload of a Node service writes a few files for each process. */
const FILES_MOST = 1000;
/** Of all that one wrote: each byte is read, and a file of nothing but holes costs whoever makes it nothing. */
const BYTES_MOST = 4 * READ_MOST_BYTES;
/** What the lab itself keeps of a service, which is read packed too. */
const LABS_OWN = Object.values(SERVICE_RECORD).flatMap((name) => [name, `${name}.gz`]);

/**
 * When the containers have ended. What is left where it was is no part of the record.
 * @param folder of the run
 * @returns a sentence for each thing that was not taken
 */
export async function takeWritten(folder: string): Promise<string[]> {
	const { rawFolder, writtenFolder, servicesFolder } = placesIn(folder);
	const missing = await takeInto(rawFolder, writtenFolder, null);
	for (const service of await namesIn(servicesFolder)) {
		missing.push(...(await takeInto(join(rawFolder, service), join(servicesFolder, service), service)));
	}
	await rename(join(rawFolder, RECORD.k6Report), join(folder, RECORD.k6Report)).catch(() => {});
	return missing;
}

/**
 * When no container can write there any more.
 * @param folder of the run
 * @returns what is still there, such as what another user owns
 */
export async function removeWritten(folder: string): Promise<string[]> {
	const left: string[] = [];
	const { writtenFolder, servicesFolder } = placesIn(folder);
	for (const own of [writtenFolder, servicesFolder]) await removeWhole(own).catch(() => left.push(own));
	return left;
}

/** Folders in one another, made step by step, may have paths that are longer than any that a call takes. */
async function removeWhole(path: string) {
	await rm(path, { recursive: true, force: true }).catch(async (error: NodeJS.ErrnoException) => {
		if (error.code !== 'ENAMETOOLONG') throw error;
		await flatten(path);
		await rm(path, { recursive: true, force: true });
	});
}

/** Moves each folder below it into it. */
async function flatten(folder: string) {
	const open = await foldersIn(folder);
	// What is added while it is walked is walked too.
	for (const name of open)
		for (const child of await foldersIn(join(folder, name))) {
			const moved = randomUUID();
			await rename(join(folder, name, child), join(folder, moved));
			open.push(moved);
		}
}

const foldersIn = async (folder: string) =>
	(await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name);

/**
 * Each is moved first, and looked at where no container can change it any more. A move takes a link itself, and not what it points to.
 * @param service who wrote there; null: the lab's own containers
 */
async function takeInto(into: string, from: string, service: string | null): Promise<string[]> {
	const names = await namesIn(from);
	const missing: string[] = [];
	const note = (what: string) => missing.push(`${service ?? 'the record'}: ${what}; it is not on record`);
	if (names.length > FILES_MOST)
		missing.push(`${service ?? 'the record'}: expected at most ${FILES_MOST} files that it wrote; found more, which are not on record`);
	let bytes = 0;
	for (const name of names.slice(0, FILES_MOST)) {
		const to = join(into, name);
		const { size } = await lstat(join(from, name)).catch(() => ({ size: 0 }));
		if (service !== null && size <= READ_MOST_BYTES) bytes += size;
		if (bytes > BYTES_MOST) {
			note(`it wrote more than ${BYTES_MOST / 1e9} GB, of which nothing from ${JSON.stringify(name)} on is taken`);
			break;
		}
		const isTaken = (service !== null && LABS_OWN.includes(name)) || (await lstat(to).catch(() => null)) !== null;
		if (isTaken) note(`it wrote ${JSON.stringify(name)}, which is the name of a file of Doubletake's`);
		else if (secrets.without(name) !== name) note('it wrote a file that is called by a secret');
		else {
			await rename(join(from, name), to).catch(() => {});
			for (const what of await refusedAt(to, service === null)) note(`it wrote ${what}`);
			await keepWithoutSecrets(to);
		}
	}
	return missing;
}

/**
 * What a program wrote itself is as private as what the lab writes.
 * @param path of a file, or of a folder of a generator's; nothing where it was not taken
 */
async function keepWithoutSecrets(path: string) {
	const found = await lstat(path).catch(() => null);
	if (found?.isDirectory()) for (const name of await namesIn(path)) await keepWithoutSecrets(join(path, name));
	if (!found?.isFile()) return;
	// Of another user it stays theirs; the folder around it is the lab's alone.
	await chmod(path, PRIVATE_FILE).catch(() => {});
	if (secrets.isEmpty || found.size > READ_MOST_BYTES) return;
	const text = String(readPrivate(path) ?? '');
	const kept = secrets.without(text);
	if (kept !== text) await writeFileAtomic(path, kept);
}

/**
 * Removes what is no file of the record.
 * @param isOwn of the lab's containers, some of which have a folder each, and talk by a socket
 * @returns what it was
 */
async function refusedAt(path: string, isOwn: boolean): Promise<string[]> {
	// It may have characters that mean something to a terminal.
	const name = JSON.stringify(basename(path));
	const found = await lstat(path).catch(() => null);
	if (found === null) return [`${name}, which cannot be moved`];
	if (found.isFile() && (isOwn || found.size <= READ_MOST_BYTES)) return [];
	if (found.isDirectory() && isOwn)
		return (await Promise.all((await namesIn(path)).map((child) => refusedAt(join(path, child), false)))).flat();
	await removeWhole(path);
	// Nobody looks for links in it, and no program of the lab makes one.
	if (found.isDirectory()) return [`${name}, which is a folder`];
	if (found.isFile()) return [`${name}, which is longer than ${READ_MOST_BYTES / 1e6} MB`];
	if (found.isSocket() && isOwn) return [];
	return [`${name}, which is ${found.isSymbolicLink() ? 'a link' : 'no file'}`];
}

/**
 * @param folder that may not be there
 * @returns one more than are taken, where there are more
 */
async function namesIn(folder: string): Promise<string[]> {
	const names: string[] = [];
	const opened = await opendir(folder).catch(() => null);
	if (opened === null) return names;
	for await (const { name } of opened) if (names.push(name) > FILES_MOST) break;
	return names.sort();
}
