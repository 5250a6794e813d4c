import { closeSync, constants, createWriteStream, existsSync, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { NotReadyError, nearestFolder, writing } from './errors.ts';
import { shellWord } from './format-command.ts';
import { lineWithCodes } from './hidden-characters.ts';
import { IS_MAKEFILE_HERE, REPORTS } from './paths.ts';
import { secrets } from './secrets.ts';

/*
 * How the files of a run's record are opened: no link is followed, because what is written there must not land elsewhere, and what is read
 * there must be of the run. The folder of all reports may be a link, and one in it to another place in it; containers write into none of these.
 */

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
/** Windows has neither. O_NONBLOCK: a pipe that nobody writes to would be waited for without end. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** A record is its owner's alone: it has what the programs under test logged. Whatever the umask of the lab is. */
export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** For a file that is not there yet. */
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;
/** For one that may be there: a report is made as often as one likes. */
const AGAIN = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** More is no text for Node, whose longest has 2^29 - 24 characters. */
export const READ_MOST_BYTES = 500_000_000;

const NOT_THERE = ['ENOENT', 'ENOTDIR'];
/** Of links: most systems, and FreeBSD. */
const IS_LINK = ['ELOOP', 'EMLINK'];

/**
 * With those above it that are missing, one by one: where none can be made, Node.js says of all together only that they are not there. One that is
 * there stays as it is: its mode is its owner's.
 * @param folder of records
 * @param reports in which it lies; that one may be a link
 * @throws {NotReadyError} where a link in it leads out of it
 */
export async function makePrivate(folder: string, reports: string = REPORTS) {
	if (reports === REPORTS) refuseForeignReports();
	const there = nearestFolder(folder);
	if (!outOf(reports, there) && outOf(realpathSync(reports), realpathSync(there))) throw refusal(there, 'a link that leads elsewhere');
	if (there === folder) return;
	const parts = relative(there, folder).split(sep);
	for (const depth of parts.keys()) {
		const one = join(there, ...parts.slice(0, depth + 1));
		// Another run may make it too.
		await mkdir(one, { mode: PRIVATE_FOLDER }).catch((error) => {
			if (error.code !== 'EEXIST') throw writing(error, one);
		});
	}
}

const outOf: (from: string, to: string) => boolean = (from, to) => relative(from, to).split(sep)[0] === '..';

/** Real paths that the command line allows. */
let allowedPaths: string[] = [];

/** @param paths without links */
export const allowPaths = (paths: string[]) => {
	allowedPaths = paths;
};

/**
 * A folder may come from others with its `reports` as a link.
 * @returns whether what is written there stays in it, or may leave it
 */
export function areReportsOwn(reports: string = REPORTS): boolean {
	const own = realOf(dirname(reports));
	const real = existsSync(reports) ? realOf(reports) : own;
	// One elsewhere its user has chosen, and a checkout is the program itself.
	const isChosen = IS_MAKEFILE_HERE || outOf(process.cwd(), reports);
	return isChosen || isOwnPath(real, own);
}

/** both without links; true too of what the command line allows */
export const isOwnPath: (real: string, folder: string) => boolean = (real, folder) =>
	[folder, ...allowedPaths].some((path) => !outOf(path, real));

/**
 * A folder may come from others, with a link in the place of a file: what lies elsewhere is not read, for an error would quote it.
 * @param name of a file in it
 * @throws {NotReadyError} where that leads out of the folder, unless the command line allows it
 */
export function refuseLed(folder: string, name: string) {
	const [home, real] = [realOf(folder), realOf(resolve(folder, name))];
	// Whoever calls the command may name one elsewhere.
	if (real === resolve(home, name) || isOwnPath(real, home)) return;
	throw new NotReadyError(
		`${name}: expected a file of ${folder}; found a link that leads to ${real}.`,
		`put the file itself there; or, if you know that it is meant, add --allow=${shellWord(real)} to the command.`,
	);
}

/**
 * Before they are written, and before all of them are read.
 * @throws {NotReadyError} where a link leads out of the folder, which nobody has allowed
 */
export function refuseForeignReports() {
	if (areReportsOwn()) return;
	const real = realOf(REPORTS);
	throw new NotReadyError(
		`${REPORTS}: expected a folder; found a link that leads to ${real}.`,
		`remove it; or, if you know that it is meant, set DOUBLETAKE_REPORTS=${shellWord(real)}, or add --allow=${shellWord(real)} to what measures.`,
	);
}

/** @param path of a file that is not there yet */
export const streamTo = (path: string) => createWriteStream(path, { flags: NEW as any, mode: PRIVATE_FILE });

/**
 * What is kept has no value that is known to be secret. Pages are without it as they are made (report/stamp.ts): they have code in them, too.
 */
const asKept = (path: string, text: string | Uint8Array) =>
	typeof text !== 'string' || path.endsWith('.html') ? text : secrets.without(text);

/**
 * @param path of a file that is not there yet, or is to be replaced
 * @param options isExact: it is no part of what is kept, and has to be as it is
 * @throws {NotReadyError} when a link is in its place
 */
export async function writePrivate(path: string, text: string | Uint8Array, { isExact = false }: { isExact?: boolean } = {}) {
	try {
		const file = await open(path, AGAIN, PRIVATE_FILE);
		try {
			// Of one that was there.
			await file.chmod(PRIVATE_FILE);
			await file.writeFile(isExact ? text : asKept(path, text));
		} finally {
			await file.close();
		}
	} catch (error) {
		throw isLink(error) ? refusal(path, 'a link') : writing(error, path);
	}
}

/**
 * Where a file of a record is. A record may come from anywhere: what it names, and the folders in it, lead to nothing else.
 * @param folder of the record; how one gets to it is not looked at
 * @param name below it
 * @throws {NotReadyError} when the name leads out of it, or a link is on the way
 */
export function inRecord(folder: string, name: string) {
	const parts = name.split(sep);
	if (isAbsolute(name) || parts.includes('..') || name.includes('\0')) throw refusal(folder, `the name ${JSON.stringify(name)}`);
	for (const depth of parts.keys()) {
		const above = join(folder, ...parts.slice(0, depth));
		if (depth > 0 && lstatSync(above, { throwIfNoEntry: false })?.isSymbolicLink()) throw refusal(above, 'a link');
	}
	return join(folder, name);
}

/**
 * Where a folder of records lies. One that others made may have a link on the way, to a record that is none of its own.
 * @param command that is about it
 * @param path as it was given, or found
 * @returns without links; as it is where nothing is there
 * @throws {NotReadyError} where a link leads out of the folder in which the command was given, or of that of reports
 */
export function recordAt(command: string, path: string): string {
	const at = resolve(path);
	refuseHidden(command, realOf(at));
	const around = [process.cwd(), REPORTS].find((folder) => !outOf(folder, at));
	const real = realOf(at);
	const isOfReports = !outOf(REPORTS, at) && areReportsOwn() && !outOf(realOf(REPORTS), real);
	if (around === undefined || isOfReports || !outOf(realOf(around), real)) return real;
	throw new NotReadyError(
		`${command}: expected a record in ${around}; found that ${path} leads to ${real}.`,
		`if you know that it is meant, name it as it is: ${real}`,
	);
}

/**
 * What has such a path is named in a line of the terminal that would not stay one.
 * @throws {NotReadyError}
 */
export function refuseHidden(command: string, path: string): void {
	if (lineWithCodes(path) === path) return;
	throw new NotReadyError(
		`${command}: expected a path without ends of lines and characters that are not seen; found ${lineWithCodes(path)}.`,
		'rename the folder.',
	);
}

const realOf = (path: string) => {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
};

/** As inRecord has a file, a folder. */
export const folderInRecord: (folder: string, name: string) => string = (folder, name) => dirname(inRecord(folder, `${name}${sep}_`));

/** a file of a record, as readPrivate and inRecord have it */
export const readInRecord: (folder: string, name: string) => Buffer | null = (folder, name) => readPrivate(inRecord(folder, name));

/**
 * @returns a file that can be read, which the caller closes; null where there is none
 * @throws {NotReadyError} when a link is there, or what is no file
 */
export function openPrivate(path: string): number | null {
	let opened: number;
	try {
		opened = openSync(path, READ);
	} catch (error) {
		if (NOT_THERE.includes(String((error as NodeJS.ErrnoException).code))) return null;
		throw isLink(error) ? refusal(path, 'a link') : unreadable(path, error);
	}
	if (fstatSync(opened).isFile()) return opened;
	closeSync(opened);
	throw refusal(path, 'what is no file');
}

/**
 * @returns null where there is no such file
 * @throws {NotReadyError} when a link is there, or what is no file, or more than a text can hold
 */
export function readPrivate(path: string): Buffer | null {
	const opened = openPrivate(path);
	if (opened === null) return null;
	try {
		const { size } = fstatSync(opened);
		if (size > READ_MOST_BYTES) throw tooLarge(path);
		const bytes = Buffer.alloc(size);
		let filled = 0;
		for (let read = -1; read !== 0 && filled < size; filled += read) read = readSync(opened, bytes, filled, size - filled, filled);
		return bytes.subarray(0, filled);
	} finally {
		closeSync(opened);
	}
}

/**
 * Of a file that is packed.
 * @returns null where there is no such file
 * @throws {NotReadyError}
 */
export function readPacked(path: string): Buffer | null {
	const packed = readPrivate(path);
	if (packed === null) return null;
	try {
		return gunzipSync(packed, { maxOutputLength: READ_MOST_BYTES });
	} catch (error) {
		throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(path) : error;
	}
}

const tooLarge = (path: string) =>
	new NotReadyError(
		`${path}: expected at most ${READ_MOST_BYTES / 1e6} MB; found more, which cannot be read at once.`,
		'measure with a shorter load, or at a lower level of watching.',
	);

const isLink = (error: unknown) => IS_LINK.includes(String((error as NodeJS.ErrnoException).code));

const unreadable = (path: string, error: unknown) =>
	new NotReadyError(
		`${path}: expected a file that can be read; found ${(error as NodeJS.ErrnoException).code}.`,
		'read it as the user who made the run.',
	);

const refusal = (path: string, found: string) =>
	new NotReadyError(
		`${path}: expected a file of the record; found ${found}, which is not followed.`,
		'remove it if you know where it comes from; what is in a record comes from its run alone.',
	);

/*
 * Writes a file as a whole or not at all: what reads it may come when the lab was interrupted, or the disk was full.
 */

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

/*
 * Tables that are stored column by column: a list of records that have the same fields is packed to less where alike values stand beside
 * each other, and every name once.
 */

/** Names the columns of a list; no field of a record is called so. */
const COLUMNS = '\u0000columns';
/** Shorter lists gain nothing. */
const ROWS_LEAST = 3;

/**
 * @param value JSON
 * @returns the same, with every list of three and more records of the same fields as its columns
 */
export function toColumns(value: any): any {
	if (Array.isArray(value)) return isTable(value) ? columnsOf(value) : value.map(toColumns);
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries<any>(value).map(([name, field]) => [name, toColumns(field)]));
}

/**
 * @param value as toColumns makes it
 * @returns what it was
 */
export function fromColumns(value: any): any {
	if (Array.isArray(value)) return value.map(fromColumns);
	if (!isRecord(value)) return value;
	if (COLUMNS in value) return rowsOf(value[COLUMNS].map(([name, column]: [string, any]) => [name, fromColumns(column)]));
	return Object.fromEntries(Object.entries<any>(value).map(([name, field]) => [name, fromColumns(field)]));
}

const isRecord = (value: any) => typeof value === 'object' && value !== null && !Array.isArray(value);

function isTable(list: any[]) {
	if (list.length < ROWS_LEAST || !list.every(isRecord)) return false;
	const names = Object.keys(list[0]).join('\n');
	return names !== '' && list.every((row) => Object.keys(row).join('\n') === names);
}

const columnsOf = (rows: Record<string, any>[]) => ({
	[COLUMNS]: Object.keys(rows[0]).map((name) => [name, toColumns(rows.map((row) => row[name]))]),
});

const rowsOf = (columns: [string, any[]][]) =>
	columns[0][1].map((_, index) => Object.fromEntries(columns.map(([name, column]) => [name, column[index]])));
