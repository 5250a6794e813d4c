/**
 * The services of a stack on the Swarm: deployed with no container, started in the order in which they depend on each other, and removed with all
 * that is the stack's.
 *
 *
 * @import { Rules } from '../../docker/unwell.ts'
 * @import { Engine } from './engines.ts'
 * @import { Model } from './stack-file.ts'
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../../base/errors.ts';
import { runBounded } from '../../docker/bounded.ts';
import { bearsOurs, STACK_LABEL } from '../../docker/containers.ts';
import { docker, ignoreGone, readLog } from '../../docker/docker.ts';
import { EACH_STAYS, endsOf, READ_LINES } from '../../docker/unwell.ts';
import { YES } from './placement.ts';

/*
 * What of a Swarm the Docker command line does and the API does not: it turns a stack's file into services.
 */

const LIMIT_MS = 60_000;

/**
 * @param {string[]} args
 * @param {{ signal?: AbortSignal, input?: string }} [options]
 * @returns {Promise<string>} what it printed
 * @throws {NotReadyError} with its own words, when it fails or does not end in time
 */
export async function dockerCommand(args, { signal, input } = {}) {
	const result = await runBounded('docker', args, {
		limitMs: LIMIT_MS,
		// What is called without a signal takes down, or gives a host back.
		...(signal === undefined ? { survives: true } : { signal }),
		...(input === undefined ? {} : { input }),
	});
	signal?.throwIfAborted();
	if (!result.failed) return result.all;
	const said = result.timedOut ? `it did not end in ${LIMIT_MS / 1000} s` : result.all.trim() || result.shortMessage;
	throw new NotReadyError(`"docker ${args.slice(0, 2).join(' ')}" failed: ${said}`, 'look at "docker node ls" and "docker service ls".');
}

/** As long as Compose has for the same. */
const UP_LIMIT_MS = 120_000;
const LOOK_MS = 500;
/** Those from which a task does not come to run by itself (https://docs.docker.com/engine/swarm/how-swarm-mode-works/swarm-task-states/). */
const FAILED = ['failed', 'rejected', 'orphaned'];

/**
 * @param {string} stack  its name
 * @param {Record<string, any>} file  as the Docker command line takes it; a config may have its content instead of its file
 * @param {AbortSignal} signal
 */
export async function deploy(stack, file, signal) {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-stack-'));
	try {
		const path = join(folder, 'stack.json');
		/** @type {Record<string, any>} */
		const configs = {};
		for (const [name, { content, ...config }] of Object.entries(/** @type {Record<string, any>} */ (file.configs))) {
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
 * @param {Model['services']} services
 * @param {string[]} names  of those that are meant
 * @returns {string[][]} those of a wave start together
 */
export function wavesOf(services, names) {
	/** @type {string[][]} */
	const waves = [];
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
 * @param {string} stack
 * @param {string[]} names
 * @param {object} options
 * @param {Record<string, number>} [options.counts]  of containers; one unless given
 * @param {Rules} [options.rules]  what may end, and what comes back; each has to stay unless given
 * @param {number} [options.limitMs]
 * @param {AbortSignal} options.signal
 * @throws {NotReadyError} naming one that does not come to run, with why
 */
export async function startServices(stack, names, { counts = {}, rules = EACH_STAYS, limitMs = UP_LIMIT_MS, signal }) {
	await dockerCommand(['service', 'scale', '--detach', ...names.map((name) => `${stack}_${name}=${counts[name] ?? 1}`)], { signal });
	const endsAt = Date.now() + limitMs;
	let left = names;
	for (;;) {
		const asked = left.map(async (name) => (await newestTasks(`${stack}_${name}`, counts[name] ?? 1)).map((task) => ({ name, task })));
		const states = (await Promise.all(asked)).flat().filter((state) => !isThere(state, rules));
		const failed = states.find((state) => FAILED.includes(stateOf(state)) && !rules.comesBack(state.name, exitCodeOf(state)));
		const overdue = Date.now() > endsAt ? states[0] : undefined;
		if (failed ?? overdue) throw await notRunning(/** @type {State} */ (failed ?? overdue));
		left = left.filter((name) => states.some((state) => state.name === name));
		if (left.length === 0) return;
		await wait(LOOK_MS, undefined, { signal });
	}
}

/** @typedef {{ name: string, task: any }} State  task: undefined where Swarm has made none yet */

/** @param {State} state @returns {string} */
const stateOf = ({ task }) => task?.Status?.State ?? '';
/** @param {State} state @returns {number} */
const exitCodeOf = ({ task }) => task?.Status?.ContainerStatus?.ExitCode ?? 0;

/** A job is there when it has ended well. @param {State} state @param {Rules} rules */
function isThere(state, { mayEnd, isJob = () => false }) {
	if (stateOf(state) === 'complete') return mayEnd(state.name);
	return stateOf(state) === 'running' && !isJob(state.name);
}

/**
 * In each place of a service.
 * @param {string} service
 * @param {number} count  of places
 * @returns {Promise<any[]>} undefined: Swarm has made none yet
 */
async function newestTasks(service, count) {
	const tasks = await docker.listTasks({ filters: JSON.stringify({ service: [service] }) });
	const sorted = tasks.toSorted(
		(/** @type {any} */ one, /** @type {any} */ other) => Date.parse(other.CreatedAt) - Date.parse(one.CreatedAt),
	);
	return Array.from({ length: count }, (_, index) => sorted.find((/** @type {any} */ { Slot: slot }) => slot === index + 1));
}

/** @param {State} state */
async function notRunning({ name, task }) {
	const { State: state = 'not made', Err: why = '', Message: message = '' } = task?.Status ?? {};
	const id = task?.Status?.ContainerStatus?.ContainerID;
	const log = id ? await readLog(id, READ_LINES).catch(() => '') : '';
	const words = [`The stack did not start: ${name} is ${state} (${why || message || 'Swarm does not say why'}).`];
	if (log.trim() !== '') words.push(`The ${endsOf(log).what} of its log:`, endsOf(log).text);
	return new NotReadyError(words.join('\n'), '"docker node ls" and "docker service ps" say more.');
}

/**
 * What happens to the hosts while a run goes on, as the Swarm's manager tells it: a host that does not answer any more, or was drained.
 * The moment is that at which the manager noticed, which is some heartbeats after it happened.
 *
 * @typedef {object} Outage     seconds since 1970
 * @property {string} host
 * @property {string} text      such as `host2 down`
 * @property {number} began_s
 * @property {number | null} ended_s  null: not before the end
 */

const DRAINED = 'drained';

/** Whether an outage is a drain. @param {string} text  of it */
export const isDrained = (text) => text.endsWith(` ${DRAINED}`);

/** A node's attribute, its value while the node is out, and what is said of it (https://docs.docker.com/reference/cli/docker/system/events/). */
const OUT = [
	{ attribute: 'state', isOut: (/** @type {string} */ value) => value === 'down' || value === 'disconnected', word: 'down' },
	{ attribute: 'availability', isOut: (/** @type {string} */ value) => value === 'drain' || value === 'pause', word: DRAINED },
];

class Outages {
	/** @type {Outage[]} */
	all = [];

	/**
	 * @param {string} line  of the engine's stream
	 * @returns {Outage | null} one that began or ended with it
	 */
	take(line) {
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

/**
 * @param {(outage: Outage) => void} onChange  of one that began or ended
 * @returns {Promise<{ outages: Outages, stop: () => void }>}
 */
export async function watchHosts(onChange) {
	const outages = new Outages();
	const filters = JSON.stringify({ type: ['node'], event: ['update'] });
	const stream = /** @type {import('node:stream').Readable} */ (await docker.getEvents({ filters }));
	createInterface({ input: stream }).on('line', (line) => {
		const changed = outages.take(line);
		if (changed) onChange(changed);
	});
	// The stream is cut when watching ends.
	stream.on('error', () => {});
	return { outages, stop: () => stream.destroy() };
}

/*
 * The volumes of a stack on each host: the one of the record is made before any container, and all are removed with the stack.
 */

/** Of the volume that the record is written to (compose/lab.yaml, lab/target/overlay.ts). */
const RECORD_LABEL = 'doubletake.record';

/**
 * @param {Engine} engine
 * @param {string} stack
 * @param {Record<string, any>} volumes  of the stack's file
 * @returns {Promise<string>} the name of the record's
 */
export async function makeRecordVolume({ connection }, stack, volumes) {
	const [key] = Object.keys(volumes).filter((one) => volumes[one].labels?.[RECORD_LABEL] === YES);
	const { driver_opts: options = {}, labels = {} } = volumes[key];
	const name = `${stack}_${key}`;
	// As Swarm labels the others.
	await connection.createVolume({ Name: name, DriverOpts: options, Labels: { ...labels, [STACK_LABEL]: stack } });
	return name;
}

/** Those that the lab made. @param {Engine} engine @param {string} stack */
export async function removeVolumes(engine, stack) {
	const { made } = await volumesOf(engine, stack);
	await Promise.all(made.map((name) => engine.connection.getVolume(name).remove().catch(ignoreGone)));
}

/**
 * What bears the stack's name, and whether the lab made it: any stack may be called so.
 * @param {Engine} engine
 * @param {string} stack
 * @returns {Promise<{ made: string[], foreign: string[] }>} names
 */
async function volumesOf({ connection }, stack) {
	const { Volumes: volumes } = await connection.listVolumes({ filters: JSON.stringify({ label: [`${STACK_LABEL}=${stack}`] }) });
	const namesOf = (/** @type {boolean} */ ours) =>
		(volumes ?? []).filter(({ Labels: labels }) => bearsOurs(labels) === ours).map(({ Name: name }) => name);
	return { made: namesOf(true), foreign: namesOf(false) };
}

/**
 * What of a stack the lab made, and what others did who call theirs by the same name: that is never removed.
 *
 * @typedef {{ what: string, remove: () => Promise<unknown> }} Part
 */

const GONE_LIMIT_MS = 60_000;

/**
 * What bears the stack's name in the Swarm, and whether the lab made it: any stack may be called so.
 * @param {string} stack
 * @returns {Promise<{ made: Part[], foreign: string[] }>} nothing where this engine manages no Swarm
 */
export async function partsOf(stack) {
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
			labels: { ...spec?.Labels, .../** @type {any} */ (spec?.TaskTemplate)?.ContainerSpec?.Labels },
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
 * @param {string} stack
 * @param {() => Promise<unknown[]>} listContainers  of the stack, on all hosts that answer
 * @param {{ lookMs?: number, limitMs?: number }} [bounds]
 * @returns {Promise<string[]>} what is still there
 */
export async function removeStack(stack, listContainers, { lookMs = LOOK_MS, limitMs = GONE_LIMIT_MS } = {}) {
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

/**
 * What has the stack's name, in the Swarm or on one of the hosts, and is somebody else's.
 * @param {string} stack
 * @param {Engine[]} engines
 * @returns {Promise<string[]>}
 */
export async function foreignOf(stack, engines) {
	const ofHosts = await Promise.all(
		engines.map(async (engine) => (await volumesOf(engine, stack)).foreign.map((volume) => `volume ${volume} on ${engine.name}`)),
	);
	return [...(await partsOf(stack)).foreign, ...ofHosts.flat()];
}

/** @param {string} stack @param {Engine[]} engines @throws {NotReadyError} */
export async function refuseForeign(stack, engines) {
	const foreign = await foreignOf(stack, engines);
	if (foreign.length === 0) return;
	throw new NotReadyError(
		`Expected no stack "${stack}" beside Doubletake's own; found ${foreign.join(', ')}.`,
		`give that stack another name; if it and its data may go, docker stack rm ${stack}, and docker volume rm.`,
	);
}
