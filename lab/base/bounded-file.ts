/**
 * Reads a file that somebody else may have made: a regular file, of a bounded size. A pipe that nobody writes to is not waited for, a device
 * is neither opened nor read, and links that lead in a circle are told. Links are followed: where a file lies is asked elsewhere.
 */

import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { NotReadyError } from './errors.ts';
import { READ_MOST_BYTES } from './private-file.ts';

const PIECE_BYTES = 64 * 1024;
/** Windows has none. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

const NOT_THERE = ['ENOENT', 'ENOTDIR'];
/** By what the system says. */
const FAULTS: Record<string, string> = {
	ELOOP: 'links that lead in a circle',
	EMLINK: 'links that lead in a circle',
	EACCES: 'one that this user may not read',
	EPERM: 'one that this user may not read',
	ENAMETOOLONG: 'a name that is too long',
	ERR_INVALID_ARG_VALUE: 'a name that no file can have',
};

/**
 * @returns null where there is none
 * @throws {NotReadyError} when something else than a file is there, it is too large, or it may not be read
 */
export function readText(path: string, { mostBytes = READ_MOST_BYTES }: { mostBytes?: number } = {}): string | null {
	const found = lookAt(path, mostBytes);
	if (found === null || typeof found === 'string') return found;
	throw new NotReadyError(
		`${path}: expected a regular file of at most ${Math.floor(mostBytes / 1e6)} MB; found ${found.fault}.`,
		'put a file there that can be read, or correct the name.',
	);
}

/** @returns null where there is none, or what cannot be read */
export function readIfThere(path: string, { mostBytes = READ_MOST_BYTES }: { mostBytes?: number } = {}): string | null {
	const found = lookAt(path, mostBytes);
	return typeof found === 'string' ? found : null;
}

/** Something, whatever it is; a link that leads nowhere is nothing. */
export function isSomethingAt(path: string) {
	try {
		return statSync(path) !== undefined;
	} catch (error) {
		return !NOT_THERE.includes(codeOf(error));
	}
}

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException).code);

function lookAt(path: string, mostBytes: number): string | { fault: string } | null {
	try {
		// Before it is opened: to open a device may already do something.
		const fault = faultOf(statSync(path), mostBytes);
		if (fault !== null) return { fault };
		const opened = openSync(path, O_RDONLY | O_NONBLOCK);
		try {
			const other = faultOf(fstatSync(opened), mostBytes);
			return other === null ? contentOf(opened, mostBytes) : { fault: other };
		} finally {
			closeSync(opened);
		}
	} catch (error) {
		const code = codeOf(error);
		return NOT_THERE.includes(code) ? null : { fault: FAULTS[code] ?? `one that cannot be read (${code})` };
	}
}

/** null where it is a file that can be read */
function faultOf(about: Stats, mostBytes: number): string | null {
	if (about.isDirectory()) return 'a folder';
	if (about.isFIFO()) return 'a pipe (FIFO)';
	if (about.isSocket()) return 'a socket';
	if (!about.isFile()) return 'a device';
	return about.size > mostBytes ? larger(about.size) : null;
}

const larger = (bytes: number) => `one of ${(Math.ceil(bytes / 1e5) / 10).toFixed(1)} MB`;

/** Files of the kernel say that they have no size. */
function contentOf(opened: number, mostBytes: number): string | { fault: string } {
	const pieces = [];
	for (let bytes = 0; ; ) {
		const piece = Buffer.allocUnsafe(PIECE_BYTES);
		const read = readSync(opened, piece, 0, PIECE_BYTES, null);
		if (read === 0) return Buffer.concat(pieces, bytes).toString('utf8');
		pieces.push(piece.subarray(0, read));
		bytes += read;
		if (bytes > mostBytes) return { fault: larger(bytes) };
	}
}
