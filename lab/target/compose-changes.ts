/**
 * Changes to a Compose file as the lab writes them into a file of its own, and what they make of the resolved one. The tags `!reset` and
 * `!override` take an entry of an earlier file away, or take its place
 * (https://docs.docker.com/reference/compose-file/merge/#reset-value).
 */

import { existsSync } from 'node:fs';
import os from 'node:os';
import { Document, isNode, Scalar, type YAMLMap } from 'yaml';

/** as in a Compose file, with tagged nodes in it */
export type Changes = Record<string, any>;

const [RESET, OVERRIDE] = ['!reset', '!override'];

/** A node of its own each time, so that none becomes an alias of another. */
export function reset() {
	const node = new Scalar(null);
	node.tag = RESET;
	return node;
}

export function override(value: object) {
	const node = new Document(value).contents as unknown as YAMLMap;
	node.tag = OVERRIDE;
	return node;
}

/**
 * What Compose makes of it, as far as the lab itself changes something.
 * @param config as Compose has resolved it
 * @returns a copy
 */
export function changed<T>(config: T, changes: Changes): T {
	const made = new Map(Object.entries<any>(config as any));
	for (const [key, change] of Object.entries(changes)) {
		if (isNode(change)) {
			if (change.tag === RESET) made.delete(key);
			else made.set(key, change.toJSON());
		} else if (Array.isArray(change)) made.set(key, key === 'volumes' ? byTarget(made.get(key) ?? [], change) : change);
		else made.set(key, isMapping(change) ? changed(made.get(key) || {}, change) : change);
	}
	return Object.fromEntries(made) as T;
}

/** Compose doubles each dollar sign in what it resolves, and changes have a single one. */
export const literal = (text: unknown) => String(text ?? '').replaceAll('$$', () => '$');

/** Two mounts cannot have one place. */
const byTarget: (mounts: any[], changes: any[]) => any[] = (mounts, changes) => {
	const targets = new Set(changes.map(({ target }) => literal(target)));
	return [...mounts.filter(({ target }) => !targets.has(literal(target))), ...changes];
};

/** Two sets of changes as one; where both say something of one thing the second counts. */
export function together(one: Changes, other: Changes): Changes {
	const made = new Map(Object.entries(one));
	for (const [key, change] of Object.entries(other)) {
		const before = made.get(key);
		if (Array.isArray(before) && Array.isArray(change)) made.set(key, [...before, ...change]);
		else if (isNode(before) && before.tag === OVERRIDE && Array.isArray(change)) made.set(key, override([...before.toJSON(), ...change]));
		else made.set(key, isMapping(before) && isMapping(change) ? together(before, change) : change);
	}
	return Object.fromEntries(made);
}

/** By which it is known as a run's own, and may be removed; what else bears the name of a run's project is somebody's. */
const OF_RUN = { 'doubletake.lab': 'yes' };

/**
 * @param names in the file
 * @returns by which each of them is the run's own
 */
export function withOwnLabels(changes: Changes, names: { volumes: string[]; networks: string[] }): Changes {
	const parts = (['volumes', 'networks'] as const).map((part) => [part, labelled(changes[part] ?? {}, names[part])] as const);
	return { ...changes, ...Object.fromEntries(parts.filter(([, all]) => Object.keys(all).length > 0)) };
}

function labelled(changes: Record<string, any>, names: string[]): Record<string, any> {
	const before = new Map(Object.entries<any>(changes));
	for (const name of names) {
		const change = before.get(name);
		const isWhole = isNode(change) && change.tag === OVERRIDE;
		before.set(name, isWhole ? override({ ...change.toJSON(), labels: OF_RUN }) : together(change ?? {}, { labels: OF_RUN }));
	}
	return Object.fromEntries(before);
}

const isMapping = (value: unknown): value is Record<string, any> =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !isNode(value);

/** Services for the processor of another machine. */
/**
 * what: as a clause of which the service is
 *   the subject
 */
type Rule = [applies: boolean, changes: Changes, what: string];

/** Names of Node's that images call otherwise, and those that the kernel's list of foreign programs has. */
const OF_IMAGES: Record<string, string> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
const OF_KERNEL: Record<string, string> = { amd64: 'x86_64', arm64: 'aarch64', 386: 'i386' };
const FOREIGN_PROGRAMS = '/proc/sys/fs/binfmt_misc';

function ofPlatform(
	{ platform = '', build }: { platform?: string; build?: { platforms?: string[] } },
	{ arch, has }: { arch: string; has: (path: string) => boolean },
): Rule[] {
	const [, wanted = ''] = platform.split('/');
	const isForeign = wanted !== '' && wanted !== (OF_IMAGES[arch] ?? arch);
	// Where the kernel has no such list at all, the engine is in a virtual machine that brings its own.
	const isEmulated = isForeign && (!has(FOREIGN_PROGRAMS) || has(`${FOREIGN_PROGRAMS}/qemu-${OF_KERNEL[wanted] ?? wanted}`));
	const builds = build?.platforms ? { build: { platforms: reset() } } : {};
	return [
		// An engine keeps an image of one platform only.
		[Object.keys(builds).length > 0 && !isForeign, builds, ''],
		[isForeign && isEmulated, builds, `emulated, because it is for ${platform}, so that it is slower than it would be there`],
		[
			isForeign && !isEmulated,
			{ platform: reset(), ...builds },
			`for the processor of this machine, and not for ${platform}, which cannot run here`,
		],
	];
}

/** What a service asks for that this machine does not have, and what it gets in place of it. Pure but for HERE. */
export type Machine = {
	cores: number;
	/** as Node calls it */
	arch: string;
	memoryBytes?: number;
	/** a device, or another file of the system */
	has: (path: string) => boolean;
};

/** By which drivers of the two makers show that there is one. */
const GPUS = ['/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg', '/dev/kfd'];
export const HERE: Machine = { cores: os.cpus().length, arch: os.arch(), memoryBytes: os.totalmem(), has: existsSync };

export function ofMachine(
	[service, { deploy = {}, gpus, runtime, devices = [], cpus, models, platform, build }]: [string, any],
	{ cores, arch, has }: Machine,
): { changes: Changes; said: string[] } {
	const limit = Number(deploy.resources?.limits?.cpus ?? 0);
	const reserved = deploy.resources?.reservations?.devices ?? [];
	const wantsGpu = reserved.length > 0 || (gpus ?? []).length > 0 || runtime === 'nvidia';
	const hasGpu = GPUS.some(has);
	const missing = devices.map(sourceOfDevice).filter((source: string) => source.startsWith('/') && !has(source));
	const rules: [boolean, Changes, string][] = [
		[
			wantsGpu && !hasGpu,
			{
				...(reserved.length > 0 ? { deploy: { resources: { reservations: { devices: reset() } } } } : {}),
				...(gpus ? { gpus: reset() } : {}),
				...(runtime === 'nvidia' ? { runtime: reset() } : {}),
			},
			'without the GPU that it asks for, of which this machine has none',
		],
		[
			missing.length > 0,
			{ devices: missing.length === devices.length ? reset() : override(devices.filter(isThere(missing))) },
			`without ${missing.join(', ')}, which this machine does not have`,
		],
		[
			limit > cores,
			{ deploy: { resources: { limits: { cpus: String(cores) } } } },
			`limited to ${cores} cores in place of ${limit}: this machine has no more`,
		],
		[Number(cpus ?? 0) > cores, { cpus: cores }, `limited to ${cores} cores in place of ${cpus}: this machine has no more`],
	];
	rules.push(...ofPlatform({ platform, build }, { arch, has }));
	if (models) rules.push([true, { models: reset() }, 'without the models that it asks for: a run starts none']);
	const found = rules.filter(([applies]) => applies);
	if (found.length === 0) return { changes: {}, said: [] };
	const changes = found.map(([, change]) => change).reduce(together, {});
	return {
		changes: { services: { [service]: changes } },
		said: found.flatMap(([, , what]) => (what === '' ? [] : [`${service}: ${what}.`])),
	};
}

/** A text in older versions of Compose. */
const sourceOfDevice = (device: any): string => (typeof device === 'string' ? device.split(':')[0] : (device.source ?? ''));

const isThere = (missing: string[]) => (device: any) => !missing.includes(sourceOfDevice(device));
