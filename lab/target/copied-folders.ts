/**
 * Folders and files of this machine into which services may write: of each a run has a copy, so that what is written under load does not
 * stay. Here it is decided which; lab/run/project/open-view.ts makes them.
 *
 * @typedef {'copy' | 'empty' | 'live'} Data  live: the service writes into the user's own
 *
 * @typedef {object} CopiedFolder
 * @property {string} source     of this machine
 * @property {string} name       as doubletake.yaml has it
 * @property {string[]} services  that may write; of a part that others only read none
 * @property {Data} data         what becomes of it
 * @property {string} why        it is empty though nobody wrote so, as a clause; empty where that is not so
 * @property {boolean} isFile
 * @property {string} volume     of the run, in its place; of a file its name in a folder of the run's
 * @property {string[]} without  folders in it that are left out, as seen from it
 * @property {string} device     of a part of another copy, where the engine has that; of a part of what is live, itself; empty where it is neither
 *
 * @typedef {object} Asked
 * @property {Record<string, Data>} data    by name
 * @property {string} folder                that names are seen from
 * @property {string} [base]                from which Compose sees relative paths; the folder unless given
 * @property {Look} look
 * @property {(service: string) => boolean} keepsData  whether it is a database, a queue or a cache
 *
 * @import { Look } from './dockerfile.ts'
 */

import { createHash } from 'node:crypto';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isNamedAsFile } from '../adapters/site-names.ts';
import { REPORTS } from '../base/paths.ts';
import { SECRET_NAME } from '../base/secret-names.ts';
import { grouped } from '../base/values.ts';
import { literal } from './compose-changes.ts';
import { ENTRIES_MOST } from './dockerfile.ts';
import { placesOfVolume } from './given-paths.ts';
import { graveOf, isSocketPath } from './grave-places.ts';
import { follow, isWithin } from './real-path.ts';

/*
 * What others publish beside a file that they do not: an example of it.
 */

const KINDS = ['example', 'sample', 'template', 'dist', 'default'];

/** @type {(file: string, isThere: (file: string) => boolean) => string | null} */
export function exampleOf(file, isThere) {
	const name = basename(file);
	const plain = name.replace(/^\./, '');
	const names = KINDS.flatMap((kind) => [
		`${name}.${kind}`,
		`${plain}.${kind}`,
		`${kind}.${plain}`,
		`.${kind}.${plain}`,
		`${plain}-${kind}`,
	]);
	const found = names.find((one) => isThere(join(dirname(file), one)));
	return found === undefined ? null : join(dirname(file), found);
}

/**
 * Files of this machine that a Compose file hands to its services, and that are not there. The engine would make an empty folder of the
 * superuser's of each, in the user's own, and the service would fail at that. A run has an example of it in its place where there is one;
 * else it leaves the mount out, so that the service has what its image has there.
 *
 * @typedef {object} Missing
 * @property {Map<string, any[]>} mounts   by service, all that it has then, of those that lack one
 * @property {Map<string, any[]>} configs  the same of Compose's configs
 * @property {string[]} said               a sentence each
 *
 */

/**
 * Whether a mount is of a file that is not there. Of what a service may write to, that is known by its name alone: a folder is made on purpose.
 * @param {any} mount
 * @param {Look} look
 */
export function isMissing({ type, source = '', target = '', read_only: readOnly = false }, look) {
	const place = literal(source);
	if (type !== 'bind' || isSocketPath(look.real(place))) return false;
	const isOfFile = isNamedAsFile(place) && isNamedAsFile(literal(target));
	if (look.kindOf(place) === null) return readOnly || isOfFile;
	// An engine made it of a file that was not there when somebody started the stack.
	return isOfFile && look.isEmptyFolder(place);
}

/**
 * @param {any} config  as Compose has resolved it
 * @param {{ look: Look, folder: string, isCopied: (source: string) => boolean }} given  isCopied: a folder that the run has in another's place
 * @returns {Missing}
 */
export function missingFiles({ services = {}, configs = {} }, { look, folder, isCopied }) {
	/** @type {Missing} */
	const missing = { mounts: new Map(), configs: new Map(), said: [] };
	const isThere = (/** @type {string} */ path) => look.kindOf(path) === 'file';
	/** @type {(what: string, place: string, service: string) => string | null} what is in its place */
	const inPlaceOf = (what, place, service) => {
		const example = place === '' ? null : exampleOf(place, isThere);
		missing.said.push(
			example === null
				? `${what}: ${service} runs without it, with what its image has there.`
				: `${what}: ${basename(example)} is read in its place.`,
		);
		return example;
	};
	for (const [service, { volumes = [], configs: given = [] }] of Object.entries(services)) {
		// What this user may not see is there for the engine.
		const isHidden = (/** @type {string} */ place) => follow(place).state === 'unseen' && isGraveToRead(place, { folder, look });
		const isGone = (/** @type {any} */ mount) =>
			isMissing(mount, look) && !isCopied(literal(mount.source)) && !isHidden(literal(mount.source));
		if (volumes.some(isGone))
			missing.mounts.set(
				service,
				volumes.flatMap((/** @type {any} */ mount) => {
					const plain = { ...mount, source: literal(mount.source), target: literal(mount.target) };
					if (!isGone(mount)) return [mount.source === undefined ? mount : plain];
					const example = inPlaceOf(`${shown(plain.source, folder)} is not there`, plain.source, service);
					return example === null ? [] : [{ type: 'bind', source: example, target: plain.target, read_only: true }];
				}),
			);
		const lost = given.filter((/** @type {any} */ { source }) => whyLost(configs[source], look) !== null);
		if (lost.length === 0) continue;
		missing.configs.set(
			service,
			given.filter((/** @type {any} */ one) => !lost.includes(one)),
		);
		for (const { source } of lost) missing.said.push(`The config ${source} ${whyLost(configs[source], look)}: ${service} runs without it.`);
	}
	missing.said = [...new Set(missing.said)];
	return missing;
}

/** @type {(config: any, look: Look) => string | null} as a clause; null where it is there */
function whyLost({ external = false, file } = {}, look) {
	if (external) return 'is kept elsewhere';
	return file !== undefined && look.kindOf(literal(file)) === null ? 'is not there' : null;
}

/** @type {(path: string, folder: string) => string} */
function shown(path, folder) {
	const seen = relative(folder, path);
	return seen.startsWith('..') ? path : `./${seen}`;
}

/** For all folders of a run together: preflight asks for 3 GiB of disk. The lab's own choice. */
export const COPY_MOST_BYTES = 2e9;
/** Of the kernel and of what runs now: a copy of these would be of no use to anybody. */
const OF_MACHINE = /^\/(proc|sys|dev|boot|run|var\/run|(usr\/)?lib\/modules)(\/|$)/;
/** What a store is given to start with, and does not write: configurations, and scripts for its first start. */
const GIVEN = /^\/(etc|config|docker-entrypoint[^/]*)(\/|$)|\/(etc|conf|conf\.d|config|initdb\.d)(\/|$)/;
const PREFIX = 'doubletake-copy-';

/** @typedef {{ service: string, mount: any }} Mounting */

/**
 * @param {any} config  as Compose has resolved it
 * @param {Asked} asked
 * @returns {CopiedFolder[]} each once, in the order of services
 */
export function copiedFolders(config, { data, folder, look, keepsData }) {
	const chosen = Object.fromEntries(Object.entries(data).map(([name, choice]) => [look.real(resolve(folder, name)), choice]));
	const root = look.real(folder);
	const found = writableMounts(config).flatMap((mounting) => {
		const source = sourceOf(mounting, config, { folder, look, chosen });
		const isFolder = source !== null && look.kindOf(source) !== 'other' && !isMissing(mounting.mount, look);
		return isFolder ? [{ source, mounting }] : [];
	});
	let left = COPY_MOST_BYTES;
	const folders = [...grouped(found, ({ source }) => source)].map(([source, those], index) => {
		const mountings = those.map(({ mounting }) => mounting);
		const services = [...new Set(mountings.map(({ service }) => service))];
		const keeps = (/** @type {Mounting} */ { service, mount }) => keepsData(service) && !GIVEN.test(mount.target);
		const isStore = mountings.some(keeps) || look.isStore(source);
		const choice = chosen[source] ?? 'copy';
		const why = choice === 'copy' ? whyEmpty(source, { look, isStore, left }) : '';
		const isCopied = choice === 'copy' && why === '';
		if (isCopied) left -= look.sizeOf(source, left);
		const own = mountings.find(({ mount }) => mount.type === 'volume');
		return {
			...{ source, name: nameOf(source, root), services, why, isFile: look.kindOf(source) === 'file' },
			data: why === '' ? choice : 'empty',
			volume: own ? own.mount.source : `${PREFIX}${index + 1}`,
			without: REPORTS.startsWith(`${source.replace(/\/$/, '')}/`) ? [relative(source, REPORTS)] : [],
			device: '',
		};
	});
	return withParts(folders, config, { folder: root, look });
}

/**
 * What is mounted of a folder that the run has a copy of is of that copy, so that who reads it sees what others write. What is mounted of one that is
 * live is mounted before anybody writes into it: who does could put a link in its place. Of a file in it each has a copy.
 * @type {(folders: CopiedFolder[], config: any, given: Pick<Asked, 'folder' | 'look'>) => CopiedFolder[]}
 */
function withParts(folders, config, { folder, look }) {
	const outerOf = (/** @type {string} */ source, /** @type {Data} */ choice) =>
		folders.find(({ data, isFile, source: outer }) => data === choice && !isFile && source !== outer && isWithin(source, outer));
	const isInLive = (/** @type {string} */ source) => outerOf(source, 'live') !== undefined;
	const partOf = (/** @type {string} */ source) => {
		const outer = outerOf(source, 'copy');
		if (outer === undefined || look.volumesRoot === '') return '';
		return join(look.volumesRoot, `${config.name}_${outer.volume}`, '_data', relative(outer.source, source));
	};
	const known = new Set(folders.map(({ source }) => source));
	const read = [...new Set(bindSources(config).map(look.real))].filter(
		(source) => !known.has(source) && (partOf(source) !== '' || isInLive(source)) && ['folder', 'file'].includes(look.kindOf(source) ?? ''),
	);
	/** @type {(source: string, data: Data, volume: string) => CopiedFolder} */
	const partWith = (source, data, volume) => ({
		...{ source, name: nameOf(source, folder), services: [], data, why: '' },
		...{ isFile: look.kindOf(source) === 'file', volume, without: [], device: '' },
	});
	const bound = Object.entries(config.volumes ?? {}).flatMap(([key, volume]) => {
		const source = look.real(deviceOf(volume) ?? '/');
		return isInLive(source) && !known.has(source) ? [partWith(source, 'live', key)] : [];
	});
	const parts = read.map((source, index) => partWith(source, partOf(source) === '' ? 'live' : 'copy', `${PREFIX}part-${index + 1}`));
	// A file is copied by itself; a volume that is named in the file stays one.
	const isPart = (/** @type {CopiedFolder} */ { data, isFile, volume }) => data === 'copy' && !isFile && volume.startsWith(PREFIX);
	return [...folders, ...parts, ...bound].map((one) => {
		if (one.data === 'live' && isInLive(one.source)) return one.isFile ? { ...one, data: 'copy' } : { ...one, device: one.source };
		return isPart(one) ? { ...one, device: partOf(one.source) } : one;
	});
}

/** @param {any} config @returns {string[]} each once */
const bindSources = ({ services = {} }) => [
	...new Set(
		Object.values(services).flatMap(({ volumes = [] }) =>
			volumes.flatMap((/** @type {any} */ { type, source }) => (type === 'bind' ? [literal(source)] : [])),
		),
	),
];

/** @param {any} config @returns {Mounting[]} */
const writableMounts = ({ services = {} }) =>
	Object.entries(services).flatMap(([service, { volumes = [] }]) =>
		volumes.filter((/** @type {any} */ mount) => mount.read_only !== true).map((/** @type {any} */ mount) => ({ service, mount })),
	);

/**
 * The folder of this machine that it is, by its links; null where there is none, or one that no copy is made of: who has a copy of what is not even
 * to be read has read it.
 * @type {(mounting: Mounting, config: any, given: Pick<Asked, 'folder' | 'look'> & { chosen: Record<string, Data> }) => string | null}
 */
function sourceOf({ mount: { type, source = '' } }, config, { folder, look, chosen }) {
	const place = type === 'bind' ? literal(source) : type === 'volume' ? deviceOf(config.volumes?.[source]) : null;
	if (place === null) return null;
	const real = look.real(place);
	if (chosen[real] === 'empty') return real;
	return isSocketPath(real) || isOfMachine(real) || isGraveToRead(place, { folder, look }) ? null : real;
}

/** @type {(path: string, given: Pick<Asked, 'folder' | 'look'>) => boolean} */
export const isGraveToRead = (path, { folder, look: { volumesRoot, socket } }) =>
	graveOf(path, { writes: false, around: { folder, volumesRoot, socket } }) !== null;

/** A volume that is a folder of this machine by another name. @param {any} volume */
export const deviceOf = (volume) => placesOfVolume(volume).find(({ isBound }) => isBound)?.path ?? null;

/** @param {string} source  by its links */
export const isOfMachine = (source) => OF_MACHINE.test(source);

/** @type {(source: string, given: { look: Asked['look'], isStore: boolean, left: number }) => string} */
function whyEmpty(source, { look, isStore, left }) {
	if (look.kindOf(source) === null) return 'is not there';
	const open = isStore ? look.openBy(source) : null;
	if (open !== null) return open;
	return look.sizeOf(source, left) > left
		? `is more than is left of the ${COPY_MOST_BYTES / 1e9} GB that a run copies, or has more than ${ENTRIES_MOST.toLocaleString('en-US')} files`
		: '';
}

/** @type {(source: string, folder: string) => string} */
function nameOf(source, folder) {
	const seen = relative(folder, source);
	if (seen === '') return '.';
	return seen.startsWith('..') ? source : `./${seen}`;
}

/**
 * @param {CopiedFolder[]} folders
 * @returns {string[]} a sentence for those that are copied, one for those that are empty, one for those that are not
 */
export function aboutFolders(folders) {
	const of = (/** @type {Data} */ data) => folders.filter((one) => one.data === data && one.services.length > 0);
	const [copied, empty, live] = [of('copy'), of('empty'), of('live')];
	const because = (/** @type {CopiedFolder} */ { name, why }) => (why === '' ? name : `${name} (${why})`);
	return [
		...(copied.length > 0 ? [`${listed(copied)}: services write into a copy of the run’s; yours stays as it is.`] : []),
		...(empty.length > 0 ? [`${empty.map(because).join(', ')}: empty in the run; yours stays as it is.`] : []),
		...(live.length > 0 ? [`${listed(live)}: services write into your own (data: live), and what a run writes stays there.`] : []),
	];
}

/** @param {CopiedFolder[]} folders */
const listed = (folders) => folders.map(({ name }) => name).join(', ');

/*
 * Values for secrets and variables that a user's files name and do not have. Each is the same in all runs: what is compared is to be one
 * system.
 */

const LETTERS = 32;

/** @param {string} name  of a variable or a secret */
export const madeUp = (name) => createHash('sha256').update(`doubletake ${name}`).digest('hex').slice(0, LETTERS);

/** By the last words of a name. */
const FOLDER = /(^|_)(dir|directory|path|folder|location|root|data|storage|volumes?)$/i;
const PORT = /(^|_)port$/i;
const TAG = /(^|_)(tag|version|release)$/i;
/** First match wins. Names of hosts are such by which nobody outside is reached. @type {[RegExp, (name: string) => string][]} */
const LIKELY = [
	[SECRET_NAME, madeUp],
	[FOLDER, (name) => `./${name.toLowerCase()}`],
	[PORT, () => '8080'],
	[TAG, () => 'latest'],
	[/(^|_)(domain|host|hostname|fqdn)(_name)?$/i, () => 'localhost'],
	[/(^|_)(url|uri|origin)$/i, () => 'http://localhost'],
	[/mail(_(from|address))?$/i, () => 'doubletake@localhost'],
	[/(^|_)p?[ug]id$/i, () => '1000'],
	[/(^|_)(tz|timezone)$/i, () => 'UTC'],
];

/** What such a variable may well hold. @param {string} name */
export const likelyValue = (name) => LIKELY.find(([pattern]) => pattern.test(name))?.[1](name) ?? 'doubletake';

/** Whether its place in a file can seldom be empty: a mount, a port, the tag of an image. @param {string} name */
export const isOfPlace = (name) => [FOLDER, PORT, TAG].some((pattern) => pattern.test(name));

/** @param {string} name */
export const isTag = (name) => TAG.test(name);
