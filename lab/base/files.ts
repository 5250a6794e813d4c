import { createWriteStream, existsSync, lstatSync, realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { NotReadyError, nearestFolder, writing } from './errors.ts';
import { shellWord } from './format-command.ts';
import { lineWithCodes } from './hidden-characters.ts';
import { IS_MAKEFILE_HERE, REPORTS } from './paths.ts';
import { NEW, PRIVATE_FILE, readPrivate, refusal } from './private-file.ts';

/** A record is its owner's alone: it has what the programs under test logged. Whatever the umask of the lab is. */
export const PRIVATE_FOLDER = 0o700;

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
	// Refused where it is no folder.
	await mkdir(there, { recursive: true });
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
