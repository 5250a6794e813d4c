/**
 * Where the run is that a command is about.
 */

import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { NotReadyError } from '../base/errors.ts';
import { recordAt } from '../base/files.ts';
import { formatCommand, formatProjectCommand } from '../base/format-command.ts';
import { RECORD, REPORTS } from '../base/paths.ts';
import { nameOfFolder } from '../catalog/architectures.ts';
import { hasProject } from '../catalog/project-file.ts';

/**
 * The folder of the run that a command is about.
 * @param path the last one of the folder's system unless given
 * @param folder of doubletake.yaml
 * @throws {NotReadyError} where there is no run
 */
export async function runFolderOf(command: string, path: string | undefined, folder: string): Promise<string> {
	const at = path !== undefined || hasProject(folder) ? resolve(path ?? latestOf(undefined, folder)) : await newestRun();
	if (at !== null && (await lstat(join(at, RECORD.manifest)).catch(() => null))) return recordAt(command, at);
	throw new NotReadyError(
		`${command}: expected the folder of a run; found ${path === undefined ? 'no run that was measured here' : `none in ${path}`}.`,
		`measure it first (${formatProjectCommand(['run'])}), or say which run: "${formatCommand(['list'])}" names them.`,
	);
}

const LATEST = join(REPORTS, 'latest');

/**
 * Where the last run of a system is.
 * @param architecture none: the system of the folder
 */
export const latestOf = (architecture: string | undefined, folder: string) => join(LATEST, architecture ?? nameOfFolder(folder));

/** Where no system is described, of all that were measured. */
async function newestRun(): Promise<string | null> {
	const names = await readdir(LATEST).catch(() => []);
	const links = await Promise.all(names.map(async (name) => ({ path: join(LATEST, name), at: (await lstat(join(LATEST, name))).mtimeMs })));
	return links.toSorted((one, other) => other.at - one.at)[0]?.path ?? null;
}
