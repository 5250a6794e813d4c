/**
 * The services of the shipped systems as their Compose files have them, without Compose: what each extends put together with what is
 * its own.
 */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { COMPOSE_FOLDER } from '../base/paths.ts';

/** @typedef {Record<string, any>} Service */

/** Replaced, where other lists are appended to (https://docs.docker.com/reference/compose-file/merge/). */
const REPLACED = ['command', 'entrypoint'];
/** The files are our own: their many aliases are no attack. */
const YAML = { merge: true, maxAliasCount: -1 };

/** Each as it was when it was first asked for: nearly all of them extend the same one. @type {Map<string, any>} */
const parsed = new Map();

/** @param {string} file @returns {any} that is shared, so that nobody changes it */
function read(file) {
	if (!parsed.has(file)) parsed.set(file, parse(readFileSync(file, 'utf8'), YAML));
	return parsed.get(file);
}

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

/**
 * The base images, pinned by exact tag. The registry's and the ones built from packages carry the same versions, so that
 * a run means the same on both. An image that is in no registry is built from packages on every machine.
 *
 * @typedef {object} BaseImage
 * @property {string} variable  the variable by which Compose files name it
 * @property {string} [hub]     name and tag in the registry; none when it is in no registry
 * @property {string} version   of the component; the manifest holds what the component reports of itself
 */

/** @type {Record<string, BaseImage>} */
export const baseImages = parse(readFileSync(join(COMPOSE_FOLDER, 'images.yaml'), 'utf8'));

/** What an image that is in no registry is built on, on a machine that reaches one. */
export const DEBIAN_HUB = 'debian:bookworm-20251229-slim';

/** The app's own image is built on this one. */
const BASE_OF = { APP_IMAGE: 'NODE_IMAGE' };

/**
 * @param {string[]} [architectures]  all of them unless given
 * @returns {string[]} keys of the images that one of them needs, by its Compose file
 */
export function imagesFor(architectures) {
	if (!architectures) return Object.keys(baseImages);
	const files = [LAB_FILE, ...architectures.map(composeFileOf)];
	const named = JSON.stringify(files.map(servicesIn));
	const variables = [...named.matchAll(/\$\{(\w+_IMAGE):-/g)].map(
		([, variable]) => BASE_OF[/** @type {keyof typeof BASE_OF} */ (variable)] ?? variable,
	);
	return Object.keys(baseImages).filter((name) => variables.includes(baseImages[name].variable));
}
