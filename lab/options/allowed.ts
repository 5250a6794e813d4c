/**
 * What whoever calls a command allows a run beside what it may do by itself. It is said at the command line alone: a folder that comes from
 * others can say nothing of it, and neither can a record in it.
 */

import { realpathSync } from 'node:fs';
import os from 'node:os';
import { resolve } from 'node:path';
import { NotReadyError } from '../base/errors.ts';
import { shellWord } from '../base/format-command.ts';

export type Allowed = {
	/** that doubletake.yaml and its script may name outside of their folder, and what services may have of the machine: each with what lies below it; absolute, without links */
	paths: string[];
	/** of this shell, which a header of the load may take, and a service */
	variables: string[];
};

/** allowData: all that services want which could do harm */
export type Permission = { allowData: boolean; allowed: Allowed };

export const NOTHING: Allowed = { paths: [], variables: [] };
export const NO_PERMISSION: Permission = { allowData: false, allowed: NOTHING };

/**
 * @param folder in which the command was given
 * @throws {NotReadyError} naming a path that is not there
 */
export const readAllowed = (
	{
		allow = [],
		allowVariable = [],
	}: {
		/** paths; an empty one is the flag alone */
		allow?: string[];
		/** names */
		allowVariable?: string[];
	},
	folder: string,
): Permission => ({
	allowData: allow.includes(''),
	allowed: {
		paths: allow.filter((path) => path !== '').map((path) => realPathOf(path, folder)),
		variables: allowVariable.flatMap((names) => names.split(',')).filter((name) => name !== ''),
	},
});

function realPathOf(path: string, folder: string) {
	// A shell leaves a tilde behind "=" as it is.
	const whole = resolve(folder, path.replace(/^~(?=\/|$)/, os.homedir()));
	try {
		return realpathSync(whole);
	} catch {
		throw new NotReadyError(`--allow: expected a path that is there; found "${path}".`, 'correct it.');
	}
}

/** @returns words of the command line that say the same */
export const formatAllowed = ({ allowData = false, allowed = NOTHING }: Partial<Permission>): string[] => [
	...(allowData ? ['--allow'] : []),
	...allowed.paths.map((path) => `--allow=${shellWord(path)}`),
	...allowed.variables.map((name) => `--allow-variable=${shellWord(name)}`),
];
