/**
 * The services of a stack on the Swarm: deployed with no container, started in the order in which they depend on each other, and removed with all
 * that is the stack's.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../../base/errors.ts';
import type { Outage } from '../../catalog/outage.ts';
import { bearsOurs, STACK_LABEL } from '../../docker/containers.ts';
import { docker, ignoreGone, readLog } from '../../docker/docker.ts';
import { endsOf, READ_LINES } from '../../docker/log-ends.ts';
import { EACH_STAYS, type Rules } from '../../docker/unwell.ts';
import { dockerCommand } from './docker-command.ts';
import type { Engine } from './engines.ts';
import { volumesOf } from './host-volumes.ts';
import type { Model } from './stack-file.ts';

/** As long as Compose has for the same. */
const UP_LIMIT_MS = 120_000;
const LOOK_MS = 500;
/** Those from which a task does not come to run by itself (https://docs.docker.com/engine/swarm/how-swarm-mode-works/swarm-task-states/). */
const FAILED = ['failed', 'rejected', 'orphaned'];

/**
 * @param stack its name
 * @param file as the Docker command line takes it; a config may have its content instead of its file
 */
export async function deploy(stack: string, file: Record<string, any>, signal: AbortSignal) {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-stack-'));
	try {
		const path = join(folder, 'stack.json');
		const configs: Record<string, any> = {};
		for (const [name, { content, ...config }] of Object.entries(file.configs as Record<string, any>)) {
			if (content !== undefined) await writeFile(join(folder, name), content);
			configs[name] = content === undefined ? config : { ...config, file: join(folder, name) };
		}
		// JSON is YAML.
		await writeFile(path, JSON.stringify({ ...file, configs }));
		await dockerCommand(['stack', 'deploy', '--detach=true', '--resolve-image', 'never', '--compose-file', path, stack], { signal });
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/**
 * What has to be there before what: a service comes after all that it depends on.
 * @param names of those that are meant
 * @returns those of a wave start together
 */
export function wavesOf(services: Model['services'], names: string[]): string[][] {
	const waves: string[][] = [];
	let left = names;
	while (left.length > 0) {
		const next = left.filter((name) => !Object.keys(services[name].depends_on ?? {}).some((other) => left.includes(other)));
		// Compose has refused circles.
		if (next.length === 0) throw new Error(`${left.join(', ')} depend on each other`);
		waves.push(next);
		left = left.filter((name) => !next.includes(name));
	}
	return waves;
}

/**
 * Gives each service its containers, and waits until they run; where it has a health check, Swarm says so when it is well.
 * @throws {NotReadyError} naming one that does not come to run, with why
 */
export async function startServices(
	stack: string,
	names: string[],
	{
		counts = {},
		rules = EACH_STAYS,
		limitMs = UP_LIMIT_MS,
		signal,
	}: {
		/** of containers; one unless given */
		counts?: Record<string, number>;
		/** what may end, and what comes back; each has to stay unless given */
		rules?: Rules;
		limitMs?: number;
		signal: AbortSignal;
	},
) {
	await dockerCommand(['service', 'scale', '--detach', ...names.map((name) => `${stack}_${name}=${counts[name] ?? 1}`)], { signal });
	const endsAt = Date.now() + limitMs;
	let left = names;
	for (;;) {
		const asked = left.map(async (name) => (await newestTasks(`${stack}_${name}`, counts[name] ?? 1)).map((task) => ({ name, task })));
		const states = (await Promise.all(asked)).flat().filter((state) => !isThere(state, rules));
		const failed = states.find((state) => FAILED.includes(stateOf(state)) && !rules.comesBack(state.name, exitCodeOf(state)));
		const overdue = Date.now() > endsAt ? states[0] : undefined;
		if (failed ?? overdue) throw await notRunning((failed ?? overdue) as State);
		left = left.filter((name) => states.some((state) => state.name === name));
		if (left.length === 0) return;
		await wait(LOOK_MS, undefined, { signal });
	}
}

/** task: undefined where Swarm has made none yet */
type State = { name: string; task: any };

const stateOf = ({ task }: State): string => task?.Status?.State ?? '';
const exitCodeOf = ({ task }: State): number => task?.Status?.ContainerStatus?.ExitCode ?? 0;

/** A job is there when it has ended well. */
function isThere(state: State, { mayEnd, isJob = () => false }: Rules) {
	if (stateOf(state) === 'complete') return mayEnd(state.name);
	return stateOf(state) === 'running' && !isJob(state.name);
}

/**
 * In each place of a service.
 * @param count of places
 * @returns undefined: Swarm has made none yet
 */
async function newestTasks(service: string, count: number): Promise<any[]> {
	const tasks = await docker.listTasks({ filters: JSON.stringify({ service: [service] }) });
	const sorted = tasks.toSorted((one: any, other: any) => Date.parse(other.CreatedAt) - Date.parse(one.CreatedAt));
	return Array.from({ length: count }, (_, index) => sorted.find(({ Slot: slot }: any) => slot === index + 1));
}

async function notRunning({ name, task }: State) {
	const { State: state = 'not made', Err: why = '', Message: message = '' } = task?.Status ?? {};
	const id = task?.Status?.ContainerStatus?.ContainerID;
	const log = id ? await readLog(id, READ_LINES).catch(() => '') : '';
	const words = [`The stack did not start: ${name} is ${state} (${why || message || 'Swarm does not say why'}).`];
	if (log.trim() !== '') words.push(`The ${endsOf(log).what} of its log:`, endsOf(log).text);
	return new NotReadyError(words.join('\n'), '"docker node ls" and "docker service ps" say more.');
}

const DRAINED = 'drained';

/**
 * Whether an outage is a drain.
 * @param text of it
 */
export const isDrained = (text: string) => text.endsWith(` ${DRAINED}`);

/** A node's attribute, its value while the node is out, and what is said of it (https://docs.docker.com/reference/cli/docker/system/events/). */
const OUT = [
	{ attribute: 'state', isOut: (value: string) => value === 'down' || value === 'disconnected', word: 'down' },
	{ attribute: 'availability', isOut: (value: string) => value === 'drain' || value === 'pause', word: DRAINED },
];

class Outages {
	all: Outage[] = [];

	/**
	 * @param line of the engine's stream
	 * @returns one that began or ended with it
	 */
	take(line: string): Outage | null {
		const { Actor: actor, timeNano } = JSON.parse(line);
		const { name, ...attributes } = actor?.Attributes ?? {};
		for (const { attribute, isOut, word } of OUT) {
			const value = attributes[`${attribute}.new`];
			if (value === undefined) continue;
			const text = `${name} ${word}`;
			const open = this.all.find((outage) => outage.text === text && outage.ended_s === null);
			const moment = timeNano / 1e9;
			if (isOut(value) && !open) {
				const began = { host: name, text, began_s: moment, ended_s: null };
				this.all.push(began);
				return began;
			}
			if (!isOut(value) && open) {
				open.ended_s = moment;
				return open;
			}
		}
		return null;
	}
}

/** @param onChange of one that began or ended */
export async function watchHosts(onChange: (outage: Outage) => void): Promise<{ outages: Outages; stop: () => void }> {
	const outages = new Outages();
	const filters = JSON.stringify({ type: ['node'], event: ['update'] });
	const stream = (await docker.getEvents({ filters })) as Readable;
	createInterface({ input: stream }).on('line', (line) => {
		const changed = outages.take(line);
		if (changed) onChange(changed);
	});
	// The stream is cut when watching ends.
	stream.on('error', () => {});
	return { outages, stop: () => stream.destroy() };
}

/** What of a stack the lab made, and what others did who call theirs by the same name: that is never removed. */
type Part = { what: string; remove: () => Promise<unknown> };

const GONE_LIMIT_MS = 60_000;

/**
 * What bears the stack's name in the Swarm, and whether the lab made it: any stack may be called so.
 * @returns nothing where this engine manages no Swarm
 */
export async function partsOf(stack: string): Promise<{ made: Part[]; foreign: string[] }> {
	const { Swarm: swarm } = await docker.info();
	if (swarm?.ControlAvailable !== true) return { made: [], foreign: [] };
	const filters = JSON.stringify({ label: [`${STACK_LABEL}=${stack}`] });
	const [services, networks, configs, secrets] = await Promise.all([
		docker.listServices({ filters }),
		docker.listNetworks({ filters }),
		docker.listConfigs({ filters }),
		docker.listSecrets({ filters }),
	]);
	const parts = [
		...services.map(({ ID: id, Spec: spec }) => ({
			what: `service ${spec?.Name}`,
			// One that an older lab deployed has them on its containers alone.
			labels: { ...spec?.Labels, ...(spec?.TaskTemplate as any)?.ContainerSpec?.Labels },
			remove: () => docker.getService(id).remove(),
		})),
		...networks.map(({ Id: id, Name: name, Labels: labels }) => ({
			what: `network ${name}`,
			labels,
			remove: () => docker.getNetwork(id).remove(),
		})),
		...configs.map(({ ID: id, Spec: spec }) => ({
			what: `config ${spec?.Name}`,
			labels: spec?.Labels,
			remove: () => docker.getConfig(id).remove(),
		})),
		...secrets.map(({ ID: id, Spec: spec }) => ({
			what: `secret ${spec?.Name}`,
			labels: spec?.Labels,
			remove: () => docker.getSecret(id).remove(),
		})),
	];
	return {
		made: parts.filter(({ labels }) => bearsOurs(labels)),
		foreign: parts.filter(({ labels }) => !bearsOurs(labels)).map(({ what }) => what),
	};
}

/**
 * Removes of it what the lab made, and waits until that and its containers are gone: the next one has the same names. What its containers
 * still use cannot be removed before them.
 * @param listContainers of the stack, on all hosts that answer
 * @returns what is still there
 */
export async function removeStack(
	stack: string,
	listContainers: () => Promise<unknown[]>,
	{ lookMs = LOOK_MS, limitMs = GONE_LIMIT_MS }: { lookMs?: number; limitMs?: number } = {},
): Promise<string[]> {
	const endsAt = Date.now() + limitMs;
	for (;;) {
		const { made } = await partsOf(stack);
		let why = '';
		for (const { what, remove } of made)
			await remove()
				.catch(ignoreGone)
				.catch((error) => {
					why = `${what}: ${error.message}`;
				});
		const containers = await listContainers();
		if (made.length === 0 && containers.length === 0) return [];
		if (Date.now() > endsAt) {
			const words = [
				...made.map(({ what }) => what),
				...(containers.length > 0 ? [`${containers.length} containers of the stack ${stack}`] : []),
			];
			return why === '' ? words : [...words, `because of ${why}`];
		}
		await wait(lookMs);
	}
}

/** What has the stack's name, in the Swarm or on one of the hosts, and is somebody else's. */
export async function foreignOf(stack: string, engines: Engine[]): Promise<string[]> {
	const ofHosts = await Promise.all(
		engines.map(async (engine) => (await volumesOf(engine, stack)).foreign.map((volume) => `volume ${volume} on ${engine.name}`)),
	);
	return [...(await partsOf(stack)).foreign, ...ofHosts.flat()];
}

/** @throws {NotReadyError} */
export async function refuseForeign(stack: string, engines: Engine[]) {
	const foreign = await foreignOf(stack, engines);
	if (foreign.length === 0) return;
	throw new NotReadyError(
		`Expected no stack "${stack}" beside Doubletake's own; found ${foreign.join(', ')}.`,
		`give that stack another name; if it and its data may go, docker stack rm ${stack}, and docker volume rm.`,
	);
}
