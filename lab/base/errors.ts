/**
 * Errors that the command line turns into a message and an exit code, the exit codes themselves, an error as data, and what was left behind.
 */

import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** @readonly */
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
	name = 'NotReadyError';

	/**
	 * @param {string} problem what was expected and what was found
	 * @param {string} remedy  what to do
	 */
	constructor(problem, remedy) {
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
 * @template T
 * @param {{ fault: object | null }} injection
 * @param {Promise<T>} prepared
 * @returns {Promise<T>}
 * @throws {NotInjectedError} that says so
 */
export async function becauseOf({ fault }, prepared) {
	try {
		return await prepared;
	} catch (error) {
		if (fault === null || !(error instanceof NotReadyError)) throw error;
		throw new NotInjectedError(`the system does not come up with it: ${error.message.split('\n')[0]}`);
	}
}

/** @param {string} folder */
const forbidden = (folder) => ({
	found: 'that this user may not',
	remedy: `let this user write to ${folder} (ls -ld ${folder} says whose it is), or run this as the user whose it is.`,
});

/**
 * What a file system says of a write that it refuses: what was found, and what to do about it.
 * @type {Record<string, (folder: string) => { found: string, remedy: string }>}
 */
const REFUSED = {
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
};
/** Reading is refused so too: what is written is known by the system's call, of which "open" may be either. */
const OF_READING_TOO = new Set(['EACCES', 'EPERM']);
const WRITING = new Set(['write', 'mkdir', 'mkdtemp', 'rename', 'unlink', 'rmdir', 'symlink', 'link', 'copyfile', 'ftruncate']);
const BYTES_PER_GIB = 1024 ** 3;
const BYTES_PER_MIB = 1024 ** 2;

/**
 * An error of what was written, with where that was: Node.js leaves that out of what is written through an open file.
 * @template E
 * @param {E} error
 * @param {string} path
 * @returns {E} the same
 */
export function writing(error, path) {
	const { code = '', path: own = path } = /** @type {NodeJS.ErrnoException} */ (error instanceof Error ? error : {});
	if (Object.hasOwn(REFUSED, code)) Object.assign(/** @type {object} */ (error), { syscall: 'write', path: own });
	return error;
}

/**
 * What ended a command, as its user is told it. That nothing can be written may be met wherever something is.
 * @param {unknown} error
 * @returns {LabError | null} null for a mistake of the lab's own, which is shown with its trace
 */
export function toUserError(error) {
	if (error instanceof LabError) return error;
	const { code = '', syscall = '', path, message } = /** @type {NodeJS.ErrnoException} */ (error instanceof Error ? error : {});
	if (!Object.hasOwn(REFUSED, code) || (OF_READING_TOO.has(code) && !WRITING.has(syscall))) return null;
	// Where that is not told, it is the record of a run, which lies below where the command was given.
	const folder = path === undefined ? process.cwd() : dirname(resolve(path));
	const { found, remedy } = REFUSED[code](folder);
	return new UnreadyMachineError(`Expected to be able to write to ${path ?? folder}; found ${found} (${message}).`, remedy);
}

/**
 * An error as data, for a program that calls the lab.
 *
 * @typedef {object} ErrorRecord
 * @property {string} message     what is wrong
 * @property {string} [expected]  these three where the error says so
 * @property {string} [found]
 * @property {string} [do]        what to do about it
 */

/** As refusals are written: "LOAD: expected a load; found x." */
const SENTENCE = /\bexpected (?<expected>.+?)[;,] found (?<found>.+?)(?:\.\s|\.?$)/is;

/** @param {Error} error @returns {ErrorRecord} */
export function errorRecord(error) {
	if (!(error instanceof NotReadyError)) return { message: error.message };
	const { problem, remedy } = error;
	return { message: problem, ...SENTENCE.exec(problem)?.groups, do: remedy };
}

/*
 * What this process could not take down. The command that ends says so by its exit code, however many runs were made before and after.
 */

/** Sentences, by what was to be taken down. @type {Map<string, string>} */
const left = new Map();

/** @param {string} project @param {string} sentence  says what is still there, and why */
export const noteLeft = (project, sentence) => void left.set(project, sentence);

/** It is gone now. @param {string} [project]  everything of the lab unless given */
export function noteGone(project) {
	if (project === undefined) left.clear();
	else left.delete(project);
}

/**
 * A command that did what it was to do, and left something on the engine, is not done.
 * @param {number} exitCode  of the command
 * @param {(text: string) => void} say
 * @returns {number} that of the process
 */
export function codeWith(exitCode, say) {
	if (exitCode !== EXIT.done || left.size === 0) return exitCode;
	for (const sentence of left.values()) say(`not all is taken down: ${sentence}`);
	return EXIT.notReady;
}

/** How much room there is on the disk of a folder. @param {string} folder */
function freeText(folder) {
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

/** The folder itself, or the nearest one around it that is there. @param {string} folder @returns {string} */
export const nearestFolder = (folder) => (existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder)));
