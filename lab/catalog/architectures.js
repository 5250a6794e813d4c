/**
 * The architectures: the systems that the lab brings along, each a folder `compose/<id>/` with a Compose file and a `doubletake.yaml` that
 * says what is in the table here. The id is the Compose profile's suffix (`arch-<id>`) and the label in every report.
 */
import { COMPOSE_FOLDER } from '../base/paths.js';
import { readSystems } from './systems.js';

/** @type {Record<string, import('./project-schema.js').Shipped>} */
export const architectures = readSystems(COMPOSE_FOLDER);

/** @param {string} id */
export const scenarioOf = (id) => architectures[id].load?.scenario ?? 'documents';

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
