/**
 * What a run could harm that is not its own: data that was there before, other containers, the machine. Nothing is changed here;
 * what is found is printed, and the gravest of it keeps a run from starting.
 *
 * Volumes, networks and folders that a service may write to are the copy's own (project-copy.ts): what is looked at here is the copy, and
 * what it would still share with the machine.
 */

import { isIPv6 } from 'node:net';
import { isAbsolute } from 'node:path';
import { NotReadyError } from '../base/errors.ts';
import { shellWord } from '../base/format-command.ts';
import { lineWithCodes } from '../base/hidden-characters.ts';
import { grouped } from '../base/values.ts';
import { replicasOf } from '../docker/compose.ts';
import { literal } from './compose-changes.ts';
import type { CopiedFolder } from './copied-folders.ts';
import type { Look } from './dockerfile.ts';
import { sentOf } from './dockerfile.ts';
import type { Given } from './given-paths.ts';
import { builtBy, fetchedBy, givenPaths, imagesBy } from './given-paths.ts';
import type { Around as AroundOfGravePlaces, Grave } from './grave-places.ts';
import { graveOf } from './grave-places.ts';
import { hostsAskedBy } from './host-names.ts';
import { ofBuild, ofPrivileges, refuse, warn } from './privileges.ts';
import { follow, inodeKind, isWithin, passedIn } from './real-path.ts';
import { isSocketPath, socketsIn } from './sockets.ts';

export type Danger = {
	service: string;
	/** found; a clause whose subject is the service */
	what: string;
	/** it could do harm */
	why: string;
	/** what to do, as an order */
	remedy: string;
	/** refuse: no run unless the user allows it */
	severity: 'refuse' | 'warn';
	/** a program of this machine that listens or reads there, by its path without links */
	reaches?: string;
};

export type Found = Omit<Danger, 'service'>;

/** In a command, an image or the name of a variable. */
const CERTIFICATES = /\.acme\.|acme\.sh|acme-companion|letsencrypt|certbot/i;
const LOOPBACK = /^(127\.|0\.0\.0\.0$)/;

export type Around = {
	look?: Pick<Look, 'sharesSockets' | 'volumesRoot' | 'socket' | 'openMounts'>;
	/** of doubletake.yaml, in which Compose is called */
	folder?: string;
	/** from which Compose sees relative paths: that of the first of its files; the folder unless given */
	base?: string;
	/** of the user */
	home?: string;
	/** devices of volumes that are parts of the run's own copies */
	own?: string[];
	/** folders of the user's own into which services write, without links */
	live?: string[];
	/** devices of volumes that are mounted before any service starts */
	held?: string[];
	/** by the user, by its path without links */
	isAllowed?: (path: string) => boolean;
};

/**
 * @param config as Compose has resolved it under the run's own project name
 * @returns in the order of services; empty where nothing was found
 */
export function dangersOf(config: any, around: Around = {}): Danger[] {
	const services = Object.entries<any>(config.services ?? {});
	const ownNames = new Set(services.flatMap(([service, found]) => namesOf(service, found)));
	const ownAddresses = new Set(services.flatMap(([, { networks }]) => Object.values<any>(networks ?? {}).flatMap(addressesOf)));
	const counts = services.map(([, found]) => replicasOf(found)).sort((one, other) => one - other);
	const all = counts.reduce((sum, count) => sum + count, 0);
	return services.flatMap(([service, found]) => {
		const dangers: Found[] = [
			...(replicasOf(found) === counts.at(-1) ? ofContainers(replicasOf(found), all) : []),
			...ofContext(found, around),
			...givenPaths(found, config, seenFrom(around)).flatMap((given) => ofPath(given, around)),
			...(found.volumes_from ?? []).flatMap(ofForeignVolumes),
			...ofRelabelled(found, around),
			...ofLinks(found),
			...ofPrivileges(found, around),
			...ofOwnNames(namesOf(service, found)),
			...ofNames(found, ownAddresses),
			...ofBuild(found),
			...ofFetched(found, config),
			...ofOutside(found, ownNames),
			...ofCertificates(found),
			...ofProvider(found),
		];
		return dangers.map((danger) => ({ service, ...danger }));
	});
}

const seenFrom = ({ folder = '/', base = folder }: Around) => [...new Set([folder, base])];

/**
 * @param options allowData: the user has said that all of it may be done
 * @throws {NotReadyError} with everything that is refused
 */
export function refuseDangers(dangers: Danger[], { allowData = false }: { allowData?: boolean } = {}) {
	const refused = dangers.filter(({ severity }) => severity === 'refuse');
	if (refused.length === 0 || allowData) return;
	const lines = refused.map(({ service, what, why, remedy }) => `\n    ${service} ${what}: ${why}.\n      To avoid it: ${remedy}.`);
	throw new NotReadyError(
		`The Compose file: expected nothing that a run could harm; found:${lines.join('')}`,
		'change it in a second Compose file, and name that under "compose" in doubletake.yaml; or allow all of it with --allow.',
	);
}

/**
 * What is read or written again while services run, as Compose's files are to begin the load: nobody has looked at what a service puts there.
 * @param isAllowed by the user, by its path without links
 * @throws {NotReadyError} when a service may write to one of them
 */
export function refuseLive(paths: () => string[], folders: CopiedFolder[], isAllowed: (path: string) => boolean) {
	const live = folders.filter(({ data, services }) => data === 'live' && services.length > 0);
	for (const path of live.length > 0 ? paths() : []) {
		const { real } = follow(path);
		for (const { name, source, services } of live) {
			const place = passedIn(path, source) ?? (isWithin(source, real) ? real : null);
			if (place === null || isAllowed(place)) continue;
			throw new NotReadyError(
				`data, ${name}: live: expected a folder without Compose files, script and reports, which a run reads and writes while services run; found ${lineWithCodes(path)}${place === real ? '' : `, by way of ${lineWithCodes(place)}`}, which ${services.join(', ')} could replace.`,
				`write "copy", or mount another folder; or add --allow=${shellWord(place)} to the command.`,
			);
		}
	}
}

/**
 * What lies outside of the user's folder and reaches containers all the same. It is no danger by that, and nobody who looks at the folder alone sees it.
 * A program of this machine that listens at a socket is outside wherever the socket lies.
 */
export type Outside = {
	/** without links; of a context as the file says it */
	path: string;
	/** services that have it */
	by: string[];
	/** one of them may write to it */
	writes: boolean;
	/** what of it they have; a context: what their builds get from another machine; an image: of a registry near by */
	as: '' | 'a copy' | 'a socket' | 'a context' | 'an image';
};

/** a file, as it is named and without links */
export type Away = { path: string; real: string };

/** @param config of the copy */
export function outsideOf(
	config: any,
	around: Around,
	{
		original,
		isOwn,
		copied,
		dangers,
		allowData,
	}: {
		/** of which it is the copy */
		original: any;
		/** the user's, or the run's */
		isOwn: (real: string) => boolean;
		/** sources of what is copied for the run, without links */
		copied: string[];
		/** those that keep the run from starting name their paths themselves */
		dangers: Danger[];
		allowData: boolean;
	},
): Outside[] {
	const ending = allowData ? [] : dangers.filter(({ severity }) => severity === 'refuse');
	const all = Object.entries<any>(config.services ?? {}).flatMap(([service, found]) => {
		const given = givenPaths(found, config, seenFrom(around)).flatMap(({ path, writes, by }) => {
			const { real } = follow(path);
			// Files of variables are named where they are followed (variable-files.ts).
			const isKnown = by === 'variables' || around.own?.includes(path);
			return isKnown || ending.some((danger) => danger.service === service && danger.what.includes(path)) ? [] : [{ real, writes }];
		});
		const before = givenPaths(original.services[service], original, seenFrom(around)).filter(({ by }) => by === 'mount' || by === 'volume');
		const copies = before.map(({ path }) => follow(path).real).filter((real) => copied.includes(real));
		const reached = dangers.flatMap((danger) => (danger.service === service ? (danger.reaches ?? []) : []));
		return [
			...given.filter(({ real }) => !isOwn(real) && !reached.includes(real)).map((one) => ({ ...one, as: '' as const })),
			...copies.filter((real) => !isOwn(real)).map((real) => ({ real, writes: false, as: 'a copy' as const })),
			...reached.map((real) => ({ real, writes: true, as: 'a socket' as const })),
			...fetchedBy(found, config).map((real) => ({ real, writes: false, as: 'a context' as const })),
			...imagesBy(found, config)
				.filter(isNear)
				.map((real) => ({ real, writes: false, as: 'an image' as const })),
		].map((one) => ({ ...one, service }));
	});
	return [...grouped(all, ({ real, as }) => `${as} ${real}`).values()].map((those) => ({
		...{ path: those[0].real, by: [...new Set(those.map(({ service }) => service))], as: those[0].as },
		writes: those.some(({ writes }) => writes),
	}));
}

/**
 * @param read Compose files that those of the user include or extend, and files of variables, that lie there too
 * @returns a sentence of files, one of what builds get from other machines, one of registries
 */
export const aboutOutside = (outside: Outside[], { parts, variables }: { parts: string[]; variables: Away[] }): string[] => {
	const [fetched, asked] = ['a context', 'an image'].map((kind) =>
		outside.flatMap(({ path, by, as }) => (as === kind ? `${path} (${by.join(', ')})` : [])).join('; '),
	);
	const files = outside.filter(({ as }) => as !== 'a context' && as !== 'an image');
	const named = [
		...parts.map((path) => `${path} (a part of the Compose file)`),
		...variables.map(({ path, real }) => `${real} (variables${real === path ? '' : `, by the link ${path}`})`),
		...files.map(({ path, by, writes, as }) => `${path} (${[...by, as || (writes ? 'for writing' : [])].flat().join(', ')})`),
	];
	return [
		...(named.length === 0 ? [] : [`These files outside the folder reach containers: ${named.join('; ')}.`]),
		...(fetched === '' ? [] : [`These builds are made of what another machine gives; to avoid it, get it and name the copy: ${fetched}.`]),
		...(asked === '' ? [] : [`A registry on this machine or its network is asked for these images, if they are not here: ${asked}.`]),
	];
};

const OTHER_SOCKET = 'the program of this machine that listens there may get part of the load';
const OF_SOCKET = 'the program of this machine that listens there may do for it what its own user may';
/** Of what is mounted below a folder. */
const MOUNTS_NAMED = 3;
const OF_OPEN = 'a read-only mount is so for the folder itself alone with this engine';
const OF_PIPE = 'what reads from it or writes into it may be another program of this machine, which does what it is told there';
const OF_LIVE = 'a service writes there (data: live), and could put a link to anywhere in its place';
const UNSEEN = 'this user may not look at it, so that nobody knows where its links lead';
const MOST_FILES = 'it has more files than are looked at, and a socket of a program of this machine may lie among them';

function ofPath(
	given: Given,
	{ look, folder = '', home, own: copies = [], live = [], held = [], isAllowed = () => false }: Around,
): Found[] {
	const { path, writes, by } = given;
	if (copies.includes(path)) return [];
	const { volumesRoot, socket } = look ?? {};
	const known = { folder, home, volumesRoot, socket };
	const grave = graveOf(path, { writes, around: known });
	if (grave !== null) {
		const only = by === 'mount' && graveOf(path, { writes: false, around: known }) === null;
		const said = clauseOf(given, grave);
		const found = refuse(
			said.what,
			`${grave.why}${grave.isSocket && look?.sharesSockets === false ? ELSEWHERE : ''}`,
			by === 'mount' && grave.isSocket ? IN_A_FILE : remedyFor(given, only),
		);
		return [isAllowed(grave.path) ? { ...found, severity: 'warn' } : found];
	}
	const { real, state, through } = follow(path, { home });
	const gets = { mount: 'mounts', volume: 'mounts', build: 'is built with' }[by as string] ?? 'is given';
	// A build is over before any service writes.
	const placeIn = (one: string) => (by === 'build' ? through.find((link) => isWithin(link, one)) : passedIn(path, one));
	const outer = live.find((one) => ![undefined, one].includes(placeIn(one)));
	const place = outer && placeIn(outer);
	if (outer && place && !(by === 'volume' && held.includes(path))) {
		const how = isWithin(real, outer) ? `lies in ${outer}` : `leads through ${place}`;
		const found = refuse(`${gets} ${path}, which ${how}`, OF_LIVE, 'write "copy" for that folder under data in doubletake.yaml');
		return [isAllowed(place) ? { ...found, severity: 'warn' } : found];
	}
	if (state === 'unseen') return [warn(clauseOf(given, { path: real, isSocket: false }).what, UNSEEN, 'run this as who may look at it')];
	if (by === 'build') return [];
	if (by === 'variables') return [];
	const own = folder === '' ? null : follow(folder).real;
	const open = (look?.openMounts ?? []).filter((one) => one !== real && isWithin(one, real) && !(own !== null && isWithin(one, own)));
	if (!writes && open.length > 0) {
		const what = `can write to ${open.slice(0, MOUNTS_NAMED).join(', ')} of this machine, mounted below ${path}`;
		const found = refuse(what, OF_OPEN, 'mount the folder that it needs, or use Docker 25 or later');
		return [isAllowed(real) ? { ...found, severity: 'warn' } : found];
	}
	if (inodeKind(real) === 'pipe') {
		const found = refuse(`${gets} ${path}, a pipe`, OF_PIPE, 'leave it out');
		return [isAllowed(real) ? { ...found, severity: 'warn' } : found];
	}
	if (isSocketPath(real)) return [ofSocket(`${gets} ${path}`, real, 'leave it out', { known, isAllowed })];
	return inodeKind(real) === 'folder' ? ofFolder(path, real, { known, isAllowed }) : [];
}

/** In the system's own folder nobody listens but who the user started there. */
function ofSocket(
	what: string,
	real: string,
	remedy: string,
	{ known, isAllowed }: { known: AroundOfGravePlaces; isAllowed: (path: string) => boolean },
): Found {
	const isOwn = known.folder !== '' && isWithin(real, follow(known.folder ?? '').real);
	const isLive = inodeKind(real) === 'socket' && !isOwn && !isAllowed(real);
	return isLive
		? refuse(what, OF_SOCKET, `${remedy}, or add --allow=${shellWord(real)}`)
		: { ...warn(what, OTHER_SOCKET, remedy), ...reached(real) };
}

/** What lies in it is there for a service that only reads it, too. */
function ofFolder(
	path: string,
	real: string,
	{ known, isAllowed }: { known: AroundOfGravePlaces; isAllowed: (path: string) => boolean },
): Found[] {
	// The kernel's own are no files.
	if (['/proc', '/sys', '/dev'].some((one) => isWithin(real, one))) return [];
	const { sockets, pipes, isWhole } = socketsIn(real);
	const isOwn = known.folder !== '' && isWithin(real, follow(known.folder ?? '').real);
	const inside = sockets.map((socket) => {
		const grave = graveOf(socket, { writes: false, around: known });
		const what = `mounts ${path}, in which the socket ${socket} lies`;
		if (grave === null || isAllowed(grave.path)) return ofSocket(what, socket, 'leave out the mount', { known, isAllowed });
		return refuse(what, grave.why, 'mount the folder that it needs');
	});
	// Whoever has it writes into it, even through a read-only mount.
	const piped = pipes.map((pipe) => {
		const found = refuse(`mounts ${path}, in which the pipe ${pipe} lies`, OF_PIPE, 'mount the folder that it needs');
		return isAllowed(pipe) ? { ...found, severity: 'warn' as const } : found;
	});
	const unseen = isWhole || isOwn ? [] : [warn(`mounts ${path}`, MOST_FILES, 'mount the folder that it needs')];
	return [...inside, ...piped, ...unseen];
}

/** What is not there nobody listens at. */
const reached = (real: string) => (inodeKind(real) === 'socket' ? { reaches: real } : {});

const ELSEWHERE = '; a run could give it one that can only read, if the engine listened at a socket of this machine, which it does not';
const IN_A_FILE = 'leave out the mount; a second Compose file can give a proxy its servers in a file';
/** Links that a machine has of its own, and of which nobody needs to be told. */
const LINK_OF_MACHINE = /^\/(var\/(run|lock)|s?bin|lib\w*|etc|var|tmp|home)$/;

function clauseOf({ path, writes, by, name }: Given, { path: real, isSocket }: Pick<Grave, 'path' | 'isSocket'>): { what: string } {
	const { through } = follow(path);
	const leads = through.every((link) => LINK_OF_MACHINE.test(link)) ? '' : `, which leads to ${real}`;
	const place = `${path} of this machine`;
	if (by === 'mount' && isSocket) return { what: `mounts ${place}${leads}` };
	const may = writes ? 'can write to' : 'can read';
	const clauses: Record<Given['by'], string> = {
		mount: `${may} ${place} (mounted at ${name})${leads}`,
		volume: `${may} ${place} (by the volume ${name})${leads}`,
		config: `is given ${place} (by the config ${name})${leads}`,
		secret: `is given ${place} (by the secret ${name})${leads}`,
		variables: `is given ${place} (by its env_file)${leads}`,
		build: `is built with ${place} (${name})${leads}`,
	};
	return { what: clauses[by] };
}

function remedyFor({ by }: Given, isByWriting: boolean): string {
	if (by === 'mount')
		return isByWriting
			? 'mount the folder that it needs, or mount it read-only (":ro")'
			: 'mount the folder that it needs, or leave it out';
	if (by === 'volume') return 'leave out driver_opts';
	return by === 'build' ? 'name a folder of its own under build' : 'name a file of its own';
}
const SENT_MOST_BYTES = 5e9;

function ofContext({ build }: any, { isAllowed = () => false }: Around): Found[] {
	const { real } = follow(literal(build?.context ?? ''));
	if (!build?.context || isAllowed(real)) return [];
	// Beside a Dockerfile that stands in the Compose file there is no list of its own.
	const file = build.dockerfile_inline === undefined ? (build.dockerfile ?? 'Dockerfile') : null;
	const others = Object.values<any>(build.additional_contexts ?? {}).filter((one) => typeof one === 'string' && isAbsolute(one));
	const sent = [[real, file] as const, ...others.map((one) => [follow(literal(one)).real, null] as const)].map(([root, list]) =>
		sentOf(root, list, SENT_MOST_BYTES),
	);
	const bytes = sent.reduce((all, one) => all + one.bytes, 0);
	const { largest } = sent.toSorted((one, other) => other.bytes - one.bytes)[0];
	const what = `is built from at least ${(bytes / 1e9).toFixed(1)} GB in ${real}, most of it ${largest}`;
	const remedy = `write what it does not need into .dockerignore, or add --allow=${shellWord(real)}`;
	return bytes > SENT_MOST_BYTES ? [refuse(what, 'all is copied, and expected are at most 5 GB', remedy)] : [];
}

/** The builder asks there as a program of this machine does; at the second a cloud tells a machine its keys. */
const OF_MACHINE =
	/^(localhost|.*\.localhost|127(\.\d+){3}|169\.254(\.\d+){2}|0\.0\.0\.0|\[(::1?|::ffff:(7f|a9fe|0:0).*|fe80:.*)\]|host\.docker\.internal)\.?$/i;

/** user@host:path, as ssh has it, or an address. */
const hostOf = (text: string) =>
	/^[\w.+-]+@([^:/]+):/.exec(text)?.[1] ??
	// Of an address of a network card its name stands behind a percent sign.
	URL.parse(text.replace(/^[^:]+:/, 'http:').replace(/%[^\]/]*\]/, ']'))?.hostname ??
	// Where a builder asks that is not to be known, this machine may be.
	'localhost';

/** By a name that no other network knows, or a private address. */
const NEAR =
	/^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|\[f[cd]|[^.[]*$|.*\.(local|internal|lan|home|test|arpa)$)/i;

/** Of an image: before its first slash only what has a dot, a port or is the machine itself is a registry. */
function isNear(image: string): boolean {
	const [, registry] = /^([^/]*[.:][^/]*|localhost)\//.exec(image) ?? [];
	const host = registry === undefined ? '.' : hostOf(`http://${registry}/`);
	return OF_MACHINE.test(host) || NEAR.test(host);
}

function ofFetched(found: any, config: any): Found[] {
	const { unclear, unread } = builtBy(found, config);
	return [
		...fetchedBy(found, config)
			.filter((text) => OF_MACHINE.test(hostOf(text)))
			.map((text) =>
				refuse(`is built with what ${text} gives`, 'a program of this machine alone answers there', 'get it, and copy it from the folder'),
			),
		...unclear.map(({ line, word }) =>
			refuse(
				`is built with what ${word} gives (line ${line} of its Dockerfile)`,
				'it may be an address of this machine, which only the builder knows',
				'write COPY in place of ADD, or a name that begins as a path or an address does',
			),
		),
		...(unread
			? [refuse(`is built by ${unread.path} (${unread.why})`, 'nobody knows what a builder gets for it', 'put a file of its own there')]
			: []),
	];
}

/** A bridge of the kernel has 1,023 ports (BR_PORT_BITS), and each container needs one. */
const CONTAINERS_MOST = 1000;

const ofContainers: (own: number, all: number) => Found[] = (own, all) =>
	all > CONTAINERS_MOST
		? [refuse(`has ${own} of ${all} containers`, `a network takes ${CONTAINERS_MOST}`, 'write fewer under deploy.replicas or scale')]
		: [];

/** @param from a service, or a container that is not the run's */
const ofForeignVolumes = (from: unknown): Found[] =>
	String(from).startsWith('container:')
		? [refuse('uses the volumes of a container that is not the run’s', 'what the run writes stays in them', 'leave out volumes_from')]
		: [];

const ofLinks = ({ external_links: links = [] }: any): Found[] =>
	links.length === 0
		? []
		: [refuse(`reaches ${links.join(', ')}, which the run does not make`, 'part of the load may get there', 'leave out external_links')];

/**
 * `:z` and `:Z` have the engine give each file there another label of SELinux, for good.
 * https://docs.docker.com/engine/storage/bind-mounts/#configure-the-selinux-label
 */
const ofRelabelled: (found: any, around: Around) => Found[] = ({ volumes = [] }, { folder = '/', own = [], isAllowed = () => false }) =>
	volumes.flatMap(({ type, source = '', bind }: any) => {
		if (type !== 'bind' || !bind?.selinux || own.includes(source)) return [];
		const { real } = follow(source);
		return isWithin(real, follow(folder).real) || isAllowed(real)
			? []
			: [refuse(`labels ${source} anew`, 'programs of this machine may lose what lies there', `leave out :${bind.selinux}`)];
	});

function ofNames({ extra_hosts: hosts = [], dns = [], build }: any, ownAddresses: Set<unknown>): Found[] {
	const asked = [dns].flat().filter((address) => !LOOPBACK.test(address) && !ownAddresses.has(address));
	const machines = otherMachines(hosts).join(', ');
	const ofBuild = build?.extra_hosts ?? [];
	const byBuild = [...otherMachines(ofBuild), ...(JSON.stringify(ofBuild).includes('host-gateway') ? ['this machine'] : [])].join(', ');
	const rules: [boolean, Found][] = [
		[
			JSON.stringify(hosts).includes('host-gateway'),
			warn('has a name for this machine', 'what listens here may get part of the load', 'leave out extra_hosts'),
		],
		[
			asked.length > 0,
			warn(`asks name servers of its own (${asked.join(', ')})`, 'each name that it looks up is told to them', 'leave out dns'),
		],
		[
			machines !== '',
			warn(`has names for other machines (${machines})`, 'what it asks them for its users goes there', 'leave out extra_hosts'),
		],
		[
			byBuild !== '',
			warn(
				`is built with names for other machines (${byBuild})`,
				'what its Dockerfile asks them goes there',
				'leave out extra_hosts of the build',
			),
		],
	];
	return rules.filter(([applies]) => applies).map(([, danger]) => danger);
}

/** Names for addresses outside of the run. Compose gives them as a mapping, or as texts with `=` or `:` between. */
function otherMachines(hosts: string[] | Record<string, string | string[]>): string[] {
	const pairs = Array.isArray(hosts) ? hosts.map((text) => /^([^=:]+)[=:](.*)$/.exec(text)?.slice(1) ?? []) : Object.entries(hosts);
	return pairs.flatMap(([name, addresses]) =>
		[addresses].flat().some((address) => /^[\d[:]/.test(address ?? '') && !/^(127\.|0\.0\.0\.0$|\[?::1\]?$)/.test(address))
			? [String(name)]
			: [],
	);
}

/**
 * Hosts that have a dot in their name are not of this file: a payment service, or the database in production. Variables are named,
 * and nothing of what they hold.
 */
function ofOutside({ environment }: any, ownNames: Set<string>): Found[] {
	const isOutside = (host: string) => host.includes('.') && !LOOPBACK.test(host) && !ownNames.has(host);
	const variables = Object.entries<any>(environment ?? {})
		.filter(([name, value]) => hostsAskedBy(name, String(value ?? '')).some(isOutside))
		.map(([name]) => name);
	if (variables.length === 0) return [];
	const what = `names a host outside of this file in ${variables.join(', ')}`;
	return [warn(what, 'if it asks that host for its users, the load goes on to it', 'name a stand-in there if it does')];
}

/** Volumes are new in each run, so what asks an authority for a certificate asks anew. */
function ofCertificates({ image = '', command, environment }: any): Found[] {
	const texts = [image, ...[command].flat(), ...Object.keys(environment ?? {})];
	if (!texts.some((text) => CERTIFICATES.test(String(text ?? '')))) return [];
	return [
		warn(
			'seems to get certificates from an authority',
			'it asks for them anew in each run, and authorities limit that',
			'switch that off for the run',
		),
	];
}

/** https://docs.docker.com/compose/how-tos/provider-services/ */
const ofProvider = ({ provider }: any): Found[] =>
	provider
		? [
				refuse(
					`is made by the provider ${provider.type}`,
					'what that makes is outside of the run, and may stay there',
					'name a service with an image in its place',
				),
			]
		: [];

/** @param join of a network */
const addressesOf = (join: any) => [join?.ipv4_address, join?.ipv6_address];

/** As URLs have it in each spelling. 7 leads nowhere, and may be a name. */
const ADDRESS = /^(localhost\.?|(?!0\.(?!0\.0\.0))\d+(\.\d+){3})$/;

function ofOwnNames(names: string[]): Found[] {
	const name = names.find((one) => isIPv6(one) || ADDRESS.test(URL.parse(`http://${one}`)?.hostname ?? ''));
	return name === undefined
		? []
		: [refuse(`is called ${name}`, 'programs take that for an address, and ask another machine, or this one', 'give it another name')];
}

function namesOf(service: string, found: any): string[] {
	const aliases = Object.values<any>(found.networks ?? {}).flatMap((network) => network?.aliases ?? []);
	return [service, found.container_name ?? '', ...aliases].map((name) => name.toLowerCase());
}
