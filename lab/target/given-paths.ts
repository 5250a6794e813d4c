/**
 * Which paths of this machine a Compose file gives to a container, or to the building of an image, wherever it says so: mounts, volumes that are
 * another place by another name, configs and secrets, files of variables, and what an image is built from.
 */

import { resolve } from 'node:path';
import { readText } from '../base/bounded-file.ts';
import { NotReadyError } from '../base/errors.ts';
import { builtFrom } from './built-from.ts';
import { literal } from './compose-changes.ts';
import { follow, leavesFolder } from './real-path.ts';

export type Given = {
	/** as Compose has it */
	path: string;
	/** what gets it may write to it */
	writes: boolean;
	by: 'mount' | 'volume' | 'config' | 'secret' | 'variables' | 'build';
	/** of the volume, the config or the secret; of a build the entry; of a mount where it is in the container */
	name: string;
};

/**
 * @param found of a service
 * @param config of which it is, as Compose has resolved it
 * @param seenFrom folders from which a program may see what Compose leaves relative: the one in which it is called, and its project's
 */
export const givenPaths = (found: any, config: any, seenFrom: string[] = ['/']): Given[] => [
	...(found.volumes ?? []).flatMap((mount: any) => ofMount(mount, config)),
	...ofFiles(found.configs, config.configs, 'config'),
	...ofFiles(found.secrets, config.secrets, 'secret'),
	...[found.env_file ?? [], found.label_file ?? []].flat().map((file) => ({
		...{ path: literal(file?.path ?? file), writes: false, name: '' },
		by: 'variables' as const,
	})),
	...ofBuild(found.build, config, seenFrom),
];

function ofMount({ type, source = '', target, read_only: readOnly = false }: any, { volumes = {} }: any): Given[] {
	if (type === 'bind') return [{ path: literal(source), writes: !readOnly, by: 'mount', name: literal(target) }];
	if (type !== 'volume' || !Object.hasOwn(volumes, source)) return [];
	return placesOfVolume(volumes[source]).map(({ path, writes }) => ({
		...{ path, writes: writes && !readOnly, name: source },
		by: 'volume' as const,
	}));
}

/**
 * What a volume is by another name: the engine mounts it as `mount` does, and takes no heed of its type where the options say that it binds.
 * https://docs.docker.com/reference/cli/docker/volume/create/#driver-specific-options
 * @returns none where it is the engine's own, or memory; isBound: a folder of this machine
 */
export function placesOfVolume(volume: any): { path: string; writes: boolean; isBound: boolean }[] {
	const { device = '', type = '', o = '' } = volume?.driver_opts ?? {};
	const given = literal(o).split(',');
	const options = given.map((option) => option.trim());
	const isBound = options.some((option) => /^r?bind$/i.test(option));
	// The engine takes the last of the two, and no other spelling.
	const writes = given.findLast((option) => /^r[ow]$/.test(option)) !== 'ro';
	// An engine sees a path that does not begin with a slash from its own folder, the root.
	if (isBound) return device === '' ? [] : [{ path: rooted(literal(device)), writes, isBound }];
	const isMemory = String(type) === 'tmpfs';
	const layers = options.flatMap((option) => /^\w+=(.*\/.*)$/.exec(option)?.[1].split(':') ?? []).filter((path) => path.startsWith('/'));
	const devices = !isMemory && literal(device).startsWith('/') ? [literal(device)] : [];
	return [...devices, ...layers].map((path) => ({ path, writes, isBound: false }));
}

const rooted = (path: string) => (path.startsWith('/') || path.startsWith('~') ? path : `/${path}`);

const ofFiles: (grants: any, known: any, by: 'config' | 'secret') => Given[] = (grants, known = {}, by) =>
	[grants ?? []].flat().flatMap((grant: any) => {
		const name = grant?.source ?? grant;
		const file = Object.hasOwn(known, name) ? known[name]?.file : undefined;
		return file ? [{ path: literal(file), writes: false, by, name }] : [];
	});

/** What is no path of this machine unless something lies there: another service, an image, a repository. */
const ELSEWHERE = /^((https?|git|ssh|docker-image):\/\/|(service|target):|git@|github\.com\/)/i;
const OF_OTHERS = /^((?!oci-layout:)[a-z][a-z\d+.-]*:\/\/|[\w.-]+@[\w.-]+:|github\.com\/)/i;

/** A builder takes a longer one; nobody writes one. */
const DOCKERFILE_MOST_BYTES = 1_000_000;

/** unread: the file, and why nobody knows what the builder reads there */
type Dockerfile = { text: string; unread?: { path: string; why: string } };

/** @param build of a service, or none */
export function builtBy({ build }: any, { services = {} }: any): ReturnType<typeof builtFrom> & Pick<Dockerfile, 'unread'> {
	const { text, unread } = dockerfileOf(build);
	const made = Object.values<any>(services).flatMap(({ build: own, image = '' }) => (own && image ? [bareName(literal(image))] : []));
	const contexts = namesOf(build?.additional_contexts);
	return { ...builtFrom(text, argumentsOf(build), (image) => contexts.includes(image) || made.includes(bareName(image))), unread };
}

const bareName = (image: string) => image.replace(/^(index\.)?docker\.io\/(library\/)?/i, '').replace(/^(?!.*:[^/]*$).*/, '$&:latest');

/**
 * What a build gets from another machine, as the file says it.
 * @param found of a service
 */
export const fetchedBy = (found: any, config: any): string[] => [
	...[found.build?.context ?? '', ...contextsOf(found.build)].map(literal).filter((text) => OF_OTHERS.test(text)),
	...builtBy(found, config).fetched,
];

/** Images that are asked for, where they are not here. */
export const imagesBy = (found: any, config: any): string[] => [
	...(found.build ? (found.build.cache_from ?? []).map((one: unknown) => cacheOptions(one).get('ref') ?? literal(one)) : []),
	...(found.build || !found.image ? [] : [literal(found.image)]),
	...builtBy(found, config).images,
];

function dockerfileOf(build: any): Dockerfile {
	const inline = build?.dockerfile_inline;
	if (inline !== undefined) return { text: literal(inline) };
	const [context, file] = [build?.context ?? '', build?.dockerfile ?? 'Dockerfile'].map(literal);
	if (!build || (OF_OTHERS.test(context) && !file.startsWith('/'))) return { text: '' };
	const path = resolve(context, file);
	try {
		if (leavesFolder(path)) return { text: '', unread: { path, why: 'a link out of its folder, by which a builder takes another file' } };
		return { text: readText(path, { mostBytes: DOCKERFILE_MOST_BYTES }) ?? '' };
	} catch (error) {
		return { text: '', unread: { path, why: error instanceof NotReadyError ? error.problem.slice(path.length + 2, -1) : String(error) } };
	}
}

/** A list has them with their values behind a sign. */
function argumentsOf(build: any): Record<string, string | null> {
	const { args = {} } = build ?? {};
	const pairs = Array.isArray(args) ? args.map((text) => String(text).split(/=(.*)/s).slice(0, 2)) : Object.entries<any>(args);
	return Object.fromEntries(pairs.map(([name, value]) => [name, value === null || value === undefined ? null : literal(value)]));
}

const namesOf = (contexts: any): string[] =>
	Array.isArray(contexts) ? contexts.map((text) => String(text).split('=')[0]) : Object.keys(contexts ?? {});

/** Beside its own, which a list has with their names. */
function contextsOf(build: any): unknown[] {
	const more = build?.additional_contexts ?? {};
	return Array.isArray(more) ? more.map((text) => String(text).replace(/^[^=]*=/, '')) : Object.values<any>(more);
}

/** With a name or a hash of an image behind its path. */
const LAYOUT = /^oci-layout:\/\/([^@]*?)(:[^:/@]*)?(@.*)?$/i;

/** Each place that a context may be: BuildKit's client takes a folder of this machine before it asks whether the text is an address. */
function placesOf(text: string, seenFrom: string[]): string[] {
	if (text === '') return [];
	if (/^[/~]/.test(text)) return [text];
	const isThere = (place: string) => follow(place).state !== 'missing';
	const seen = (place: string) => (/^[/~]/.test(place) ? [place] : seenFrom.map((folder) => `${folder}/${place}`));
	const [, layout, name = ''] = LAYOUT.exec(text) ?? [];
	if (layout !== undefined) return [...seen(layout), ...[`${layout}${name}`, text].flatMap(seen).filter(isThere)];
	return ELSEWHERE.test(text) ? seen(text).filter(isThere) : seen(text);
}

/** A field of a cache's entry, which is a line of CSV: https://docs.docker.com/build/cache/backends/local/ */
const FIELD = /(?:^|,)\s*("(?:[^"]|"")*"|[^,]*)/g;

/** @returns keys as the builder reads them, in small letters */
export const cacheOptions = (entry: unknown): Map<string, string> =>
	new Map(
		[...literal(entry).matchAll(FIELD)].flatMap(([, field]) => {
			const [, key, value] = /^([^=]*)=(.*)$/s.exec(field.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')) ?? [];
			return key === undefined ? [] : [[key.trim().toLowerCase(), value.trim()] as [string, string]];
		}),
	);

/** One that is none lies where the folder does. */
const isLink = (path: string) => follow(path).through.length > 0 && follow(path).state === 'there';

function ofBuild(build: any, { secrets }: any, seenFrom: string[]): Given[] {
	if (!build) return [];
	const { context = '', dockerfile = '', dockerfile_inline: inline, cache_from: from = [], cache_to: to = [] } = build;
	const bases = placesOf(literal(context), seenFrom);
	const caches = [...from, ...to].map(cacheOptions).flatMap((options) => ['src', 'dest'].flatMap((key) => options.get(key) ?? []));
	const file = inline ? '' : literal(dockerfile || 'Dockerfile');
	const files = /^[/~]/.test(file) ? [file] : file === '' ? [] : bases.map((base) => `${base}/${file}`);
	// A program that reads the Dockerfile may ask for what lies beside it, and the Dockerfile names that program.
	const beside = files.filter((one) => !one.split('/').includes('..') && bases.some((base) => one.startsWith(`${base}/`)));
	const given: (path: string, name: string) => Given = (path, name) => ({ path, writes: false, by: 'build', name });
	return [
		...[...bases, ...contextsOf(build).flatMap((text) => placesOf(literal(text), seenFrom))].map((path) => given(path, 'the folder')),
		...files.map((path) => given(path, 'the Dockerfile')),
		...[...files, ...bases.map((base) => `${base}/`)]
			.map((path) => `${path}.dockerignore`)
			.filter(isLink)
			.map((path) => given(path, 'what it leaves out')),
		...files.filter((path) => !beside.includes(path)).map((path) => given(`${path}/..`, 'the folder of the Dockerfile')),
		...caches.flatMap((text) => placesOf(text, seenFrom)).map((path) => given(path, 'the cache')),
		...ofFiles(build.secrets, secrets, 'secret').map(({ path, name }) => given(path, `the secret ${name}`)),
	];
}
