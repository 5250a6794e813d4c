/**
 * The one Compose file that the lab lays over the user's own for a run: `docker compose -p <run> -f theirs -f this`. It takes away
 * what would tie two projects together or have a container come up by itself, adds what adapters ask for, and adds the generator.
 *
 * Its tags (compose-changes.ts) only stand in this text: they are lost in the output of `docker compose config`, which must never take
 * this file's place.
 */

import { join } from 'node:path';
import { Document, Scalar, visit } from 'yaml';
import type { OverlayPart } from '../adapters/contract.ts';
import { NotReadyError } from '../base/errors.ts';
import { GENERATOR_NAME } from '../base/paths.ts';
import { ownOf } from '../base/values.ts';
import { CPU_PERIOD_US, GENERATOR_CPU_SHARES } from '../catalog/budgets.ts';
import type { Project } from '../catalog/project-schema.ts';
import { entryUrls, hostOfEntry } from '../catalog/project-schema.ts';
import type { Changes } from './compose-changes.ts';
import { override, reset, together } from './compose-changes.ts';
import type { AttachedService } from './compose-model.ts';
import { BRIDGE_NAME } from './compose-model.ts';
import { projectService } from './describe.ts';
import { generatorParts } from './generators.ts';
import { LOG_LIMITS } from './kept-logging.ts';
import { aliasesEntry } from './network-names.ts';

type Mount = NonNullable<OverlayPart['mounts']>[number];

export type Generator = {
	image: string;
	/** uid:gid that may write into the record */
	user: string;
	/** the image's own unless given */
	entrypoint?: string[];
	/** in which it runs; the image's own unless given */
	folder?: string;
	command?: string[];
	environment: Record<string, string>;
	/** `raw:` to write is the folder that the record is taken from, and not one of the generator's in it */
	mounts: Mount[];
	/** it has a page of its own, which is published */
	page?: boolean;
	/** containers that make the load together, each its part; one unless given */
	parts?: number;
};

export type OverlayRun = {
	/** that the generator writes into */
	writtenFolder: string;
	/** that services write into, each in a folder of its own */
	servicesFolder: string;
	/** of what is laid over their configurations, with a folder for each service, and of what the generator reads */
	copiesFolder: string;
	/** by service, names for those that are built and have none */
	images?: Record<string, string>;
	/** cores that each container of a service may use; without an entry, what the file gives it */
	cpus?: Record<string, number>;
	generator: Generator;
	/** that make a copy of the files' system */
	changes?: Changes;
	/** the lab has no part in it but the generator: only what two projects cannot both have is taken away */
	isBare?: boolean;
	/** it runs on a Swarm: the generator, on whichever host, writes into a volume there */
	isOnHosts?: boolean;
};

const OF_LAB = 'doubletake-';
export const GENERATOR = `${OF_LAB}${GENERATOR_NAME}`;
/** The generator comes up when it is called by its name, after the rest is healthy, and not with the rest. */
const GENERATOR_PROFILE = 'doubletake-load';
/** A network on which the generator's page can be published, where the entry has none such. */
const PAGE_NETWORK = 'doubletake-page';

/** k6's own page, while the load runs, where it is asked for. https://grafana.com/docs/k6/latest/results-output/web-dashboard/ */
export const PAGE_PORT = 5665;
const GENERATOR_MEMORY = '4g';
const PERIOD_MOST_US = 100_000;
/** The kernel takes no smaller quota. https://docs.kernel.org/scheduler/sched-bwc.html */
const QUOTA_LEAST_US = 1000;
const RAW = /^raw:\/*/;
/** In place of the folder that the generator writes into, where it may be on another host. As in compose/lab.yaml. */
const RECORD = 'doubletake-record';
const RECORD_VOLUME = {
	driver_opts: { type: 'tmpfs', device: 'tmpfs', o: 'size=512m,mode=1777' },
	labels: { 'doubletake.lab': 'yes', 'doubletake.record': 'yes' },
};

/** Compose's names of the services that make the load. */
export const generatorServices = (count: number) =>
	count === 1 ? [GENERATOR] : generatorParts(count).map(({ name }) => `${OF_LAB}${name}`);

const HEADER = ' Written by Doubletake for one run and laid over the Compose files of the system. It is of no use beside other files.';

/**
 * @returns YAML
 * @throws {NotReadyError} when the generator cannot be put beside the services
 */
export function overlayText({
	models,
	project,
	parts,
	run,
}: {
	models: AttachedService[];
	project: Project;
	/** by service, what its adapter asks for */
	parts: Record<string, OverlayPart>;
	run: OverlayRun;
}): string {
	const taken = generatorServices(run.generator.parts ?? 1).find((name) => models.some(({ service }) => service === name));
	if (taken !== undefined)
		throw new NotReadyError(`The Compose file: expected no service "${taken}", which is the load generator’s name.`, 'rename it.');
	const networks = generatorNetworks(models, entryUrls(project), run.generator);
	const services = models.map((model) => [model.service, serviceEntry(model, { project, parts, run })]);
	const file = {
		services: Object.fromEntries([...services, ...generatorEntries(run, networks)]),
		...networksEntry(models, networks),
		...(run.isOnHosts ? { volumes: { [RECORD]: RECORD_VOLUME } } : {}),
	};
	return changesText(together(run.changes ?? {}, file));
}

/**
 * Two projects cannot have one subnet, nor one interface. Where the file gives containers their addresses the subnet has to stay as it is.
 * networks: of the generator
 */
function networksEntry(models: AttachedService[], networks: string[]): Record<string, unknown> {
	const free = new Set(models.flatMap(({ freeSubnets }) => freeSubnets));
	const named = new Set(models.flatMap(({ namedBridges }) => namedBridges));
	const changed = [...new Set([...free, ...named])].map((name) => [
		name,
		{ ...(free.has(name) ? { ipam: reset() } : {}), ...(named.has(name) ? { driver_opts: { [BRIDGE_NAME]: reset() } } : {}) },
	]);
	const page = networks.includes(PAGE_NETWORK) ? [[PAGE_NETWORK, {}]] : [];
	return changed.length + page.length === 0 ? {} : { networks: Object.fromEntries([...changed, ...page]) };
}

/** Folders into which services write. They must be there before the stack comes up, and be open to whatever user a service runs as. */
export function rawFoldersOf(parts: Record<string, OverlayPart>, run: Pick<OverlayRun, 'servicesFolder' | 'copiesFolder'>): string[] {
	const folders = Object.entries(parts).flatMap(([service, { mounts = [] }]) =>
		mounts.filter(({ source, readOnly }) => RAW.test(source) && !readOnly).map((mount) => sourceOf(mount, run, service)),
	);
	return [...new Set(folders)];
}

type Given = { project: Project; parts: Record<string, OverlayPart>; run: OverlayRun };

function serviceEntry(model: AttachedService, { project, parts, run }: Given): Record<string, unknown> {
	const { service, hasRestartPolicy, hasCpuLimit, logLimits, sendsLog } = model;
	const { isBare = false } = run;
	const part = ownOf(parts, service) ?? {};
	const image = ownOf(run.images ?? {}, service);
	const cores = ownOf(run.cpus ?? {}, service);
	const deploy = {
		// Where it stands, Compose restarts by it.
		...(hasRestartPolicy ? { restart_policy: reset() } : {}),
		...(cores !== undefined && hasCpuLimit ? { resources: { limits: { cpus: reset() } } } : {}),
	};
	return {
		...(image === undefined ? {} : { image }),
		container_name: reset(),
		ports: reset(),
		// Until the load the lab starts again what ends, within bounds; then the engine is told of it (run/restarts.ts).
		restart: reset(),
		// What the run says is not to land where the user gathers logs; and the lab reads it from the engine, as much as its owner has kept.
		...(isBare ? (sendsLog ? { logging: reset() } : {}) : { logging: override(logLimits ?? LOG_LIMITS) }),
		...(isBare ? {} : { labels: labelsOf(service, project) }),
		...aliasesEntry(model, project),
		...(part.environment ? { environment: part.environment } : {}),
		...commandEntry(model, part.command),
		...(part.mounts && part.mounts.length > 0
			? { volumes: part.mounts.map((mount) => mountEntry(mount, sourceOf(mount, run, service))) }
			: {}),
		...(cores === undefined ? {} : quotaEntry(cores)),
		...(Object.keys(deploy).length > 0 ? { deploy } : {}),
	};
}

/** By which the lab knows its containers. */
function labelsOf(service: string, project: Project): Record<string, string> {
	const { tier, product, watch } = projectService(project, service);
	return { 'doubletake.tier': tier, 'doubletake.name': service, 'doubletake.product': product, 'doubletake.watch': String(watch) };
}

/** An adapter gives the whole command, as it was given it: with the entrypoint, where the file has one. */
function commandEntry({ hasEntrypoint }: AttachedService, command: string[] | undefined): Record<string, unknown> {
	if (command === undefined) return {};
	return hasEntrypoint ? { entrypoint: command, command: reset() } : { command };
}

/** A quota in the kernel's own words. `cpus` says the same in the engine's, and the engine takes only one of the two. */
function quotaEntry(cores: number) {
	const period = cores * CPU_PERIOD_US < QUOTA_LEAST_US ? PERIOD_MOST_US : CPU_PERIOD_US;
	return { cpus: reset(), cpu_period: period, cpu_quota: Math.max(Math.round(cores * period), QUOTA_LEAST_US) };
}

function generatorEntries(run: OverlayRun, networks: string[]): [string, Record<string, unknown>][] {
	const { parts = 1, command = [], environment } = run.generator;
	if (parts === 1) return [[GENERATOR, generatorEntry(run, networks, GENERATOR_NAME)]];
	const names = generatorServices(parts);
	return generatorParts(parts).map(({ name, flags, environment: own }, index) => {
		const generator = { ...run.generator, command: command.toSpliced(-1, 0, ...flags), environment: { ...environment, ...own } };
		return [names[index], generatorEntry({ ...run, generator }, networks, name)];
	});
}

function generatorEntry(run: OverlayRun, networks: string[], name: string): Record<string, unknown> {
	const { generator } = run;
	const { image, user, entrypoint, folder, command, environment, mounts } = generator;
	return {
		image,
		// A stack of a Swarm is made as a whole.
		...(run.isOnHosts ? {} : { profiles: [GENERATOR_PROFILE] }),
		user,
		labels: { 'doubletake.tier': 'generator', 'doubletake.name': name, 'doubletake.product': GENERATOR_NAME },
		...(entrypoint ? { entrypoint } : {}),
		...(folder ? { working_dir: folder } : {}),
		...(command ? { command } : {}),
		environment,
		volumes: mounts.map((mount) =>
			run.isOnHosts && RAW.test(mount.source) && !mount.readOnly
				? { type: 'volume', source: RECORD, target: mount.target }
				: mountEntry(mount, generatorSource(mount, run)),
		),
		tmpfs: ['/tmp'],
		networks,
		...(generator.page ? { ports: [`127.0.0.1:${PAGE_PORT}:${PAGE_PORT}`] } : {}),
		restart: 'no',
		read_only: true,
		cap_drop: ['ALL'],
		security_opt: ['no-new-privileges:true'],
		cpu_shares: GENERATOR_CPU_SHARES,
		mem_limit: GENERATOR_MEMORY,
	};
}

/**
 * One network of each entry, the same where it can be: on several, its name would have several addresses, and the load could take a way that
 * users do not.
 */
function generatorNetworks(models: AttachedService[], entries: string[], { page }: Pick<Generator, 'page'>): string[] {
	const asked = entries.map((entry) => modelOfEntry(models, entry));
	const reachedOn = (name: string) => asked.filter(({ networks }) => networks.includes(name)).length;
	const chosen: string[] = [];
	for (const { networks, openNetworks } of asked) {
		if (networks.some((name) => chosen.includes(name))) continue;
		const [best] = (openNetworks.length > 0 ? openNetworks : networks).toSorted((one, other) => reachedOn(other) - reachedOn(one));
		chosen.push(best);
	}
	const isOpen = asked.some(({ openNetworks }) => openNetworks.some((name) => chosen.includes(name)));
	return page && !isOpen ? [...chosen, PAGE_NETWORK] : chosen;
}

function modelOfEntry(models: AttachedService[], entry: string): AttachedService {
	const host = hostOfEntry(entry).toLowerCase();
	const model = models.find(({ service }) => service.toLowerCase() === host);
	const found = model ? `${model.service}, which has no network of the file` : `"${entry}"`;
	if (model !== undefined && model.networks.length > 0) return model;
	throw new NotReadyError(
		`The entry: expected the URL of a service on a network of the Compose file; found ${found}.`,
		'name such a service as the entry in doubletake.yaml, or leave out its network_mode.',
	);
}

const mountEntry: (mount: Mount, source: string) => Record<string, unknown> = ({ target, readOnly }, source) => ({
	type: 'bind',
	source,
	target,
	read_only: readOnly,
	// A source that is not there is a mistake; the engine would make a folder of the superuser's in its place.
	bind: { create_host_path: false },
});

/**
 * What a service writes, and the copy that it reads, are apart from each other and from what the lab writes. `raw:` and `raw:<service>/` are
 * one: the service's folder.
 */
function sourceOf(
	{ source, readOnly }: Mount,
	{ servicesFolder, copiesFolder }: Pick<OverlayRun, 'servicesFolder' | 'copiesFolder'>,
	service: string,
): string {
	if (!RAW.test(source)) return source;
	const parts = partsOf(source);
	return join(readOnly ? copiesFolder : servicesFolder, service, ...(parts[0] === service ? parts.slice(1) : parts));
}

const generatorSource: (mount: Mount, run: OverlayRun) => string = ({ source, readOnly }, { copiesFolder, writtenFolder }) =>
	RAW.test(source) ? join(...(readOnly ? [copiesFolder, GENERATOR] : [writtenFolder]), ...partsOf(source)) : source;

const partsOf = (source: string) =>
	source
		.replace(RAW, '')
		.split('/')
		.filter((part) => part !== '');

/** Keys that no reader of YAML takes for anything but this text. */
const PLAIN_KEY = /^[a-z]+(_[a-z]+)*$/;
const TAKEN_FOR_OTHERS = /^(null|true|false|yes|no|on|off|y|n)$/;

/**
 * @param file what is changed, as in a Compose file
 * @returns YAML
 */
export function changesText(file: Record<string, unknown>): string {
	const document = new Document(file, { aliasDuplicateObjects: false });
	document.commentBefore = HEADER;
	visit(document, {
		Scalar(place, node) {
			if (typeof node.value !== 'string') return;
			// Compose reads $ in a value as the beginning of a variable's name; in a key it does not.
			const text = node.value;
			if (place !== 'key') node.value = text.replaceAll('$', () => '$$');
			if (place !== 'key' || !PLAIN_KEY.test(text) || TAKEN_FOR_OTHERS.test(text)) node.type = Scalar.QUOTE_DOUBLE;
		},
	});
	return document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
}
