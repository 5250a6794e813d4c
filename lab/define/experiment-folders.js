/**
 * Where the experiments are: each is a folder, and what is in it is found by the names of its files (docs/extending.md).
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.js';

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
