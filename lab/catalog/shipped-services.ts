/**
 * The services of the shipped systems as their Compose files have them, without Compose: what each extends put together with what is
 * its own.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { readText } from '../base/bounded-file.ts';
import { oneOf } from '../base/format-command.ts';
import { COMPOSE_FOLDER } from '../base/paths.ts';

type Service = Record<string, any>;

/** Replaced, where other lists are appended to (https://docs.docker.com/reference/compose-file/merge/). */
const REPLACED = ['command', 'entrypoint'];
/** The files are our own: their many aliases are no attack. */
const YAML = { merge: true, maxAliasCount: -1 };

/** Each as it was when it was first asked for: nearly all of them extend the same one. */
const parsed: Map<string, any> = new Map();

/** @returns that is shared, so that nobody changes it */
function read(file: string): any {
	if (!parsed.has(file)) parsed.set(file, parse(readText(file) ?? '', YAML));
	return parsed.get(file);
}

/** Of every system alike: the generator and the observer. */
export const LAB_FILE = join(COMPOSE_FOLDER, 'lab.yaml');

const FOLDERS = readdirSync(COMPOSE_FOLDER).filter((name) => !name.includes('.'));

/** @throws {NotReadyError} where there is none */
export const composeFileOf = (id: string) => join(COMPOSE_FOLDER, oneOf('architecture', id, FOLDERS), 'compose.yaml');

/** @returns the services of that file, by Compose's name */
export function servicesIn(file: string): Record<string, Service> {
	const folder = dirname(file);
	const services = Object.entries(read(file).services as Record<string, Service>);
	return Object.fromEntries(
		services.map(([name, { extends: base, ...own }]) => [
			name,
			base ? merged(read(join(folder, base.file)).services[base.service], own) : own,
		]),
	);
}

/** What the figures of an architecture's containers are called. */
export const namesIn = (id: string): string[] =>
	Object.values(servicesIn(composeFileOf(id))).map(({ labels }) => labels['doubletake.name']);

/** @returns tiers of an architecture, each once */
export const tiersIn = (id: string): string[] => [
	...new Set(Object.values(servicesIn(composeFileOf(id))).map(({ labels }) => labels['doubletake.tier'])),
];

/** The databases among them that the lab's own observer watches. */
export const databasesIn = (id: string): string[] =>
	Object.values(servicesIn(composeFileOf(id)))
		.filter(({ labels }) => labels['doubletake.tier'] === 'database' && labels['doubletake.product'] === undefined)
		.map(({ labels }) => labels['doubletake.name']);

function merged(base: Service, own: Service): Service {
	const result = { ...base };
	for (const [key, value] of Object.entries(own)) {
		const before = result[key];
		if (Array.isArray(before) && Array.isArray(value) && !REPLACED.includes(key)) result[key] = [...before, ...value];
		else if (isMapping(before) && isMapping(value)) result[key] = merged(before, value);
		else result[key] = value;
	}
	return result;
}

const isMapping = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The base images, pinned by exact tag. The registry's and the ones built from packages carry the same versions, so that
 * a run means the same on both. An image that is in no registry is built from packages on every machine.
 */
type BaseImage = {
	/** the variable by which Compose files name it */
	variable: string;
	/** name and tag in the registry; none when it is in no registry */
	hub?: string;
	/** of the component; the manifest holds what the component reports of itself */
	version: string;
};

export const baseImages: Record<string, BaseImage> = parse(readFileSync(join(COMPOSE_FOLDER, 'images.yaml'), 'utf8'));

/** What an image that is in no registry is built on, on a machine that reaches one. */
export const DEBIAN_HUB = 'debian:bookworm-20251229-slim';

/** The app's own image is built on this one. */
const BASE_OF = { APP_IMAGE: 'NODE_IMAGE' };

/**
 * @param architectures all of them unless given
 * @returns keys of the images that one of them needs, by its Compose file
 */
export function imagesFor(architectures?: string[]): string[] {
	if (!architectures) return Object.keys(baseImages);
	const files = [LAB_FILE, ...architectures.map(composeFileOf)];
	const named = JSON.stringify(files.map(servicesIn));
	const variables = [...named.matchAll(/\$\{(\w+_IMAGE):-/g)].map(([, variable]) => BASE_OF[variable as keyof typeof BASE_OF] ?? variable);
	return Object.keys(baseImages).filter((name) => variables.includes(baseImages[name].variable));
}
