/**
 * Asks containers through the adapters of their products: once for their versions, once a second for their state while the load goes on, and
 * after it for what is left in a queue.
 */

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Adapter, Container } from '../../adapters/contract.ts';
import { adapterOf } from '../../adapters/registry.ts';
import { readIfThere } from '../../base/bounded-file.ts';
import { makePrivate } from '../../base/files.ts';
import { SERVICE_RECORD } from '../../base/paths.ts';
import { jsonIn } from '../../base/values.ts';
import { containerOf } from '../../docker/ask-container.ts';
import type { Usage } from '../../docker/cgroup.ts';
import { findCgroup } from '../../docker/cgroup.ts';
import type { Lines, Service } from '../../docker/containers.ts';
import { containerById, docker, execute } from '../../docker/docker.ts';
import { RecordFile } from '../../docker/scratch.ts';
import { parsePortRange } from './machine.ts';
import { observeCgroups } from './observe-kernel.ts';

/*
 * Asks services for their own state once a second, where their adapter knows how. What does not answer in time leaves no line: a
 * missing sample says so itself.
 */

const EVERY_MS = 1000;
/** An answer that comes later would be the next second's. */
const ANSWER_LIMIT_MS = 900;

type Asked = {
	/** null: it cannot be asked */
	ask: () => Promise<object | null>;
	record: { write: (line: object) => void };
};

/**
 * @param asked each has at most one question under way
 * @returns stops asking; what is answered later is not written
 */
function observeSamples(asked: Asked[]): () => void {
	const underWay: Set<Asked> = new Set();
	let isWatching = true;
	const timer = setInterval(() => {
		for (const one of asked) {
			if (underWay.has(one)) continue;
			underWay.add(one);
			sample(one).finally(() => underWay.delete(one));
		}
	}, EVERY_MS);
	return () => {
		isWatching = false;
		clearInterval(timer);
	};

	/** Ends when the service has answered, or will not any more. */
	async function sample({ ask, record }: Asked) {
		const askedAt = Date.now();
		const answer = await ask().catch(() => null);
		const now = Date.now();
		if (isWatching && answer !== null && now - askedAt <= ANSWER_LIMIT_MS) record.write({ t: now / 1000, ...answer });
	}
}

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
/** In a row: a server that begins may not have made its users yet. The lab's own choice. */
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

/*
 * Waits, after the load, for a queue to be worked off: what was accepted is not done before.
 */

const LOOK_EVERY_MS = 1000;
/** A backlog that does not fall for so long has nobody who works on it. */
const STUCK_LOOKS = 15;
/** So is one that never told how much is in it: nobody has said what to ask it for. The lab's own choice. */
const SILENT_LOOKS = 5;
/** The published load leaves less than a minute's work; the lab's own choice. */
const MOST_LOOKS = 180;

/** What the manifest says of it. */
type Drained = {
	/** messages in the queue when the waiting ended; null where it could not be asked */
	left: number | null;
	/** when that was, seconds since 1970 */
	ended_s: number;
};

/**
 * @returns null where there is no queue that can be asked; ends when it is empty, when nobody works on it, or
 * after three minutes
 */
export async function drainQueue(
	stack: Service[],
	{
		say,
		signal,
		everyMs = LOOK_EVERY_MS,
		open = containerOf,
	}: { say: (text: string) => void; signal: AbortSignal; everyMs?: number; open?: typeof containerOf },
): Promise<Drained | null> {
	const queue = stack.find(({ tier }) => tier === 'queue');
	const backlog = adapterOf(queue?.product ?? '')?.backlog;
	if (queue === undefined || backlog === undefined) return null;
	const container = open(queue);
	let left = null as number | null;
	let least = Number.POSITIVE_INFINITY;
	let stuck = 0;
	const isStuck = () => stuck >= (Number.isFinite(least) ? STUCK_LOOKS : SILENT_LOOKS);
	for (let looks = 0; looks < MOST_LOOKS && !isStuck() && !signal.aborted; looks += 1) {
		left = await backlog(container).catch(() => null);
		if (left === 0) break;
		if (looks === 0 && left !== null)
			say(
				`the load has ended with ${left.toLocaleString('en-US')} in the queue; waiting for them to be done, for ${MOST_LOOKS / 60} minutes at most`,
			);
		stuck = left !== null && left < least ? 0 : stuck + 1;
		least = Math.min(least, left ?? least);
		await wait(everyMs, undefined, { signal }).catch(() => {});
	}
	return { left, ended_s: Date.now() / 1000 };
}

/*
 * CPU, throttling, memory, pressure, disk and open files of every container, once a second: from the kernel's files where the lab can read them, else
 * from the Docker API's stream of statistics. Nothing is asked of the containers themselves.
 */

const NANOSECONDS = 1e9;

/** @returns stops watching */
export async function observeContainers(services: Service[], record: Lines): Promise<() => void> {
	const readable = services.flatMap((service) => {
		const cgroup = findCgroup(service);
		return cgroup ? [{ name: service.name, cgroup }] : [];
	});
	return readable.length === services.length ? observeCgroups(readable, record) : watchStreams(services, record);
}

async function watchStreams(services: Service[], record: Lines): Promise<() => void> {
	const streams = await Promise.all(
		services.map(async ({ id, name }) => {
			const stream = await containerById(id).stats({ stream: true });
			const lines = createInterface({ input: stream as NodeJS.ReadableStream });
			lines.on('line', (line) => {
				const statistics = jsonIn(line);
				// A container that has ended goes on sending empty statistics.
				if (!statistics?.cpu_stats?.system_cpu_usage || statistics.read.startsWith('0001')) return;
				record.write({ name, ...digest(statistics) });
			});
			return stream as Readable;
		}),
	);
	return () => {
		for (const stream of streams) stream.destroy();
	};
}

/** @param statistics one answer of GET /containers/{id}/stats */
function digest(statistics: any): { t: number } & Usage {
	const { cpu_stats: cpu, memory_stats: memory } = statistics;
	return {
		t: Date.parse(statistics.read) / 1000,
		cpu_s: cpu.cpu_usage.total_usage / NANOSECONDS,
		periods: cpu.throttling_data.periods,
		throttled_periods: cpu.throttling_data.throttled_periods,
		throttled_s: cpu.throttling_data.throttled_time / NANOSECONDS,
		memory_bytes: Math.max(0, (memory.usage ?? 0) - (memory.stats?.inactive_file ?? memory.stats?.total_inactive_file ?? 0)),
	};
}

/*
 * What happens to the containers while a run goes on, as the engine tells it: each end, each kill for lack of memory, each
 * start. A container's last state alone would hide all but the last of them.
 */

/** By which an engine knows a container of a Swarm. */
const TASK = 'com.docker.swarm.task.id';
const ACTIONS = ['die', 'oom', 'start', 'pause', 'unpause'];

/**
 * @param label of the containers, as in `name=value`
 * @param connection of their engine
 * @returns stops watching
 */
export async function observeEvents(
	label: string,
	services: Service[],
	record: Lines,
	connection: import('dockerode') = docker,
): Promise<() => void> {
	const names = new Map(services.map(({ id, name }) => [id, name]));
	const filters = { type: ['container'], event: ACTIONS, label: [label] };
	const stream = (await connection.getEvents({ filters: JSON.stringify(filters) })) as Readable;
	const lines = createInterface({ input: stream });
	lines.on('line', (line) => {
		const event = readEvent(line, names);
		if (event) record.write(event);
	});
	// The stream is cut when watching ends.
	stream.on('error', () => {});
	return () => stream.destroy();
}

/**
 * @param line of the engine's stream
 * @param names container to service
 * @returns null for what is not a service's
 */
function readEvent(line: string, names: Map<string, string>): { t: number; name: string; action: string; exit_code: number | null } | null {
	const { Actor: actor, Action: action, timeNano } = JSON.parse(line);
	const attributes = actor?.Attributes ?? {};
	// One that a Swarm started in the place of another.
	const name = names.get(actor?.ID) ?? (attributes[TASK] === undefined ? undefined : attributes['doubletake.name']);
	if (name === undefined) return null;
	const { exitCode } = attributes;
	return { t: timeNano / 1e9, name, action, exit_code: exitCode === undefined ? null : Number(exitCode) };
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
