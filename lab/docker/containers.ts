/** The containers of a stack, and what of the lab is still there. */

import { randomBytes } from 'node:crypto';
import os from 'node:os';
import { delimiter, join } from 'node:path';
import type { ContainerInfo } from 'dockerode';
import { readIfThere } from '../base/bounded-file.ts';
import { PROJECT, ROOT, RUN_PROJECT_PREFIX } from '../base/paths.ts';
import type { Level } from '../base/tier.ts';
import { composeFileOf, LAB_FILE } from '../catalog/shipped-services.ts';
import { containerNames } from './container-names.ts';
import { containerById, docker, engineSocket } from './docker.ts';
import { isElsewhere } from './lock.ts';
import type { Rules } from './unwell.ts';

/**
 * What the lab tells Compose about a stack: under which name it is up, and which files it is made of. Every call of Compose and
 * every question about containers takes one.
 */
export type System = {
	/** name of Compose's project, which its containers, networks and volumes carry as a label */
	project: string;
	/** folder in which Compose is called */
	cwd: string;
	/** between `docker compose` and the command */
	flags: string[];
	/** what its files read, beside the shell's own variables */
	env?: Record<string, string>;
	/** what the shell tells Compose (COMPOSE_FILE and the like) is not about it */
	isClosed?: boolean;
	/** who runs it, where that is not Compose on this machine's engine alone */
	deployment?: Deployment;
};

export type Lines = { write: (line: object) => void };

/** of the observers */
export type Records = Record<'containers' | 'kernel' | 'host' | 'events', Lines>;

export type Deployment = {
	/** all but the generators */
	bringUp: (given: { system: System; env: Record<string, string>; rules?: Rules; limitMs?: number }) => Promise<void>;
	startGenerators: (names: string[], writtenFolder: string) => Promise<void>;
	/** each with the label doubletake.host */
	listContainers: () => Promise<ContainerInfo[]>;
	/** gives what stops it */
	observe: (services: Service[], records: Records) => Promise<() => Promise<void>>;
	/** what containers wrote, when they have ended; gives a sentence for each thing that is not on record */
	fetch: (writtenFolder: string) => Promise<string[]>;
	/** replaces its container by a new one */
	update: (service: string) => Promise<void>;
	setAvailability: (host: string, availability: 'active' | 'drain') => Promise<void>;
	/** gives what is still there */
	takeDown: () => Promise<string[]>;
	/** of its hosts, while they were watched */
	outages: object[];
};

const ID_BYTES = 2;

const shippedSystem: (files: string[], profiles: string[]) => System = (files, profiles) => ({
	project: PROJECT,
	cwd: ROOT,
	flags: profiles.flatMap((profile) => ['--profile', profile]),
	// A fault has a file beside this one.
	isClosed: true,
	env: { COMPOSE_FILE: files.join(delimiter), COMPOSE_PROJECT_NAME: PROJECT, COMPOSE_PROFILES: '' },
});

/**
 * A shipped architecture: the Compose file of its folder, which has the lab's own services too.
 * @param profiles that start
 * @param files beside its own
 */
export const architectureSystem = (id: string, profiles: string[], files: string[] = []): System =>
	shippedSystem([composeFileOf(id), ...files], profiles);

/** What every shipped architecture has, whichever is up: the lab's own services, network and volumes. */
export const labSystem = (profiles: string[] = []): System => shippedSystem([LAB_FILE], profiles);

/**
 * A user's own Compose files.
 * @param given files: as seen from the folder, in
 * their order
 */
export const projectSystem = ({
	project,
	folder,
	files,
	env = {},
}: {
	project: string;
	folder: string;
	files: string[];
	env?: Record<string, string>;
}): System => ({
	project,
	cwd: folder,
	flags: ['--project-name', project, ...files.flatMap((file) => ['--file', file])],
	// As in a shell in that folder; the lab's own is another, and files may mount "${PWD}/...".
	env: { PWD: folder, ...env },
});

/**
 * A stack by its labels alone, to be taken down. Without files Compose removes what the project made and nothing else; with them
 * also a volume of a fixed name that was there before.
 */
export const labelledSystem = (project: string): System => ({
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

/** Whether the project has a name that the lab gives. */
export const isOfLab = (project: string | undefined) => project === PROJECT || RUN_PROJECT.test(project ?? '');

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

/** A container as the lab knows it: by the labels of its service. */
export type Service = {
	/** Compose's name */
	service: string;
	/** on which it is, where there are several */
	host?: string;
	/** what its figures are called: label doubletake.name, with a number where the service has several containers */
	name: string;
	/** label doubletake.tier; observer where no request passes it */
	tier: string;
	/** label doubletake.product: whose adapter reads it; null where the lab itself does */
	product: string | null;
	/** label doubletake.watch: how far it is watched; 0 unless given */
	watch: Level;
	/** container */
	id: string;
	/** of the container's first process on the host; 0 where it does not run */
	pid: number;
	/** on the first of its networks */
	address: string;
	/** on all of them */
	addresses: string[];
	/** as the engine enforces it; null when unlimited */
	cpuQuotaCores: number | null;
	/** as the Compose file names it */
	image: string;
	imageId: string;
};

export const labelOf = ({ project }: System) => `${PROJECT_LABEL}=${project}`;

/** Of what belongs to a run and Compose does not make: by the name of its project alone nothing is removed. */
export const OWN_LABEL = 'doubletake.lab=yes';

const filterOf = (label: string) => JSON.stringify({ label: [label] });

/** Its containers, running or not. */
export async function listContainers(system: System) {
	if (system.deployment) return system.deployment.listContainers();
	return docker.listContainers({ all: true, filters: filterOf(labelOf(system)) });
}

/**
 * What of this machine it has in use itself, and containers and networks that are none of the lab's.
 * @returns nothing where no engine answers: whoever needs it says so; volumesRoot, sharesSockets, openMounts: as in lab/target/dockerfile.ts
 */
export async function listInUse(): Promise<{
	mounted: { container: string; source: string }[];
	subnets: string[];
	volumesRoot: string;
	sharesSockets: boolean;
	openMounts: string[];
}> {
	const asked = Promise.all([docker.listContainers(), docker.listNetworks(), docker.info()]);
	const [containers, networks, engine] = await asked.catch(() => [[], [], {}] as Awaited<typeof asked>);
	const socket = await engineSocket();
	const isOthers = (labels: Record<string, string> | undefined) => !isOfLab(labels?.[PROJECT_LABEL]);
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

/** Also what is mounted below: https://docs.docker.com/engine/storage/bind-mounts/#recursive-mounts */
function keepsReadOnly({ ServerVersion: version = '', KernelVersion: kernel = '' }: { ServerVersion?: string; KernelVersion?: string }) {
	const [major = 0, minor = 0] = kernel.split('.').map(Number.parseFloat);
	return Number.parseInt(version, 10) >= 25 && (major > 5 || (major === 5 && minor >= 12));
}

/**
 * https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 * @returns of what is writable
 */
const mountPointsIn = (text: string): string[] =>
	text.split('\n').flatMap((line) => {
		const [, , , , point, options = ''] = line.split(' ');
		const isOpen = options.split(',').includes('rw');
		return isOpen ? [point.replaceAll(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)))] : [];
	});

/** what: a container, a network or a volume, by name; volume: its own */
type Leftover = { project: string; what: string; volume?: string };

/** What of the lab is still there, of any run. */
export const listLeftovers = async (): Promise<Leftover[]> => (await listProjects()).made;

/**
 * What bears the name of the architectures' project, and is not the lab's: Compose calls a project after its folder, and any folder may
 * be called so.
 */
export const listForeign = async (): Promise<Leftover[]> => (await listProjects()).foreign;

/** @returns under the names of the lab's projects: what it made, and what others did */
async function listProjects(): Promise<{ made: Leftover[]; foreign: Leftover[] }> {
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
	const marked = found.flatMap(({ labels }) => (bearsOurs(labels) ? (labels?.[PROJECT_LABEL] ?? []) : []));
	const named = found
		.map(({ labels, what, volume }) => ({
			project: labels?.[PROJECT_LABEL] ?? '',
			what,
			volume,
			isForeign: isForeign(labels ?? {}, { volume, marked }),
		}))
		.filter(({ project }) => isOfLab(project));
	const listed = (wanted: boolean) =>
		named
			.filter((one) => one.isForeign === wanted)
			.map(({ project, what, volume }) => ({ project, what, ...(volume === null ? {} : { volume }) }));
	return { made: listed(false), foreign: listed(true) };
}

/**
 * Whoever gives his project the name of a run's keeps it, since no part of it bears the lab's labels. Of a run's own, what the lab did not mark goes with the
 * rest; data does not.
 * @param among marked: projects that have a part which the lab marked
 */
const isForeign: (labels: Record<string, string>, among: { volume: string | null; marked: string[] }) => boolean = (
	labels,
	{ volume, marked },
) => !bearsOurs(labels) && (labels[PROJECT_LABEL] === PROJECT || volume !== null || !marked.includes(labels[PROJECT_LABEL]));

/** Whether the lab made it: others may give the same names, and nobody else gives these labels. */
export const bearsOurs = (labels: Record<string, string> | null | undefined) =>
	Object.keys(labels ?? {}).some((label) => SHIPPED_LABEL.test(label));

/**
 * Whether the stack of an architecture that is up was started by hand, and not by a run of the lab. Its containers say so: a network
 * that an interrupted run left is taken as it is by whoever starts a stack next.
 */
export async function isStackByHand() {
	const containers = await listContainers(labSystem());
	return containers.some(({ Labels }) => Labels['doubletake.run'] === 'by-hand');
}

/** Its containers, in no particular order. */
export async function listServices(system: System): Promise<Service[]> {
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

/** The engine has a quota as Compose's `cpus` says it, or as `cpu_quota` does. */
export function quotaCores({
	NanoCpus: nano,
	CpuQuota: quota,
	CpuPeriod: period,
}: {
	NanoCpus?: number;
	CpuQuota?: number;
	CpuPeriod?: number;
}) {
	if (nano) return nano / NANO;
	return quota && quota > 0 ? quota / (period || DEFAULT_PERIOD_US) : null;
}

/** How each of its containers stands; of one that was started again, the last end and the last start. */
export async function listStates(
	system: System,
): Promise<
	{ name: string; tier: string; running: boolean; exit_code: number; out_of_memory: boolean; started: string; finished: string }[]
> {
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

async function inspectAll(system: System) {
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

/** Compose's name of it. */
export const serviceOf = (labels: Record<string, string>) =>
	labels[SERVICE_LABEL] ?? labels[SWARM_SERVICE_LABEL]?.slice(labels[STACK_LABEL].length + 1);

/** A user's file calls `other` what the lab calls an observer. */
const tierOf = (label: string | undefined) => (label === undefined || label === 'other' ? 'observer' : label);

const levelOf = (label: string | undefined): Level => Number(label ?? 0) as Level;
