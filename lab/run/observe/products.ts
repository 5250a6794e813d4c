/**
 * Asks containers through the adapters of their products: once for their versions, once a second for their state while the load goes on, and
 * after it for what is left in a queue.
 *
 *
 * @import { Adapter, Container } from '../../adapters/contract.ts'
 * @import { Usage } from '../../docker/cgroup.ts'
 * @import { Lines, Service } from '../../docker/containers.ts'
 */

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { adapterOf } from '../../adapters/registry.ts';
import { readIfThere } from '../../base/bounded-file.ts';
import { makePrivate } from '../../base/files.ts';
import { SERVICE_RECORD } from '../../base/paths.ts';
import { jsonIn } from '../../base/values.ts';
import { containerOf } from '../../docker/ask-container.ts';
import { findCgroup } from '../../docker/cgroup.ts';
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

/**
 * @typedef {object} Asked
 * @property {() => Promise<object | null>} ask  null: it cannot be asked
 * @property {{ write: (line: object) => void }} record
 */

/**
 * @param {Asked[]} asked  each has at most one question under way
 * @returns {() => void} stops asking; what is answered later is not written
 */
function observeSamples(asked) {
	/** @type {Set<Asked>} */
	const underWay = new Set();
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

	/** Ends when the service has answered, or will not any more. @param {Asked} asked */
	async function sample({ ask, record }) {
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

/** @param {Service} container @returns {Adapter | null} */
const adapterFor = ({ product }) => (product === null ? null : adapterOf(product));

/**
 * @param {Service[]} containers
 * @param {(service: Service) => Container} [open]
 * @returns {Promise<Record<string, string>>} by product; of services that run several, all of them with commas between
 */
export async function readProductVersions(containers, open = containerOf) {
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
	/** @type {Map<string, Set<string>>} */
	const versions = new Map();
	for (const { product, version } of (await Promise.all(answered)).flat())
		versions.set(product, (versions.get(product) ?? new Set()).add(version));
	return Object.fromEntries([...versions].map(([product, found]) => [product, [...found].join(', ')]));
}

/**
 * Those whose product has something to ask at the level at which they are watched.
 * @param {Service[]} containers  that run
 * @param {(service: Service) => Container} open
 * @returns {{ name: string, ask: () => Promise<object | null>, release: () => Promise<void> }[]} release: after the last question
 */
function questionsFor(containers, open) {
	return containers.flatMap((container) => {
		const { sample = null, release = async () => {}, sampledFrom = SAMPLED_FROM } = adapterFor(container) ?? {};
		if (sample === null || container.watch < sampledFrom) return [];
		const opened = open(container);
		return [{ name: container.name, ask: unlessLockedOut(() => sample(opened)), release: () => release(opened) }];
	});
}

/** Who is not let in goes on to fill the log of a service with that. @param {() => Promise<object | null>} ask @returns {() => Promise<object | null>} */
function unlessLockedOut(ask) {
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
 * @param {Service[]} containers  that run
 * @param {string} rawFolder
 * @param {(service: Service) => Container} [open]
 * @returns {Promise<{ stop: () => void, close: () => Promise<void> }>} close: to be called when it has stopped
 */
export async function sampleContainers(containers, rawFolder, open = containerOf) {
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

/**
 * What the manifest says of it.
 * @typedef {object} Drained
 * @property {number | null} left   messages in the queue when the waiting ended; null where it could not be asked
 * @property {number} ended_s       when that was, seconds since 1970
 */

/**
 * @param {Service[]} stack
 * @param {{ say: (text: string) => void, signal: AbortSignal, everyMs?: number, open?: typeof containerOf }} options
 * @returns {Promise<Drained | null>} null where there is no queue that can be asked; ends when it is empty, when nobody works on it, or
 *   after three minutes
 */
export async function drainQueue(stack, { say, signal, everyMs = LOOK_EVERY_MS, open = containerOf }) {
	const queue = stack.find(({ tier }) => tier === 'queue');
	const backlog = adapterOf(queue?.product ?? '')?.backlog;
	if (queue === undefined || backlog === undefined) return null;
	const container = open(queue);
	let left = /** @type {number | null} */ (null);
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

/**
 * @param {Service[]} services
 * @param {Lines} record
 * @returns {Promise<() => void>} stops watching
 */
export async function observeContainers(services, record) {
	const readable = services.flatMap((service) => {
		const cgroup = findCgroup(service);
		return cgroup ? [{ name: service.name, cgroup }] : [];
	});
	return readable.length === services.length ? observeCgroups(readable, record) : watchStreams(services, record);
}

/** @type {(services: Service[], record: Lines) => Promise<() => void>} */
async function watchStreams(services, record) {
	const streams = await Promise.all(
		services.map(async ({ id, name }) => {
			const stream = await containerById(id).stats({ stream: true });
			const lines = createInterface({ input: /** @type {NodeJS.ReadableStream} */ (stream) });
			lines.on('line', (line) => {
				const statistics = jsonIn(line);
				// A container that has ended goes on sending empty statistics.
				if (!statistics?.cpu_stats?.system_cpu_usage || statistics.read.startsWith('0001')) return;
				record.write({ name, ...digest(statistics) });
			});
			return /** @type {import('node:stream').Readable} */ (stream);
		}),
	);
	return () => {
		for (const stream of streams) stream.destroy();
	};
}

/**
 * @param {any} statistics one answer of GET /containers/{id}/stats
 * @returns {{ t: number } & Usage}
 */
function digest(statistics) {
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
 * @param {string} label  of the containers, as in `name=value`
 * @param {Service[]} services
 * @param {Lines} record
 * @param {import('dockerode')} [connection]  of their engine
 * @returns {Promise<() => void>} stops watching
 */
export async function observeEvents(label, services, record, connection = docker) {
	const names = new Map(services.map(({ id, name }) => [id, name]));
	const filters = { type: ['container'], event: ACTIONS, label: [label] };
	const stream = /** @type {import('node:stream').Readable} */ (await connection.getEvents({ filters: JSON.stringify(filters) }));
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
 * @param {string} line of the engine's stream
 * @param {Map<string, string>} names  container to service
 * @returns {{ t: number, name: string, action: string, exit_code: number | null } | null} null for what is not a service's
 */
function readEvent(line, names) {
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
 * @param {string} id of the container
 * @returns {Promise<[number, number] | null>}
 */
export async function readPortRange(id) {
	return parsePortRange(await execute(id, ['cat', PORT_RANGE]).catch(() => null)) ?? parsePortRange(readIfThere(PORT_RANGE));
}
