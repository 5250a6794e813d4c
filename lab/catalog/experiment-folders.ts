/**
 * Where the experiments are: each is a folder, and what is in it is found by the names of its files (docs/extending.md).
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../base/paths.ts';

/** Below the folder of the lab. */
const FOLDER = 'experiments';

/**
 * The folders of experiments that have such a part.
 * @param {string} part  a file, or a folder
 * @returns {string[]} ids, sorted
 */
export const experimentsWith = (part) =>
	readdirSync(join(ROOT, FOLDER))
		.filter((id) => existsSync(join(ROOT, FOLDER, id, part)))
		.sort();

/** Below the folder of the lab. @param {string} id @param {string} part */
export const pathOf = (id, part) => `${FOLDER}/${id}/${part}`;

/**
 * The modules of that name in the folders of experiments. Nothing else of the lab loads one. Whoever awaits it in a module must not be
 * imported by one of them: each would wait for the other.
 * @param {string} part
 * @returns {Promise<[string, any][]>} each with the id of its experiment
 */
export const modulesOf = (part) =>
	Promise.all(
		experimentsWith(part).map(
			async (id) => /** @type {[string, any]} */ ([id, await import(pathToFileURL(join(ROOT, pathOf(id, part))).href)]),
		),
	);
