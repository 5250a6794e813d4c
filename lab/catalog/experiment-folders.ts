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
 * @param part a file, or a folder
 * @returns ids, sorted
 */
export const experimentsWith = (part: string): string[] =>
	readdirSync(join(ROOT, FOLDER))
		.filter((id) => existsSync(join(ROOT, FOLDER, id, part)))
		.sort();

/** Below the folder of the lab. */
export const pathOf = (id: string, part: string) => `${FOLDER}/${id}/${part}`;

/**
 * The modules of that name in the folders of experiments. Nothing else of the lab loads one. Whoever awaits it in a module must not be
 * imported by one of them: each would wait for the other.
 * @returns each with the id of its experiment
 */
export const modulesOf = (part: string): Promise<[string, any][]> =>
	Promise.all(
		experimentsWith(part).map(async (id) => [id, await import(pathToFileURL(join(ROOT, pathOf(id, part))).href)] as [string, any]),
	);
