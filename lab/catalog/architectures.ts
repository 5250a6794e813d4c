/**
 * The architectures: the systems that the lab brings along, each a folder `compose/<id>/` with a Compose file and a `doubletake.yaml` that
 * says what is in the table here. The id is the Compose profile's suffix (`arch-<id>`) and the label in every report.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { COMPOSE_FOLDER } from '../base/paths.ts';
import { parseShipped } from './project-file.ts';
import type { Shipped } from './project-schema.ts';
import { PROJECT_FILE } from './project-schema.ts';
import { published } from './published.ts';
import { LISTED, scenarios } from './scenarios.ts';

/**
 * Reads them: each folder with a `doubletake.yaml`.
 * @param folder with a folder for each system
 * @returns by id, the ones that begin with a letter first: `a` is where a newcomer begins
 * @throws {import('../base/errors.ts').NotReadyError} naming the file and the lines at fault
 */
export function readSystems(folder: string): Record<string, Shipped> {
	const fileOf = (id: string) => join(folder, id, PROJECT_FILE);
	const systems = readdirSync(folder)
		.filter((id) => existsSync(fileOf(id)))
		.sort(lettersFirst);
	// What a file names, and is in no table, would end a run only when that is needed, which may be after the load.
	const known = { systems, scenarios: Object.keys(scenarios), isPublished };
	return Object.fromEntries(systems.map((id) => [id, parseShipped(readFileSync(fileOf(id), 'utf8'), fileOf(id), known)]));
}

/** @param key `<section>.<run>` */
function isPublished(key: string) {
	const [section, run] = key.split('.');
	return Boolean(published[section]?.runs?.[run]);
}

const lettersFirst: (one: string, other: string) => number = (one, other) =>
	Number(/^\d/.test(one)) - Number(/^\d/.test(other)) || one.localeCompare(other, 'en', { numeric: true });

export const architectures: Record<string, Shipped> = readSystems(COMPOSE_FOLDER);

/** Of a system by its name: one that is none of these lists its requests in a doubletake.yaml of its own. */
export const scenarioOf = (name: string) =>
	Object.hasOwn(architectures, name) ? (architectures[name].load?.scenario ?? 'documents') : LISTED;

export const folderOf = (id: string) => join(COMPOSE_FOLDER, id);

export const profileOf = (id: string) => `arch-${id}`;

/** What an architecture changes as a remedy of others, in words; empty where it is none. */
export const changeIn = (id: string) =>
	Object.values(architectures)
		.flatMap(({ remedies = [] }) => remedies)
		.find(({ system }) => system === id)?.change ?? '';

/** What reports/ has for other things, and what the lab knows something of: a folder may be called so. */
const TAKEN_NAMES = [...Object.keys(architectures), 'compare', 'experiment', 'selftest', 'bench-overhead', 'latest', 'examples'];

/** What the reports of the system in a folder lie under: its id, or the folder's name. */
export function nameOfFolder(folder: string) {
	const id = basename(folder);
	if (dirname(folder) === COMPOSE_FOLDER && Object.hasOwn(architectures, id)) return id;
	const name = id
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, '-')
		.replaceAll(/^-|-$/g, '');
	if (name === '') return 'own';
	return TAKEN_NAMES.includes(name) ? `${name}-own` : name;
}
