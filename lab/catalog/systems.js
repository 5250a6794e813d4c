/**
 * Reads the systems that the lab brings along: each folder below `compose/` with a `doubletake.yaml`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseShipped } from './project-file.js';
import { PROJECT_FILE } from './project-schema.js';
import { published } from './published.js';
import { scenarios } from './scenarios.js';

/**
 * @param {string} folder  with a folder for each system
 * @returns {Record<string, import('./project-schema.js').Shipped>} by id, the ones that begin with a letter first: `a` is where a newcomer begins
 * @throws {import('../base/errors.js').NotReadyError} naming the file and the lines at fault
 */
export function readSystems(folder) {
  const fileOf = (/** @type {string} */ id) => join(folder, id, PROJECT_FILE);
  const systems = readdirSync(folder)
    .filter((id) => existsSync(fileOf(id)))
    .sort(lettersFirst);
  // What a file names, and is in no table, would end a run only when that is needed, which may be after the load.
  const known = { systems, scenarios: Object.keys(scenarios), isPublished };
  return Object.fromEntries(systems.map((id) => [id, parseShipped(readFileSync(fileOf(id), 'utf8'), fileOf(id), known)]));
}

/** @param {string} key `<section>.<run>` */
function isPublished(key) {
  const [section, run] = key.split('.');
  return Boolean(published[section]?.runs?.[run]);
}

/** @type {(one: string, other: string) => number} */
const lettersFirst = (one, other) =>
  Number(/^\d/.test(one)) - Number(/^\d/.test(other)) || one.localeCompare(other, 'en', { numeric: true });
