/**
 * The architectures: the systems that the lab brings along, each a folder `compose/<id>/` with a Compose file and a `doubletake.yaml` that
 * says what is in the table here. The id is the Compose profile's suffix (`arch-<id>`) and the label in every report.
 */
import { basename } from 'node:path';
import { COMPOSE_FOLDER } from '../base/paths.js';
import { LISTED } from './scenarios.js';
import { readSystems } from './systems.js';

/** @type {Record<string, import('./project-schema.js').Shipped>} */
export const architectures = readSystems(COMPOSE_FOLDER);

/** Of a system by its name: one that is none of these lists its requests in a doubletake.yaml of its own. @param {string} name */
export const scenarioOf = (name) => (Object.hasOwn(architectures, name) ? (architectures[name].load?.scenario ?? 'documents') : LISTED);

/** @param {string} id */
export const profileOf = (id) => `arch-${id}`;

/**
 * What an architecture changes as a remedy of others, in words; empty where it is none.
 * @param {string} id
 */
export const changeIn = (id) =>
  Object.values(architectures)
    .flatMap(({ remedies = [] }) => remedies)
    .find(({ system }) => system === id)?.change ?? '';

/** What reports/ has for other things, and what the lab knows something of: a folder may be called so. */
const TAKEN_NAMES = [...Object.keys(architectures), 'compare', 'experiment', 'selftest', 'bench-overhead', 'latest', 'examples'];

/** A folder's name as the name of its reports. @param {string} folder */
export function nameOfFolder(folder) {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  if (name === '') return 'own';
  return TAKEN_NAMES.includes(name) ? `${name}-own` : name;
}
