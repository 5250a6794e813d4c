/**
 * Folders for what a run needs and its record must not have: what Compose is given, with the values of headers, and changed copies of
 * configurations. Each is its owner's alone and is removed after the run; those of a run that was ended by force, by the next one.
 */

import { randomUUID } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, mkdtemp, opendir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { basename, dirname, join } from 'node:path';
import { RunFailedError, toUserError, writing } from '../base/errors.ts';
import {
	makePrivate,
	openPrivate,
	PRIVATE_FILE,
	PRIVATE_FOLDER,
	READ_MOST_BYTES,
	readPrivate,
	streamTo,
	writeFileAtomic,
} from '../base/files.ts';
import { newFolderName, RECORD, REPORTS, SERVICE_RECORD, WRITTEN } from '../base/paths.ts';
import { secrets } from '../base/secrets.ts';

/*
 * The folder that a run leaves its record in.
 */

/** Containers run as this user when the lab runs as root, as the lab's own user otherwise: both can write into their folder. */
const UNPRIVILEGED_ID = 10_001;

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

/**
 * Names it; nothing is made yet.
 * @param group folder below reports/ that it is made in
 */
export function nameRunFolder(group: string): RunFolder {
	const id = `${group}/${newFolderName()}`;
	const folder = join(REPORTS, id);
	return { id, folder, ...placesIn(folder), user: writingUser() };
}

/** @param folder of a run */
export const placesIn = (folder: string) => ({
	rawFolder: join(folder, RECORD.raw),
	writtenFolder: join(folder, WRITTEN.own),
	servicesFolder: join(folder, WRITTEN.services),
});

/** @returns uid:gid of containers that write what the lab is to read */
export function writingUser(): string {
	const own = process.getuid?.() ?? UNPRIVILEGED_ID;
	const user = own === 0 ? UNPRIVILEGED_ID : own;
	return `${user}:${user}`;
}

export async function makeRunFolder({ folder, rawFolder, writtenFolder, servicesFolder }: RunFolder) {
	await makePrivate(dirname(folder));
	for (const own of [folder, rawFolder, writtenFolder, servicesFolder]) await mkdir(own, { mode: PRIVATE_FOLDER });
	await giveToContainers(writtenFolder);
}

/** @param folder that containers are to write into */
export async function giveToContainers(folder: string) {
	if (process.getuid?.() === 0) await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
}

/*
 * Takes what containers wrote into the record. They write into folders of their own, where a program under test can put what it likes: a
 * link to a file of this machine, a pipe, a name that the lab uses. So the lab writes nothing there, and takes only files.
 */

/** The preload of a Node service writes a few files for each process. The lab's own choice. */
const FILES_MOST = 1000;
/** Of all that one wrote: each byte is read, and a file of nothing but holes costs whoever makes it nothing. The lab's own choice. */
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

/*
 * A file of JSON lines in a run's `raw/`.
 */

export class RecordFile {
	#stream;
	#error: Error | null = null;

	/** @param path of a file that is not there yet */
	constructor(path: string) {
		this.#stream = streamTo(path);
		// A full disk must not end the lab before its stack is down; close() tells.
		this.#stream.on('error', (error) => {
			this.#error = writing(error, path);
		});
	}

	write(line: object) {
		this.#stream.write(`${secrets.without(JSON.stringify(line))}\n`);
	}

	/** @throws {import('../base/errors.ts').LabError} when a line could not be written */
	async close() {
		if (!this.#stream.closed) {
			this.#stream.end();
			// After an error it closes too.
			await new Promise((resolve) => this.#stream.once('close', () => resolve(null)));
		}
		if (this.#error) throw toUserError(this.#error) ?? new RunFailedError(`The record could not be written: ${this.#error.message}`);
	}
}

/*
 * Follows a file that another program appends to.
 */

const PIECE_BYTES = 1 << 20;

export class FileTail {
	#path;
	#offset = 0;

	/** @param path of a file that may not be there yet */
	constructor(path: string) {
		this.#path = path;
	}

	/** @returns what was appended since the last call; empty when nothing was */
	async read(): Promise<string> {
		const file = openPrivate(this.#path);
		if (file === null) return '';
		try {
			const buffer = Buffer.alloc(PIECE_BYTES);
			const bytesRead = readSync(file, buffer, 0, PIECE_BYTES, this.#offset);
			this.#offset += bytesRead;
			return buffer.toString('utf8', 0, bytesRead);
		} finally {
			closeSync(file);
		}
	}
}
