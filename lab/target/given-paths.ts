/**
 * Which paths of this machine a Compose file gives to a container, or to the building of an image, wherever it says so: mounts, volumes that are
 * another place by another name, configs and secrets, files of variables, and what an image is built from.
 *
 * @typedef {object} Given
 * @property {string} path      as Compose has it
 * @property {boolean} writes   what gets it may write to it
 * @property {'mount' | 'volume' | 'config' | 'secret' | 'variables' | 'build'} by
 * @property {string} name      of the volume, the config or the secret; of a build the entry; of a mount where it is in the container
 */

import { literal } from './compose-changes.ts';
import { follow } from './real-path.ts';

/**
 * @param {any} found   of a service
 * @param {any} config  of which it is, as Compose has resolved it
 * @param {string[]} [seenFrom]  folders from which a program may see what Compose leaves relative: the one in which it is called, and its project's
 * @returns {Given[]}
 */
export const givenPaths = (found, config, seenFrom = ['/']) => [
	...(found.volumes ?? []).flatMap((/** @type {any} */ mount) => ofMount(mount, config)),
	...ofFiles(found.configs, config.configs, 'config'),
	...ofFiles(found.secrets, config.secrets, 'secret'),
	...[found.env_file ?? [], found.label_file ?? []].flat().map((file) => ({
		...{ path: literal(file?.path ?? file), writes: false, name: '' },
		by: /** @type {const} */ ('variables'),
	})),
	...ofBuild(found.build, config, seenFrom),
];

/** @type {(mount: any, config: any) => Given[]} */
function ofMount({ type, source = '', target, read_only: readOnly = false }, { volumes = {} }) {
	if (type === 'bind') return [{ path: literal(source), writes: !readOnly, by: 'mount', name: literal(target) }];
	if (type !== 'volume' || !Object.hasOwn(volumes, source)) return [];
	return placesOfVolume(volumes[source]).map(({ path, writes }) => ({
		...{ path, writes: writes && !readOnly, name: source },
		by: /** @type {const} */ ('volume'),
	}));
}

/**
 * What a volume is by another name: the engine mounts it as `mount` does, and takes no heed of its type where the options say that it binds.
 * https://docs.docker.com/reference/cli/docker/volume/create/#driver-specific-options
 * @param {any} volume
 * @returns {{ path: string, writes: boolean, isBound: boolean }[]} none where it is the engine's own, or memory; isBound: a folder of this machine
 */
export function placesOfVolume(volume) {
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

/** @param {string} path */
const rooted = (path) => (path.startsWith('/') || path.startsWith('~') ? path : `/${path}`);

/** @type {(grants: any, known: any, by: 'config' | 'secret') => Given[]} */
const ofFiles = (grants, known = {}, by) =>
	[grants ?? []].flat().flatMap((/** @type {any} */ grant) => {
		const name = grant?.source ?? grant;
		const file = Object.hasOwn(known, name) ? known[name]?.file : undefined;
		return file ? [{ path: literal(file), writes: false, by, name }] : [];
	});

/** What is no path of this machine unless something lies there: another service, an image, a repository. */
const ELSEWHERE = /^((https?|git|ssh|docker-image):\/\/|(service|target):|git@|github\.com\/)/i;
const OF_OTHERS = /^((?!oci-layout:)[a-z][a-z\d+.-]*:\/\/|[\w.-]+@[\w.-]+:|github\.com\/)/i;

/** What a build gets from another machine, as the file says it. @param {any} found  of a service @returns {string[]} */
export const fetchedBy = ({ build }) => [build?.context ?? '', ...contextsOf(build)].map(literal).filter((text) => OF_OTHERS.test(text));

/** Beside its own, which a list has with their names. @param {any} build @returns {unknown[]} */
function contextsOf(build) {
	const more = build?.additional_contexts ?? {};
	return Array.isArray(more) ? more.map((text) => String(text).replace(/^[^=]*=/, '')) : Object.values(more);
}

/** With a name or a hash of an image behind its path. */
const LAYOUT = /^oci-layout:\/\/([^@]*?)(:[^:/@]*)?(@.*)?$/i;

/**
 * Each place that a context may be: BuildKit's client takes a folder of this machine before it asks whether the text is an address.
 * @type {(text: string, seenFrom: string[]) => string[]}
 */
function placesOf(text, seenFrom) {
	if (text === '') return [];
	if (/^[/~]/.test(text)) return [text];
	const isThere = (/** @type {string} */ place) => follow(place).state !== 'missing';
	const seen = (/** @type {string} */ place) => (/^[/~]/.test(place) ? [place] : seenFrom.map((folder) => `${folder}/${place}`));
	const [, layout, name = ''] = LAYOUT.exec(text) ?? [];
	if (layout !== undefined) return [...seen(layout), ...[`${layout}${name}`, text].flatMap(seen).filter(isThere)];
	return ELSEWHERE.test(text) ? seen(text).filter(isThere) : seen(text);
}

/** A field of a cache's entry, which is a line of CSV: https://docs.docker.com/build/cache/backends/local/ */
const FIELD = /(?:^|,)\s*("(?:[^"]|"")*"|[^,]*)/g;

/** @param {unknown} entry @returns {Map<string, string>} keys as the builder reads them, in small letters */
export const cacheOptions = (entry) =>
	new Map(
		[...literal(entry).matchAll(FIELD)].flatMap(([, field]) => {
			const [, key, value] = /^([^=]*)=(.*)$/s.exec(field.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')) ?? [];
			return key === undefined ? [] : [/** @type {[string, string]} */ ([key.trim().toLowerCase(), value.trim()])];
		}),
	);

/** One that is none lies where the folder does. @param {string} path */
const isLink = (path) => follow(path).through.length > 0 && follow(path).state === 'there';

/** @type {(build: any, config: any, seenFrom: string[]) => Given[]} */
function ofBuild(build, { secrets }, seenFrom) {
	if (!build) return [];
	const { context = '', dockerfile = '', dockerfile_inline: inline, cache_from: from = [], cache_to: to = [] } = build;
	const bases = placesOf(literal(context), seenFrom);
	const caches = [...from, ...to].map(cacheOptions).flatMap((options) => ['src', 'dest'].flatMap((key) => options.get(key) ?? []));
	const file = inline ? '' : literal(dockerfile || 'Dockerfile');
	const files = /^[/~]/.test(file) ? [file] : file === '' ? [] : bases.map((base) => `${base}/${file}`);
	// A program that reads the Dockerfile may ask for what lies beside it, and the Dockerfile names that program.
	const beside = files.filter((one) => !one.split('/').includes('..') && bases.some((base) => one.startsWith(`${base}/`)));
	/** @type {(path: string, name: string) => Given} */
	const given = (path, name) => ({ path, writes: false, by: 'build', name });
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
