/**
 * Errors that the command line turns into a message and an exit code, the exit codes themselves, an error as data, and what was left behind.
 */

import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export const EXIT = Object.freeze({
	done: 0,
	failed: 1,
	notReady: 2,
	thresholdNotMet: 3,
	inDoubt: 4,
	worse: 5,
	inconclusive: 6,
	notShown: 7,
	interrupted: 130,
});

/** An error that the command line shows as a message, without a trace. */
export class LabError extends Error {
	exitCode = EXIT.notReady;
}

/** A run that began and could not be brought to its end; the message says what ended it. */
export class RunFailedError extends LabError {
	name = 'RunFailedError';
}

/** Something the user or the machine has to put right: the message says what was expected, what was found and what to do. */
export class NotReadyError extends LabError {
	problem: string;
	remedy: string;
	name = 'NotReadyError';

	/**
	 * @param problem what was expected and what was found
	 * @param remedy what to do
	 */
	constructor(problem: string, remedy: string) {
		super(`${problem}\n  To do: ${remedy}`);
		this.problem = problem;
		this.remedy = remedy;
	}
}

/** The machine itself is not ready, whatever was to be run on it: no run can be made until something is done about it. */
export class UnreadyMachineError extends NotReadyError {}

/** The container engine did not answer, or a command in a container did not end; the message is a sentence that says in what time. */
export class UnansweredError extends LabError {
	name = 'UnansweredError';
}

/** A fault that cannot be put into a system of a user's own; the message is a clause that says why. */
export class NotInjectedError extends Error {
	name = 'NotInjectedError';
}

/**
 * What is not ready though it was without the fault is so because of it.
 * @throws {NotInjectedError} that says so
 */
export async function becauseOf<T>({ fault }: { fault: object | null }, prepared: Promise<T>): Promise<T> {
	try {
		return await prepared;
	} catch (error) {
		if (fault === null || !(error instanceof NotReadyError)) throw error;
		throw new NotInjectedError(`the system does not come up with it: ${error.message.split('\n')[0]}`);
	}
}

/** Of a command that was given a record. Anybody may have written it; of what Doubletake wrote itself the tests see to it. */
export function toGivenError(command: string, error: unknown): unknown {
	if (!(error instanceof TypeError || error instanceof RangeError)) return error;
	return new NotReadyError(
		`${command}: expected a record as Doubletake writes it; found one of which nothing can be made (${error.message}).`,
		'get it again from where it came.',
	);
}

const forbidden = (folder: string) => ({
	found: 'that this user may not',
	remedy: `let this user write to ${folder} (ls -ld ${folder} says whose it is), or run this as the user whose it is.`,
});

/** The system's own message says why. */
const NO_PLACE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ERR_FS_EISDIR', 'EEXIST', 'ENOTEMPTY', 'ENXIO', 'ELOOP', 'ENAMETOOLONG'];
const misplaced = (folder: string) => ({
	found: 'no place for it',
	remedy: `make what is missing, move away what is in the way (ls -la ${nearestFolder(folder)}), or name another place.`,
});

/** What a file system says of a write that it refuses: what was found, and what to do about it. */
const REFUSED: Record<string, (folder: string) => { found: string; remedy: string }> = {
	ENOSPC: (folder) => ({
		found: `a full disk, with ${freeText(folder)}`,
		remedy: `free some space there (df -h ${folder}), then go on as said above, or run this again.`,
	}),
	EDQUOT: (folder) => ({
		found: `that this user may store no more there, with ${freeText(folder)}`,
		remedy: 'remove what you no longer need there, or have the quota raised; then go on as said above, or run this again.',
	}),
	EROFS: (folder) => ({
		found: 'a file system that is mounted to be read only',
		remedy: `have ${folder} mounted so that it can be written to, or run this in another folder.`,
	}),
	EACCES: forbidden,
	EPERM: forbidden,
	...Object.fromEntries(NO_PLACE.map((code) => [code, misplaced])),
};
/** Reading is refused so too: what is written is known by the system's call, of which "open" may be either. */
const OF_READING_TOO = new Set(['EACCES', 'EPERM', ...NO_PLACE]);
const WRITING = new Set(['write', 'rm', 'mkdir', 'mkdtemp', 'rename', 'unlink', 'rmdir', 'symlink', 'link', 'copyfile', 'ftruncate']);
const BYTES_PER_GIB = 1024 ** 3;
const BYTES_PER_MIB = 1024 ** 2;

/**
 * An error of what was written, with where that was: Node.js leaves that out of what is written through an open file.
 * @returns the same
 */
export function writing<E>(error: E, path: string): E {
	const { code = '', path: own = path } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
	if (Object.hasOwn(REFUSED, code)) Object.assign(error as object, { syscall: 'write', path: own });
	return error;
}

/**
 * What ended a command, as its user is told it. That nothing can be written may be met wherever something is.
 * @returns null for a mistake of the lab's own, which is shown with its trace
 */
export function toUserError(error: unknown): LabError | null {
	if (error instanceof LabError) return error;
	const { code = '', syscall = '', path, message } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
	if (!Object.hasOwn(REFUSED, code) || (OF_READING_TOO.has(code) && !WRITING.has(syscall))) return null;
	// Where that is not told, it is the record of a run, which lies below where the command was given.
	const folder = path === undefined ? process.cwd() : dirname(resolve(path));
	const { found, remedy } = REFUSED[code](folder);
	return new UnreadyMachineError(`Expected to be able to write to ${path ?? folder}; found ${found} (${message}).`, remedy);
}

/** An error as data, for a program that calls the lab. */
export type ErrorRecord = {
	/** what is wrong */
	message: string;
	/** these three where the error says so */
	expected?: string;
	found?: string;
	/** what to do about it */
	do?: string;
};

/** As refusals are written: "LOAD: expected a load; found x." */
const SENTENCE = /\bexpected (?<expected>.+?)[;,] found (?<found>.+?)(?:\.\s|\.?$)/is;

export function errorRecord(error: Error): ErrorRecord {
	if (!(error instanceof NotReadyError)) return { message: error.message };
	const { problem, remedy } = error;
	return { message: problem, ...SENTENCE.exec(problem)?.groups, do: remedy };
}

/** How much room there is on the disk of a folder. */
function freeText(folder: string) {
	try {
		const { bavail, bsize, ffree, files } = statfsSync(nearestFolder(folder));
		const bytes = bavail * bsize;
		const free = bytes >= BYTES_PER_GIB ? `${(bytes / BYTES_PER_GIB).toFixed(1)} GiB` : `${(bytes / BYTES_PER_MIB).toFixed(1)} MiB`;
		// Some file systems count no files.
		return `${free} free${files > 0 && ffree === 0 ? ', but room for no further file' : ''}`;
	} catch {
		return 'how much free cannot be read';
	}
}

/** The folder itself, or the nearest one around it that is there. */
export const nearestFolder = (folder: string): string =>
	existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
