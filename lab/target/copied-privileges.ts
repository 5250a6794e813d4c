/**
 * What a file gives a service, or the building of its image, of the machine's own, and what the copy of a run has in its place: it works without
 * that, and nobody else on the machine notices it. Pure.
 */

import type { Changes, Machine } from './compose-changes.ts';
import { reset, together } from './compose-changes.ts';

type Part = { changes: Changes; said: string[] };

const HOST = 'host';
/** https://docs.docker.com/reference/compose-file/services/ */
const OWN: [key: string, isOfMachine: (value: string) => boolean, what: string][] = [
	['pid', (value) => value === HOST, 'processes'],
	['uts', (value) => value === HOST, 'host name'],
	['userns_mode', (value) => value === HOST, 'users'],
	['cgroup', (value) => value === HOST, 'group of processes'],
	['cgroup_parent', (value) => value !== '', 'group of processes'],
];

/**
 * @param config as Compose has resolved it
 * @param given mayGo: a service that
 * may be left out, and lends nothing
 */
export function ofNamespaces(
	{ services = {} }: any,
	{ machine, allowData, mayGo }: { machine: Machine; allowData: boolean; mayGo: (service: string) => boolean },
): Part {
	if (allowData) return { changes: {}, said: [] };
	const parts = Object.entries<any>(services).map(([service, found]) => {
		const keys = OWN.filter(([key, isOfMachine]) => isOfMachine(String(found[key] ?? '')));
		if (keys.length === 0) return { changes: {}, said: [] };
		const own = [...new Set(keys.map(([, , what]) => what))].join(', ');
		return {
			changes: { services: { [service]: Object.fromEntries(keys.map(([key]) => [key, reset()])) } },
			said: [`${service}: it has its own ${own} in place of the machine’s (${keys.map(([key]) => `${key}: ${found[key]}`).join(', ')}).`],
		};
	});
	const shared = ofSharedMemory(services, { machine, mayGo });
	return {
		changes: [...parts, shared].map(({ changes }) => changes).reduce(together, {}),
		said: [...parts, shared].flatMap(({ said }) => said),
	};
}

/** Those that share the machine's share the run's. */
function ofSharedMemory(
	services: Record<string, any>,
	{ machine: { memoryBytes = 0 }, mayGo }: { machine: Machine; mayGo: (service: string) => boolean },
): Part {
	const sharing = Object.entries(services).flatMap(([service, { ipc }]) => (ipc === HOST ? [service] : []));
	if (sharing.length === 0) return { changes: {}, said: [] };
	const [first, ...others] = sharing.toSorted((one, other) => Number(mayGo(one)) - Number(mayGo(other)));
	// As much as the kernel gives the machine's own: https://docs.kernel.org/filesystems/tmpfs.html
	const size = memoryBytes > 0 && services[first].shm_size === undefined ? { shm_size: Math.floor(memoryBytes / 2) } : {};
	const entries = [
		[first, { ipc: others.length > 0 ? 'shareable' : reset(), ...size }],
		...others.map((service) => [
			service,
			{ ipc: `service:${first}`, ...(services[service].shm_size === undefined ? {} : { shm_size: reset() }) },
		]),
	];
	return {
		changes: { services: Object.fromEntries(entries) },
		said: [`${sharing.join(', ')}: the memory that it shares is the run’s in place of the machine’s (ipc: host).`],
	};
}

/** A list, or a mapping. */
const isSaid = (value: any) => Object.keys(value).length > 0;

/** On which an image is built where nothing is said, or none. */
export const OWN_NETWORKS = ['', 'default', 'none', 'bridge'];
/** What a build leaves, or has of the user's, beside its image. What the user allows is left, but for what would stay. */
const OF_BUILD: [key: string, isTaken: (value: any, allowData: boolean) => boolean, what: string][] = [
	['tags', isSaid, 'its image has no name of yours'],
	['cache_to', isSaid, 'what is built is kept nowhere else'],
	['network', (value, allowData) => !allowData && !OWN_NETWORKS.includes(String(value)), 'it is built on the engine’s own network'],
	['ssh', (value, allowData) => !allowData && isSaid(value), 'it is built without your keys'],
];

const ENDED_LATE = 'where memory runs out it is ended as all others are';
/** What a service says to the engine, or to the program that starts it, about itself among others of the machine. */
const OF_SERVICE: typeof OF_BUILD = [
	// Some programs open files of the machine that these name: https://github.com/containers/crun/blob/main/crun.1.md
	['annotations', (value, allowData) => !allowData && isSaid(value), 'the program that starts it is told nothing beside the file'],
	['credential_spec', (value, allowData) => !allowData && isSaid(value), 'it has no account of this machine’s'],
	['oom_kill_disable', (value, allowData) => !allowData && value === true, ENDED_LATE],
	['oom_score_adj', (value, allowData) => !allowData && Number(value) < 0, ENDED_LATE],
];

function takenOf(
	found: any,
	table: typeof OF_BUILD,
	{ allowData, prefix = '' }: { allowData: boolean; prefix?: string },
): { resets: object; said: string } | null {
	const taken = table.filter(([key, isTaken]) => found?.[key] !== undefined && found[key] !== null && isTaken(found[key], allowData));
	if (taken.length === 0) return null;
	return {
		resets: Object.fromEntries(taken.map(([key]) => [key, reset()])),
		said: taken.map(([key, , what]) => `${what} (${prefix}${key})`).join(', '),
	};
}

function partFor(services: Record<string, any>, of: (found: any) => { changes: object; said: string } | null): Part {
	const parts = Object.entries(services).flatMap(([service, found]) => {
		const part = of(found);
		return part === null ? [] : [{ changes: { services: { [service]: part.changes } }, said: `${service}: ${part.said}.` }];
	});
	return { changes: parts.map(({ changes }) => changes).reduce(together, {}), said: parts.map(({ said }) => said) };
}

export const ofBuilds: (config: any, given: { allowData: boolean }) => Part = ({ services = {} }, { allowData }) =>
	partFor(services, ({ build }) => {
		const taken = takenOf(build, OF_BUILD, { allowData, prefix: 'build.' });
		return taken && { changes: { build: taken.resets }, said: taken.said };
	});

export const ofTaken: (config: any, given: { allowData: boolean }) => Part = ({ services = {} }, { allowData }) =>
	partFor(services, (found) => {
		const taken = takenOf(found, OF_SERVICE, { allowData });
		return taken && { changes: taken.resets, said: taken.said };
	});
