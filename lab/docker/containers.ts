/**
 * The containers of a stack, and what of the lab is still there.
 *
 * @import { Level } from '../adapters/contract.ts'
 * @import { Rules } from './unwell.ts'
 */

import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { delimiter, join } from 'node:path';
import { readIfThere } from '../base/bounded-file.ts';
import { PROJECT, ROOT, RUN_PROJECT_PREFIX } from '../base/paths.ts';
import { composeFileOf, LAB_FILE } from '../catalog/shipped-services.ts';
import { containerById, docker, engineSocket } from './docker.ts';
import { isElsewhere } from './lock.ts';

/*
 * What the figures of a container are called: by its service, and where a service has several containers, by their numbers too.
 * Knows no Docker.
 */

/**
 * @typedef {object} Numbered
 * @property {string} name    of the service
 * @property {number} number  of the container in it, from 1
 */

/**
 * @param {Numbered[]} containers
 * @returns {string[]} in the same order; no two are alike, even where another service has the name that a number would give
 */
export function containerNames(containers) {
	const counts = new Map();
	for (const { name } of containers) counts.set(name, (counts.get(name) ?? 0) + 1);
	return containers.map(({ name, number }) => {
		if (counts.get(name) === 1) return name;
		let numbered = `${name}-${number}`;
		while (counts.has(numbered)) numbered = `${numbered}-${number}`;
		return numbered;
	});
}

/** As a reader counts: 2 comes before 10. @type {(one: string, other: string) => number} */
export const compareNames = (one, other) => one.localeCompare(other, 'en', { numeric: true });

/**
 * What the lab tells Compose about a stack: under which name it is up, and which files it is made of. Every call of Compose and
 * every question about containers takes one.
 *
 * @typedef {object} System
 * @property {string} project  name of Compose's project, which its containers, networks and volumes carry as a label
 * @property {string} cwd      folder in which Compose is called
 * @property {string[]} flags  between `docker compose` and the command
 * @property {Record<string, string>} [env]  what its files read, beside the shell's own variables
 * @property {boolean} [isClosed]  what the shell tells Compose (COMPOSE_FILE and the like) is not about it
 * @property {Deployment} [deployment]  who runs it, where that is not Compose on this machine's engine alone
 *
 * @typedef {{ write: (line: object) => void }} Lines
 * @typedef {Record<'containers' | 'kernel' | 'host' | 'events', Lines>} Records  of the observers
 *
 * @typedef {object} Deployment
 * @property {(given: { system: System, env: Record<string, string>, rules?: Rules, limitMs?: number }) => Promise<void>} bringUp  all
 *   but the generators
 * @property {(names: string[], writtenFolder: string) => Promise<void>} startGenerators
 * @property {() => Promise<import('dockerode').ContainerInfo[]>} listContainers  each with the label doubletake.host
 * @property {(services: Service[], records: Records) => Promise<() => Promise<void>>} observe  gives what stops it
 * @property {(writtenFolder: string) => Promise<string[]>} fetch  what containers wrote, when they have ended; gives a sentence for each thing
 *   that is not on record
 * @property {(service: string) => Promise<void>} update  replaces its container by a new one
 * @property {(host: string, availability: 'active' | 'drain') => Promise<void>} setAvailability
 * @property {() => Promise<string[]>} takeDown  gives what is still there
 * @property {object[]} outages  of its hosts, while they were watched
 */

const ID_BYTES = 2;

/** @type {(files: string[], profiles: string[]) => System} */
const shippedSystem = (files, profiles) => ({
	project: PROJECT,
	cwd: ROOT,
	flags: profiles.flatMap((profile) => ['--profile', profile]),
	// A fault has a file beside this one.
	isClosed: true,
	env: { COMPOSE_FILE: files.join(delimiter), COMPOSE_PROJECT_NAME: PROJECT, COMPOSE_PROFILES: '' },
});

/**
 * A shipped architecture: the Compose file of its folder, which has the lab's own services too.
 * @param {string} id
 * @param {string[]} profiles  that start
 * @param {string[]} [files]  beside its own
 * @returns {System}
 */
export const architectureSystem = (id, profiles, files = []) => shippedSystem([composeFileOf(id), ...files], profiles);

/**
 * What every shipped architecture has, whichever is up: the lab's own services, network and volumes.
 * @param {string[]} [profiles]
 * @returns {System}
 */
export const labSystem = (profiles = []) => shippedSystem([LAB_FILE], profiles);

/**
 * A user's own Compose files.
 * @param {{ project: string, folder: string, files: string[], env?: Record<string, string> }} given  files: as seen from the folder, in
 *   their order
 * @returns {System}
 */
export const projectSystem = ({ project, folder, files, env = {} }) => ({
	project,
	cwd: folder,
	flags: ['--project-name', project, ...files.flatMap((file) => ['--file', file])],
	// As in a shell in that folder; the lab's own is another, and files may mount "${PWD}/...".
	env: { PWD: folder, ...env },
});

/**
 * A stack by its labels alone, to be taken down. Without files Compose removes what the project made and nothing else; with them
 * also a volume of a fixed name that was there before.
 * @param {string} project
 * @returns {System}
 */
export const labelledSystem = (project) => ({
	project,
	cwd: ROOT,
	flags: ['--project-name', project],
	// Nor does a .env of the folder in which it is called.
	isClosed: true,
	env: { COMPOSE_DISABLE_ENV_FILE: '1' },
});

/** A name for the project of one run. */
export const newRunProject = () => `${RUN_PROJECT_PREFIX}${randomBytes(ID_BYTES).toString('hex')}`;

const RUN_PROJECT = new RegExp(`^${RUN_PROJECT_PREFIX}[0-9a-f]{${2 * ID_BYTES}}$`);

/** Whether the project has a name that the lab gives. @param {string | undefined} project */
export const isOfLab = (project) => project === PROJECT || RUN_PROJECT.test(project ?? '');

export const PROJECT_LABEL = 'com.docker.compose.project';
export const SERVICE_LABEL = 'com.docker.compose.service';
/** Its name in the Compose file. */
export const VOLUME_LABEL = 'com.docker.compose.volume';
/** The same of a Swarm; its stack's name is before it. */
export const SWARM_SERVICE_LABEL = 'com.docker.swarm.service.name';
/** By which a Swarm knows what belongs to a stack. */
export const STACK_LABEL = 'com.docker.stack.namespace';
/** Of a container that may be on one of several hosts. */
const HOST_LABEL = 'doubletake.host';
/** Which of its service's it is, from 1. */
export const NUMBER_LABEL = 'com.docker.compose.container-number';
/** Of those that the shipped Compose files give to whatever they make. */
const SHIPPED_LABEL = /^doubletake\./;
/** The kernel's own period of a CPU quota. */
const DEFAULT_PERIOD_US = 100_000;
const NANO = 1e9;

/**
 * A container as the lab knows it: by the labels of its service.
 * @typedef {object} Service
 * @property {string} service  Compose's name
 * @property {string} [host]   on which it is, where there are several
 * @property {string} name     what its figures are called: label doubletake.name, with a number where the service has several containers
 * @property {string} tier     label doubletake.tier; observer where no request passes it
 * @property {string | null} product  label doubletake.product: whose adapter reads it; null where the lab itself does
 * @property {Level} watch  label doubletake.watch: how far it is watched; 0 unless given
 * @property {string} id       container
 * @property {number} pid      of the container's first process on the host; 0 where it does not run
 * @property {string} address  on the first of its networks
 * @property {string[]} addresses  on all of them
 * @property {number | null} cpuQuotaCores as the engine enforces it; null when unlimited
 * @property {string} image    as the Compose file names it
 * @property {string} imageId
 */

/** @param {System} system */
export const labelOf = ({ project }) => `${PROJECT_LABEL}=${project}`;

/** @param {string} label */
const filterOf = (label) => JSON.stringify({ label: [label] });

/** Its containers, running or not. @param {System} system */
export async function listContainers(system) {
	if (system.deployment) return system.deployment.listContainers();
	return docker.listContainers({ all: true, filters: filterOf(labelOf(system)) });
}

/**
 * What of this machine it has in use itself, and containers and networks that are none of the lab's.
 * @returns {Promise<{ mounted: { container: string, source: string }[], subnets: string[], volumesRoot: string, sharesSockets: boolean, openMounts: string[] }>}
 *   nothing where no engine answers: whoever needs it says so; volumesRoot, sharesSockets, openMounts: as in lab/target/dockerfile.ts
 */
export async function listInUse() {
	const asked = Promise.all([docker.listContainers(), docker.listNetworks(), docker.info()]);
	const [containers, networks, engine] = await asked.catch(() => /** @type {Awaited<typeof asked>} */ ([[], [], {}]));
	const socket = await engineSocket();
	const isOthers = (/** @type {Record<string, string> | undefined} */ labels) => !isOfLab(labels?.[PROJECT_LABEL]);
	const mounted = containers
		.filter(({ Labels }) => isOthers(Labels))
		.flatMap(({ Names, Id, Mounts = [] }) =>
			Mounts.filter(({ Type, RW }) => Type === 'bind' && RW).map(({ Source }) => ({ container: Names[0]?.slice(1) ?? Id, source: Source })),
		);
	const subnets = networks
		.filter(({ Labels }) => isOthers(Labels))
		.flatMap(({ IPAM }) => (IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []));
	return {
		...{
			mounted,
			subnets: [...subnets, ...machineSubnets()],
			volumesRoot: engine.DockerRootDir ? join(engine.DockerRootDir, 'volumes') : '',
		},
		...{ socket: socket ?? '', sharesSockets: socket !== null && !isElsewhere(engine) },
		openMounts: keepsReadOnly(engine) ? [] : mountPointsIn(readIfThere('/proc/self/mountinfo') ?? ''),
	};
}

/** Of links whose networks the engine names itself. */
const OF_ENGINE = /^(docker|br-|veth|lo$)/;
/** In which this machine is, and where the name servers are that it asks. */
const machineSubnets = () => [
	...Object.entries(os.networkInterfaces()).flatMap(([link, all = []]) =>
		OF_ENGINE.test(link) ? [] : all.flatMap(({ cidr }) => cidr ?? []),
	),
	...[...(readIfThere('/etc/resolv.conf') ?? '').matchAll(/^nameserver\s+([\da-f.:]+)/gim)].map(([, address]) => address),
];

/** Also what is mounted below: https://docs.docker.com/engine/storage/bind-mounts/#recursive-mounts @param {{ ServerVersion?: string, KernelVersion?: string }} engine */
function keepsReadOnly({ ServerVersion: version = '', KernelVersion: kernel = '' }) {
	const [major = 0, minor = 0] = kernel.split('.').map(Number.parseFloat);
	return Number.parseInt(version, 10) >= 25 && (major > 5 || (major === 5 && minor >= 12));
}

/** https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html @param {string} text @returns {string[]} of what is writable */
const mountPointsIn = (text) =>
	text.split('\n').flatMap((line) => {
		const [, , , , point, options = ''] = line.split(' ');
		const isOpen = options.split(',').includes('rw');
		return isOpen ? [point.replaceAll(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)))] : [];
	});

/** @typedef {{ project: string, what: string, volume?: string }} Leftover  what: a container, a network or a volume, by name; volume: its own */

/** What of the lab is still there, of any run. @returns {Promise<Leftover[]>} */
export const listLeftovers = async () => (await listProjects()).made;

/**
 * What bears the name of the architectures' project, and is not the lab's: Compose calls a project after its folder, and any folder may
 * be called so.
 * @returns {Promise<Leftover[]>}
 */
export const listForeign = async () => (await listProjects()).foreign;

/** @returns {Promise<{ made: Leftover[], foreign: Leftover[] }>} under the names of the lab's projects: what it made, and what others did */
async function listProjects() {
	const filters = filterOf(PROJECT_LABEL);
	const [containers, networks, { Volumes: volumes }] = await Promise.all([
		docker.listContainers({ all: true, filters }),
		docker.listNetworks({ filters }),
		docker.listVolumes({ filters }),
	]);
	const found = [
		...containers.map(({ Names, Id, Labels }) => ({
			labels: Labels,
			what: `container ${Names[0]?.slice(1) ?? Id.slice(0, 12)}`,
			volume: null,
		})),
		...networks.map(({ Name, Labels }) => ({ labels: Labels, what: `network ${Name}`, volume: null })),
		...(volumes ?? []).map(({ Name, Labels }) => ({ labels: Labels, what: `volume ${Name}`, volume: Name })),
	];
	const named = found
		.map(({ labels, what, volume }) => ({
			project: labels?.[PROJECT_LABEL] ?? '',
			what,
			volume,
			isForeign: isForeign(labels ?? {}, volume),
		}))
		.filter(({ project }) => isOfLab(project));
	const listed = (/** @type {boolean} */ wanted) =>
		named
			.filter((one) => one.isForeign === wanted)
			.map(({ project, what, volume }) => ({ project, what, ...(volume === null ? {} : { volume }) }));
	return { made: listed(false), foreign: listed(true) };
}

/**
 * A run's project has a name that nobody gives by chance; data is left alone all the same where the lab did not mark it.
 * @type {(labels: Record<string, string>, volume: string | null) => boolean}
 */
const isForeign = (labels, volume) => (labels[PROJECT_LABEL] === PROJECT || volume !== null) && !bearsOurs(labels);

/** Whether the lab made it: others may give the same names, and nobody else gives these labels. @param {Record<string, string> | null | undefined} labels */
export const bearsOurs = (labels) => Object.keys(labels ?? {}).some((label) => SHIPPED_LABEL.test(label));

/**
 * Whether the stack of an architecture that is up was started by hand, and not by a run of the lab. Its containers say so: a network
 * that an interrupted run left is taken as it is by whoever starts a stack next.
 */
export async function isStackByHand() {
	const containers = await listContainers(labSystem());
	return containers.some(({ Labels }) => Labels['doubletake.run'] === 'by-hand');
}

/**
 * Its containers, in no particular order.
 * @param {System} system
 * @returns {Promise<Service[]>}
 */
export async function listServices(system) {
	const found = await inspectAll(system);
	return found.map(({ container, name, tier, state }) => {
		const addresses = Object.values(state.NetworkSettings.Networks).map(({ IPAddress }) => IPAddress);
		return {
			service: serviceOf(container.Labels),
			...(container.Labels[HOST_LABEL] === undefined ? {} : { host: container.Labels[HOST_LABEL] }),
			product: container.Labels['doubletake.product'] ?? null,
			watch: levelOf(container.Labels['doubletake.watch']),
			name,
			tier,
			id: container.Id,
			pid: state.State.Pid,
			cpuQuotaCores: quotaCores(state.HostConfig),
			address: addresses[0] ?? '',
			addresses: addresses.filter((address) => address !== ''),
			image: container.Image,
			imageId: container.ImageID,
		};
	});
}

/**
 * The engine has a quota as Compose's `cpus` says it, or as `cpu_quota` does.
 * @param {{ NanoCpus?: number, CpuQuota?: number, CpuPeriod?: number }} host
 */
export function quotaCores({ NanoCpus: nano, CpuQuota: quota, CpuPeriod: period }) {
	if (nano) return nano / NANO;
	return quota && quota > 0 ? quota / (period || DEFAULT_PERIOD_US) : null;
}

/**
 * How each of its containers stands; of one that was started again, the last end and the last start.
 * @param {System} system
 * @returns {Promise<{ name: string, tier: string, running: boolean, exit_code: number, out_of_memory: boolean, started: string, finished: string }[]>}
 */
export async function listStates(system) {
	const found = await inspectAll(system);
	return found.map(({ name, tier, state: { State: state } }) => ({
		name,
		tier,
		// Between an end and the next start the engine calls it both.
		running: state.Running && !state.Restarting,
		exit_code: state.ExitCode,
		out_of_memory: state.OOMKilled,
		started: state.StartedAt,
		finished: state.FinishedAt,
	}));
}

/** @param {System} system */
async function inspectAll(system) {
	const containers = await listContainers(system);
	const names = containerNames(
		containers.map(({ Labels: labels }) => ({
			name: labels['doubletake.name'] ?? serviceOf(labels),
			number: Number(labels[NUMBER_LABEL] ?? 1),
		})),
	);
	return Promise.all(
		containers.map(async (container, index) => ({
			container,
			name: names[index],
			tier: tierOf(container.Labels['doubletake.tier']),
			state: await containerById(container.Id).inspect(),
		})),
	);
}

/** Compose's name of it. @param {Record<string, string>} labels */
export const serviceOf = (labels) => labels[SERVICE_LABEL] ?? labels[SWARM_SERVICE_LABEL]?.slice(labels[STACK_LABEL].length + 1);

/** A user's file calls `other` what the lab calls an observer. @param {string | undefined} label */
const tierOf = (label) => (label === undefined || label === 'other' ? 'observer' : label);

/** @param {string | undefined} label @returns {Level} */
const levelOf = (label) => /** @type {Level} */ (Number(label ?? 0));
