/**
 * What whoever calls a command allows a run beside what it may do by itself. It is said at the command line alone: a folder that comes from
 * others can say nothing of it, and neither can a record in it.
 *
 * @typedef {object} Allowed
 * @property {string[]} paths      that doubletake.yaml and its script may name outside of their folder, and what services may have of the machine:
 *   each with what lies below it; absolute, without links
 * @property {string[]} variables  of this shell, which a header of the load may take, and a service
 *
 * @typedef {{ allowData: boolean, allowed: Allowed }} Permission  allowData: all that services want which could do harm
 */

import { realpathSync } from 'node:fs';
import os from 'node:os';
import { resolve } from 'node:path';
import { NotReadyError } from '../base/errors.ts';
import { shellWord } from '../base/format-command.ts';

/** @type {Allowed} */
export const NOTHING = { paths: [], variables: [] };
/** @type {Permission} */
export const NO_PERMISSION = { allowData: false, allowed: NOTHING };

/**
 * @param {object} flags
 * @param {string[]} [flags.allow]          paths; an empty one is the flag alone
 * @param {string[]} [flags.allowVariable]  names
 * @param {string} folder  in which the command was given
 * @returns {Permission}
 * @throws {NotReadyError} naming a path that is not there
 */
export const readAllowed = ({ allow = [], allowVariable = [] }, folder) => ({
	allowData: allow.includes(''),
	allowed: {
		paths: allow.filter((path) => path !== '').map((path) => realPathOf(path, folder)),
		variables: allowVariable.flatMap((names) => names.split(',')).filter((name) => name !== ''),
	},
});

/** @param {string} path @param {string} folder */
function realPathOf(path, folder) {
	// A shell leaves a tilde behind "=" as it is.
	const whole = resolve(folder, path.replace(/^~(?=\/|$)/, os.homedir()));
	try {
		return realpathSync(whole);
	} catch {
		throw new NotReadyError(`--allow: expected a path that is there; found "${path}".`, 'correct it.');
	}
}

/** @param {Partial<Permission>} permission @returns {string[]} words of the command line that say the same */
export const formatAllowed = ({ allowData = false, allowed = NOTHING }) => [
	...(allowData ? ['--allow'] : []),
	...allowed.paths.map((path) => `--allow=${shellWord(path)}`),
	...allowed.variables.map((name) => `--allow-variable=${shellWord(name)}`),
];
