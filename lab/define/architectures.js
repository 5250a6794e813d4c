/**
 * The architectures: the systems that the lab brings along, each a folder `compose/<id>/` with a Compose file and a `system.yaml` that
 * says what is in the table here. The id is the Compose profile's suffix (`arch-<id>`) and the label in every report.
 *
 * @typedef {object} Architecture
 * @property {string} [scenario]  key of the scenarios table, `documents` unless given: what one request is
 * @property {Record<string, Variable>} [variables]  of its own, given on the command line or by an experiment's arm
 * @property {string} title       in words, for headings
 * @property {string} question    why one would run it
 * @property {string} [entry]     where the load goes, on the lab's own network; none where a program is the load
 * @property {string} [published] key of the same system in published.json, `<section>.<run>`
 * @property {string[]} [reliefs] architectures that relieve a tier of this one, to be tried when most failures have a cause that they
 *   take away, unless stored experiments speak against it (measured-reliefs.js). Each changes one thing, or it would not say which one
 *   mattered; test/static/reliefs.test.js holds them to it
 * @property {string} [relieves]  the tier that this architecture relieves, compared with the one that names it
 * @property {string[]} [relieves_causes]  of failures, that it takes away by what it changes
 * @property {string} [relief]    what the relief changes, in words
 * @property {readonly [string, string][]} [edges]  who asks whom on the way of a request, by the services' names; by their tiers unless given
 *
 * @typedef {object} Variable     reaches the containers and the k6 scenario under its own name
 * @property {string} about       in words
 * @property {string} standard    its value unless given
 * @property {readonly string[]} [choices]  the values that it may have; or
 * @property {readonly [number, number]} [range]  the least and the most, of a whole number
 */
import { COMPOSE_FOLDER } from './paths.js';
import { readSystems } from './systems.js';

/** @type {Record<string, Architecture>} */
export const architectures = readSystems(COMPOSE_FOLDER);

/** @param {string} id */
export const scenarioOf = (id) => architectures[id].scenario ?? 'documents';

/** @param {string} id */
export const profileOf = (id) => `arch-${id}`;
