/**
 * The services of the shipped systems as their Compose files have them, without Compose: what each extends put together with what is
 * its own.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { COMPOSE_FOLDER } from '../base/paths.js';

/** @typedef {Record<string, any>} Service */

/** Replaced, where other lists are appended to (https://docs.docker.com/reference/compose-file/merge/). */
const REPLACED = ['command', 'entrypoint'];
/** The files are our own: their many aliases are no attack. */
const YAML = { merge: true, maxAliasCount: -1 };

/** @param {string} file @returns {any} */
const read = (file) => parse(readFileSync(file, 'utf8'), YAML);

/** Of every system alike: the generator and the observer. */
export const LAB_FILE = join(COMPOSE_FOLDER, 'lab.yaml');

/** @param {string} id */
export const composeFileOf = (id) => join(COMPOSE_FOLDER, id, 'compose.yaml');

/**
 * @param {string} file
 * @returns {Record<string, Service>} the services of that file, by Compose's name
 */
export function servicesIn(file) {
  const folder = dirname(file);
  const services = Object.entries(/** @type {Record<string, Service>} */ (read(file).services));
  return Object.fromEntries(
    services.map(([name, { extends: base, ...own }]) => [
      name,
      base ? merged(read(join(folder, base.file)).services[base.service], own) : own,
    ]),
  );
}

/**
 * What the figures of an architecture's containers are called.
 * @param {string} id
 * @returns {string[]}
 */
export const namesIn = (id) => Object.values(servicesIn(composeFileOf(id))).map(({ labels }) => labels['doubletake.name']);

/** @param {string} id @returns {string[]} tiers of an architecture, each once */
export const tiersIn = (id) => [...new Set(Object.values(servicesIn(composeFileOf(id))).map(({ labels }) => labels['doubletake.tier']))];

/**
 * The databases among them that the lab's own observer watches.
 * @param {string} id
 * @returns {string[]}
 */
export const databasesIn = (id) =>
  Object.values(servicesIn(composeFileOf(id)))
    .filter(({ labels }) => labels['doubletake.tier'] === 'database' && labels['doubletake.product'] === undefined)
    .map(({ labels }) => labels['doubletake.name']);

/** @type {(base: Service, own: Service) => Service} */
function merged(base, own) {
  const result = { ...base };
  for (const [key, value] of Object.entries(own)) {
    const before = result[key];
    if (Array.isArray(before) && Array.isArray(value) && !REPLACED.includes(key)) result[key] = [...before, ...value];
    else if (isMapping(before) && isMapping(value)) result[key] = merged(before, value);
    else result[key] = value;
  }
  return result;
}

/** @param {unknown} value */
const isMapping = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
