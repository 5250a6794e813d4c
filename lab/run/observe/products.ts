/**
 * Asks containers through the adapters of their products: once for their versions, once a second for their state while the load goes on, and
 * after it for what is left in a queue.
 */

import { join } from 'node:path';
import type { Adapter, Container } from '../../adapters/contract.ts';
import { adapterOf } from '../../adapters/registry.ts';
import { readIfThere } from '../../base/bounded-file.ts';
import { makePrivate } from '../../base/files.ts';
import { SERVICE_RECORD } from '../../base/paths.ts';
import { containerOf } from '../../docker/ask-container.ts';
import type { Service } from '../../docker/containers.ts';
import { execute } from '../../docker/docker.ts';
import { RecordFile } from '../../docker/record-file.ts';
import { observeSamples } from './observe-samples.ts';
import { parsePortRange } from './sockets.ts';

const VERSION_LIMIT_MS = 5000;
const UNKNOWN = 'unknown';
/** Below this level a service's state is not asked for, unless its adapter says otherwise. */
const SAMPLED_FROM = 1;

const adapterFor = ({ product }: Service): Adapter | null => (product === null ? null : adapterOf(product));

/** @returns by product; of services that run several, all of them with commas between */
export async function readProductVersions(
	containers: Service[],
	open: (service: Service) => Container = containerOf,
): Promise<Record<string, string>> {
	const first = containers.filter(
		({ service, pid }, index) => pid > 0 && index === containers.findIndex((other) => other.service === service),
	);
	const answered = first.map(async (container) => {
		const adapter = adapterFor(container);
		const version = adapter?.version ?? null;
		if (adapter === null || version === null) return [];
		const answer = await open(container)
			.execute(version.command, VERSION_LIMIT_MS)
			.catch(() => null);
		return [{ product: adapter.product, version: version.pattern.exec(answer?.output ?? '')?.[1] ?? UNKNOWN }];
	});
	const versions: Map<string, Set<string>> = new Map();
	for (const { product, version } of (await Promise.all(answered)).flat())
		versions.set(product, (versions.get(product) ?? new Set()).add(version));
	return Object.fromEntries([...versions].map(([product, found]) => [product, [...found].join(', ')]));
}

/**
 * Those whose product has something to ask at the level at which they are watched.
 * @param containers that run
 * @returns release: after the last question
 */
function questionsFor(
	containers: Service[],
	open: (service: Service) => Container,
): { name: string; ask: () => Promise<object | null>; release: () => Promise<void> }[] {
	return containers.flatMap((container) => {
		const { sample = null, release = async () => {}, sampledFrom = SAMPLED_FROM } = adapterFor(container) ?? {};
		if (sample === null || container.watch < sampledFrom) return [];
		const opened = open(container);
		return [{ name: container.name, ask: unlessLockedOut(() => sample(opened)), release: () => release(opened) }];
	});
}

/** Who is not let in goes on to fill the log of a service with that. */
function unlessLockedOut(ask: () => Promise<object | null>): () => Promise<object | null> {
	let refused = 0;
	return async () => {
		if (refused >= LOCKED_OUT_MOST) return null;
		const answer = await ask();
		refused = answer && 'lockedOut' in answer ? refused + 1 : 0;
		return answer;
	};
}
/** In a row: a server that begins may not have made its users yet. */
const LOCKED_OUT_MOST = 3;

/**
 * @param containers that run
 * @returns close: to be called when it has stopped
 */
export async function sampleContainers(
	containers: Service[],
	rawFolder: string,
	open: (service: Service) => Container = containerOf,
): Promise<{ stop: () => void; close: () => Promise<void> }> {
	const asked = await Promise.all(
		questionsFor(containers, open).map(async ({ name, ask, release }) => {
			const folder = join(rawFolder, name);
			await makePrivate(folder);
			return { ask, release, record: new RecordFile(join(folder, SERVICE_RECORD.samples)) };
		}),
	);
	return {
		stop: observeSamples(asked),
		close: async () => {
			await Promise.all(asked.flatMap(({ record, release }) => [record.close(), release()]));
		},
	};
}

const PORT_RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

/**
 * The local ports that a container's connections may have. Each namespace has a range of its own, which is shown inside it alone. Asked once,
 * before the load; where the container has no program that could tell, that of this machine stands for it.
 * @param id of the container
 */
export async function readPortRange(id: string): Promise<[number, number] | null> {
	return parsePortRange(await execute(id, ['cat', PORT_RANGE]).catch(() => null)) ?? parsePortRange(readIfThere(PORT_RANGE));
}
