/**
 * Folders and files of this machine into which services may write: of each a run has a copy, so that what is written under load does not
 * stay. Here it is decided which; lab/run/project/open-view.ts makes them.
 */

import { basename, join, relative, resolve } from 'node:path';
import { isNamedAsFile } from '../adapters/file-names.ts';
import { REPORTS } from '../base/paths.ts';
import { grouped } from '../base/values.ts';
import type { Data } from '../catalog/mount-data.ts';
import { literal } from './compose-changes.ts';
import { ENTRIES_MOST, type Look } from './dockerfile.ts';
import { exampleOf } from './example-file.ts';
import { placesOfVolume } from './given-paths.ts';
import { graveOf } from './grave-places.ts';
import { follow, isWithin } from './real-path.ts';
import { isSocketPath } from './sockets.ts';

export type CopiedFolder = {
	/** of this machine */
	source: string;
	/** as doubletake.yaml has it */
	name: string;
	/** that may write; of a part that others only read none */
	services: string[];
	/** what becomes of it */
	data: Data;
	/** it is empty though nobody wrote so, as a clause; empty where that is not so */
	why: string;
	isFile: boolean;
	/** of the run, in its place; of a file its name in a folder of the run's */
	volume: string;
	/** folders in it that are left out, as seen from it */
	without: string[];
	/** of a part of another copy, where the engine has that; of a part of what is live, itself; empty where it is neither */
	device: string;
};

export type Asked = {
	/** by name */
	data: Record<string, Data>;
	/** that names are seen from */
	folder: string;
	/** from which Compose sees relative paths; the folder unless given */
	base?: string;
	look: Look;
	/** whether it is a database, a queue or a cache */
	keepsData: (service: string) => boolean;
};

/**
 * Files of this machine that a Compose file hands to its services, and that are not there. The engine would make an empty folder of the
 * superuser's of each, in the user's own, and the service would fail at that. A run has an example of it in its place where there is one;
 * else it leaves the mount out, so that the service has what its image has there.
 */
export type Missing = {
	/** by service, all that it has then, of those that lack one */
	mounts: Map<string, any[]>;
	/** the same of Compose's configs */
	configs: Map<string, any[]>;
	/** a sentence each */
	said: string[];
};

/**
 * Whether a mount is of a file that is not there. Of what a service may write to, that is known by its name alone: a folder is made on purpose.
 */
function isMissing({ type, source = '', target = '', read_only: readOnly = false }: any, look: Look) {
	const place = literal(source);
	if (type !== 'bind' || isSocketPath(look.real(place))) return false;
	const isOfFile = isNamedAsFile(place) && isNamedAsFile(literal(target));
	if (look.kindOf(place) === null) return readOnly || isOfFile;
	// An engine made it of a file that was not there when somebody started the stack.
	return isOfFile && look.isEmptyFolder(place);
}

/**
 * @param config as Compose has resolved it
 * @param given isCopied: a folder that the run has in another's place
 */
export function missingFiles(
	{ services = {}, configs = {} }: any,
	{ look, folder, isCopied }: { look: Look; folder: string; isCopied: (source: string) => boolean },
): Missing {
	const missing: Missing = { mounts: new Map(), configs: new Map(), said: [] };
	const isThere = (path: string) => look.kindOf(path) === 'file';
	/** what is in its place */
	const inPlaceOf: (what: string, place: string, service: string) => string | null = (what, place, service) => {
		const example = place === '' ? null : exampleOf(place, isThere);
		missing.said.push(
			example === null
				? `${what}: ${service} runs without it, with what its image has there.`
				: `${what}: ${basename(example)} is read in its place.`,
		);
		return example;
	};
	for (const [service, { volumes = [], configs: given = [] }] of Object.entries<any>(services)) {
		// What this user may not see is there for the engine.
		const isHidden = (place: string) => follow(place).state === 'unseen' && isGraveToRead(place, { folder, look });
		const isGone = (mount: any) => isMissing(mount, look) && !isCopied(literal(mount.source)) && !isHidden(literal(mount.source));
		if (volumes.some(isGone))
			missing.mounts.set(
				service,
				volumes.flatMap((mount: any) => {
					const plain = { ...mount, source: literal(mount.source), target: literal(mount.target) };
					if (!isGone(mount)) return [mount.source === undefined ? mount : plain];
					const example = inPlaceOf(`${shown(plain.source, folder)} is not there`, plain.source, service);
					return example === null ? [] : [{ type: 'bind', source: example, target: plain.target, read_only: true }];
				}),
			);
		const lost = given.filter(({ source }: any) => whyLost(configs[source], look) !== null);
		if (lost.length === 0) continue;
		missing.configs.set(
			service,
			given.filter((one: any) => !lost.includes(one)),
		);
		for (const { source } of lost) missing.said.push(`The config ${source} ${whyLost(configs[source], look)}: ${service} runs without it.`);
	}
	missing.said = [...new Set(missing.said)];
	return missing;
}

/** as a clause; null where it is there */
function whyLost({ external = false, file }: any = {}, look: Look): string | null {
	if (external) return 'is kept elsewhere';
	return file !== undefined && look.kindOf(literal(file)) === null ? 'is not there' : null;
}

function shown(path: string, folder: string): string {
	const seen = relative(folder, path);
	return seen.startsWith('..') ? path : `./${seen}`;
}

/** For all folders of a run together: preflight asks for 3 GiB of disk. */
export const COPY_MOST_BYTES = 2e9;
/** Of the kernel and of what runs now: a copy of these would be of no use to anybody. */
const OF_MACHINE = /^\/(proc|sys|dev|boot|run|var\/run|(usr\/)?lib\/modules)(\/|$)/;
/** What a store is given to start with, and does not write: configurations, and scripts for its first start. */
const GIVEN = /^\/(etc|config|docker-entrypoint[^/]*)(\/|$)|\/(etc|conf|conf\.d|config|initdb\.d)(\/|$)/;
const PREFIX = 'doubletake-copy-';

type Mounting = { service: string; mount: any };

/**
 * @param config as Compose has resolved it
 * @returns each once, in the order of services
 */
export function copiedFolders(config: any, { data, folder, look, keepsData }: Asked): CopiedFolder[] {
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
		const keeps = ({ service, mount }: Mounting) => keepsData(service) && !GIVEN.test(mount.target);
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
 */
function withParts(folders: CopiedFolder[], config: any, { folder, look }: Pick<Asked, 'folder' | 'look'>): CopiedFolder[] {
	const outerOf = (source: string, choice: Data) =>
		folders.find(({ data, isFile, source: outer }) => data === choice && !isFile && source !== outer && isWithin(source, outer));
	const isInLive = (source: string) => outerOf(source, 'live') !== undefined;
	const partOf = (source: string) => {
		const outer = outerOf(source, 'copy');
		if (outer === undefined || look.volumesRoot === '') return '';
		return join(look.volumesRoot, `${config.name}_${outer.volume}`, '_data', relative(outer.source, source));
	};
	const known = new Set(folders.map(({ source }) => source));
	const read = [...new Set(bindSources(config).map(look.real))].filter(
		(source) => !known.has(source) && (partOf(source) !== '' || isInLive(source)) && ['folder', 'file'].includes(look.kindOf(source) ?? ''),
	);
	const partWith: (source: string, data: Data, volume: string) => CopiedFolder = (source, data, volume) => ({
		...{ source, name: nameOf(source, folder), services: [], data, why: '' },
		...{ isFile: look.kindOf(source) === 'file', volume, without: [], device: '' },
	});
	const bound = Object.entries<any>(config.volumes ?? {}).flatMap(([key, volume]) => {
		const source = look.real(deviceOf(volume) ?? '/');
		return isInLive(source) && !known.has(source) ? [partWith(source, 'live', key)] : [];
	});
	const parts = read.map((source, index) => partWith(source, partOf(source) === '' ? 'live' : 'copy', `${PREFIX}part-${index + 1}`));
	// A file is copied by itself; a volume that is named in the file stays one.
	const isPart = ({ data, isFile, volume }: CopiedFolder) => data === 'copy' && !isFile && volume.startsWith(PREFIX);
	return [...folders, ...parts, ...bound].map((one) => {
		if (one.data === 'live' && isInLive(one.source)) return one.isFile ? { ...one, data: 'copy' } : { ...one, device: one.source };
		return isPart(one) ? { ...one, device: partOf(one.source) } : one;
	});
}

/** @returns each once */
const bindSources = ({ services = {} }: any): string[] => [
	...new Set(
		Object.values<any>(services).flatMap(({ volumes = [] }) =>
			volumes.flatMap(({ type, source }: any) => (type === 'bind' ? [literal(source)] : [])),
		),
	),
];

const writableMounts = ({ services = {} }: any): Mounting[] =>
	Object.entries<any>(services).flatMap(([service, { volumes = [] }]) =>
		volumes.filter((mount: any) => mount.read_only !== true).map((mount: any) => ({ service, mount })),
	);

/**
 * The folder of this machine that it is, by its links; null where there is none, or one that no copy is made of: who has a copy of what is not even
 * to be read has read it.
 */
function sourceOf(
	{ mount: { type, source = '' } }: Mounting,
	config: any,
	{ folder, look, chosen }: Pick<Asked, 'folder' | 'look'> & { chosen: Record<string, Data> },
): string | null {
	const place = type === 'bind' ? literal(source) : type === 'volume' ? deviceOf(config.volumes?.[source]) : null;
	if (place === null) return null;
	const real = look.real(place);
	if (chosen[real] === 'empty') return real;
	return isSocketPath(real) || isOfMachine(real) || isGraveToRead(place, { folder, look }) ? null : real;
}

export const isGraveToRead: (path: string, given: Pick<Asked, 'folder' | 'look'>) => boolean = (
	path,
	{ folder, look: { volumesRoot, socket } },
) => graveOf(path, { writes: false, around: { folder, volumesRoot, socket } }) !== null;

/** A volume that is a folder of this machine by another name. */
export const deviceOf = (volume: any) => placesOfVolume(volume).find(({ isBound }) => isBound)?.path ?? null;

/** @param source by its links */
export const isOfMachine = (source: string) => OF_MACHINE.test(source);

function whyEmpty(source: string, { look, isStore, left }: { look: Asked['look']; isStore: boolean; left: number }): string {
	if (look.kindOf(source) === null) return 'is not there';
	const open = isStore ? look.openBy(source) : null;
	if (open !== null) return open;
	return look.sizeOf(source, left) > left
		? `is more than is left of the ${COPY_MOST_BYTES / 1e9} GB that a run copies, or has more than ${ENTRIES_MOST.toLocaleString('en-US')} files`
		: '';
}

function nameOf(source: string, folder: string): string {
	const seen = relative(folder, source);
	if (seen === '') return '.';
	return seen.startsWith('..') ? source : `./${seen}`;
}

/** @returns a sentence for those that are copied, one for those that are empty, one for those that are not */
export function aboutFolders(folders: CopiedFolder[]): string[] {
	const of = (data: Data) => folders.filter((one) => one.data === data && one.services.length > 0);
	const [copied, empty, live] = [of('copy'), of('empty'), of('live')];
	const because = ({ name, why }: CopiedFolder) => (why === '' ? name : `${name} (${why})`);
	return [
		...(copied.length > 0 ? [`${listed(copied)}: services write into a copy of the run’s; yours stays as it is.`] : []),
		...(empty.length > 0 ? [`${empty.map(because).join(', ')}: empty in the run; yours stays as it is.`] : []),
		...(live.length > 0 ? [`${listed(live)}: services write into your own (data: live), and what a run writes stays there.`] : []),
	];
}

const listed = (folders: CopiedFolder[]) => folders.map(({ name }) => name).join(', ');
