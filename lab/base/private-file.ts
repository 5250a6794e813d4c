/**
 * How the files of a run's record are opened: no link is followed, because what is written there must not land elsewhere, and what is read
 * there must be of the run. The folder of all reports may be a link, and one in it to another place in it; containers write into none of these.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { NotReadyError, writing } from './errors.ts';
import { secrets } from './secrets.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_TRUNC, O_WRONLY } = constants;
/** Windows has neither. O_NONBLOCK: a pipe that nobody writes to, or reads, would be waited for without end. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
export const PRIVATE_FILE = 0o600;

/** For a file that is not there yet. */
export const NEW = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;
/** For one that may be there: a report is made as often as one likes. */
const AGAIN = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** More is no text for Node, whose longest has 2^29 - 24 characters. */
export const READ_MOST_BYTES = 500_000_000;

const NOT_THERE = ['ENOENT', 'ENOTDIR'];
/** Of links: most systems, and FreeBSD. */
const IS_LINK = ['ELOOP', 'EMLINK'];

/**
 * What is kept has no value that is known to be secret. Pages are without it as they are made (report/stamp.ts): they have code in them, too.
 */
export const asKept = (path: string, text: string | Uint8Array) =>
	typeof text !== 'string' || path.endsWith('.html') ? text : secrets.without(text);

/**
 * @param path of a file that is not there yet, or is to be replaced
 * @param options isExact: it is no part of what is kept, and has to be as it is
 * @throws {NotReadyError} when a link is in its place, or what is no file
 */
export async function writePrivate(path: string, text: string | Uint8Array, { isExact = false, flags = AGAIN } = {}) {
	try {
		const file = await open(path, flags, PRIVATE_FILE);
		try {
			if (!(await file.stat()).isFile()) throw refusal(path, 'what is no file');
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

export const refusal = (path: string, found: string) =>
	new NotReadyError(
		`${path}: expected a file of the record; found ${found}, which is not followed.`,
		'remove it if you know where it comes from; what is in a record comes from its run alone.',
	);
