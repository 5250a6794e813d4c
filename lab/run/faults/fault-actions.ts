/**
 * What is done to containers while the load goes on: killed, paused, cut off the network, a worker process crashed.
 *
 * @import { Action } from '../../adapters/faults.ts'
 * @import { NotReadyError } from '../../base/errors.ts'
 * @import { Deployment, Service, System } from '../../docker/containers.ts'
 * @import { Kind, PlannedFault, PutFault } from '../../options/fault-plan.ts'
 * @import { Manifest } from '../components.ts'
 * @import { Quota } from '../quotas.ts'
 */

import { setTimeout as wait } from 'node:timers/promises';
import { NotInjectedError, UnansweredError } from '../../base/errors.ts';
import { PROJECT } from '../../base/paths.ts';
import { labSystem, listServices, quotaCores } from '../../docker/containers.ts';
import { containerById, docker, engineOf, execute, executeToEnd } from '../../docker/docker.ts';
import { quotaBefore, quotaOf } from '../quotas.ts';
import {
	checkCutting,
	checkDelaying,
	checkLosing,
	cutOff,
	delayPackets,
	joinAgain,
	losePackets,
	removePacketDelay,
	removePacketLoss,
} from './network-faults.ts';

/** The lab's own network. */
const OWN_NETWORK = 'lab';
/** The engine keeps some addresses for networks whose range somebody chose, and says so with this. */
const ADDRESS_REFUSED = /user specified IP address/;
const CRASHED = 'crashed';
/** Docker's own time for a container to end by itself. */
const STOP_LIMIT_S = 10;
/** Actions on a host, and to no container. */
const OF_HOSTS = ['drain', 'activate'];
const HOST = /** @type {Service} */ (/** @type {unknown} */ ({}));

/** The container's image has a shell and maybe no more: the first child of its first process. */
const CRASH_WORKER = `
for status in /proc/[0-9]*/status; do
  pid=\${status//[!0-9]/}
  while read -r key value; do
    if [ "$key" = PPid: ] && [ "$value" = 1 ]; then
      kill -SEGV "$pid" && echo ${CRASHED}
      exit
    fi
  done 2>/dev/null <"$status"
done`;

/** @typedef {{ Aliases?: string[] | null, IPAddress: string }} Endpoint  of a container on a network */
/**
 * @typedef {object} Around  what an action may have to know beside its own container
 * @property {Service[]} services
 * @property {Deployment | undefined} deployment  of a Swarm
 * @property {Map<string, Endpoint>} endpoints  that were taken away, by service and network
 * @property {Map<string, Quota>} quotas        as they were before they were changed, by service
 *
 * @typedef {(service: Service, action: Action, around: Around) => Promise<void>} FaultAction
 */

/**
 * @param {Action[]} actions in the order of time
 * @param {number} beganS    start of the load, seconds since 1970
 * @param {AbortSignal} signal
 * @param {object} [options]
 * @param {System} [options.system]  whose containers; the shipped architecture's that is up unless given
 * @param {(action: Action, askedS: number, doneS: number) => void} [options.onDone]  with the moments, seconds since 1970
 * @param {AbortSignal} [options.over]  aborts when the load has ended, maybe before its time: then what was begun is undone at once, and
 *   what was not is not begun
 * @throws {NotInjectedError} when one cannot be done
 */
export async function act(actions, beganS, signal, { system = labSystem(), onDone = () => {}, over } = {}) {
	const kept = { endpoints: new Map(), quotas: new Map() };
	for (const [index, action] of actions.entries()) {
		await untilDue(beganS + action.after_s, { signal, over });
		if (over?.aborted && index === 0) throw new NotInjectedError('the load had ended before its moment');
		const services = await listServices(system);
		const service = OF_HOSTS.includes(action.action) ? HOST : services.find(({ name }) => name === action.service);
		if (!service) throw new NotInjectedError(`there is no container ${action.service} to ${action.action}`);
		const askedS = Date.now() / 1000;
		await performers[action.action](service, action, { services, deployment: system.deployment, ...kept });
		onDone(action, askedS, Date.now() / 1000);
	}
}

/** @type {(dueS: number, signals: { signal: AbortSignal, over?: AbortSignal }) => Promise<void>} */
async function untilDue(dueS, { signal, over }) {
	try {
		const either = over === undefined ? signal : AbortSignal.any([signal, over]);
		await wait(Math.max(0, dueS * 1000 - Date.now()), undefined, { signal: either });
	} catch (error) {
		if (signal.aborted) throw error;
	}
}

/** @type {Record<Action['action'], FaultAction>} */
const performers = {
	kill: ({ id }) => containerById(id).kill(),
	start: ({ id }) => containerById(id).start(),
	stop: ({ id }) => containerById(id).stop({ t: STOP_LIMIT_S }),
	restart: ({ id }) => containerById(id).restart({ t: STOP_LIMIT_S }),
	pause: ({ id }) => containerById(id).pause(),
	unpause: ({ id }) => containerById(id).unpause(),
	disconnect,
	connect,
	'crash-worker': crashWorker,
	cut: (service, action, { services }) => cutOff(service, otherOf(action, services)),
	join: (service, action, { services }) => joinAgain(service, otherOf(action, services)),
	lose: (service, action, { services }) => losePackets(service, otherOf(action, services), Number(action.share)),
	'lose-no-more': (service, action, { services }) => removePacketLoss(service, otherOf(action, services), Number(action.share)),
	delay: (service, action, { services }) => delayPackets(service, otherOf(action, services), Number(action.delay_ms)),
	'delay-no-more': (service, action, { services }) => removePacketDelay(service, otherOf(action, services)),
	quota: changeQuota,
	execute: runIn,
	update: ({ service }, _, { deployment }) => onSwarm(deployment).update(service),
	drain: (_, { service }, { deployment }) => onSwarm(deployment).setAvailability(service, 'drain'),
	activate: (_, { service }, { deployment }) => onSwarm(deployment).setAvailability(service, 'active'),
};

/** @param {Deployment | undefined} deployment */
function onSwarm(deployment) {
	if (deployment) return deployment;
	throw new NotInjectedError('it is not run on a Swarm');
}

/** @type {(action: Action, services: Service[]) => Service} */
function otherOf({ service, action, other }, services) {
	const found = services.find(({ name }) => name === other);
	if (found) return found;
	throw new NotInjectedError(`there is no container ${other} to ${action} on the way to it from ${service}`);
}

/** @type {FaultAction} */
async function changeQuota({ id, name }, { cores, share }, { quotas }) {
	const container = containerById(id);
	if (!quotas.has(name)) quotas.set(name, (await container.inspect()).HostConfig);
	const before = quotas.get(name) ?? {};
	const wanted = share === undefined ? cores : share * (quotaCores(before) ?? (await engineOf(id).info()).NCPU);
	await container.update(wanted === undefined ? quotaBefore(before) : quotaOf(wanted, before));
}

/** @type {FaultAction} */
async function disconnect({ id, name }, { network = OWN_NETWORK }, { endpoints }) {
	const full = `${PROJECT}_${network}`;
	const { NetworkSettings: settings } = await containerById(id).inspect();
	const endpoint = settings.Networks[full];
	if (!endpoint) throw new Error(`${name} is not on the network ${full}.`);
	endpoints.set(`${name} ${network}`, endpoint);
	await docker.getNetwork(full).disconnect({ Container: id, Force: true });
}

/** @type {FaultAction} */
async function connect({ id, name }, { network = OWN_NETWORK }, { endpoints }) {
	const full = `${PROJECT}_${network}`;
	const before = endpoints.get(`${name} ${network}`);
	if (!before) throw new Error(`${name} was not cut off ${full}, so that there is nothing to connect again.`);
	const endpoint = { Aliases: before.Aliases ?? [] };
	try {
		await docker.getNetwork(full).connect({
			Container: id,
			EndpointConfig: { ...endpoint, IPAMConfig: { IPv4Address: before.IPAddress } },
		});
	} catch (error) {
		if (!ADDRESS_REFUSED.test(String(error))) throw error;
		// Without being told, the engine gives the lowest address that is free: the one that was given up.
		await docker.getNetwork(full).connect({ Container: id, EndpointConfig: endpoint });
	}
	const { NetworkSettings: settings } = await containerById(id).inspect();
	const now = settings.Networks[full]?.IPAddress;
	if (now !== before.IPAddress) throw new Error(`${name} came back as ${now} and was ${before.IPAddress}: nobody would find it.`);
}

/** @type {FaultAction} */
async function crashWorker({ id, name }) {
	const said = await execute(id, ['bash', '-c', CRASH_WORKER]);
	if (!said.includes(CRASHED)) throw new Error(`No worker process of ${name} could be crashed: ${said.trim() || '(nothing said)'}`);
}

/** @type {FaultAction} */
async function runIn({ id, name }, { command = [], limit_s: limitS }) {
	const bounds = limitS === undefined ? {} : { limitMs: limitS * 1000 };
	const { exitCode, output } = await executeToEnd(id, command, bounds).catch((error) => {
		throw error instanceof UnansweredError ? new NotInjectedError(`what was run in ${name} did not end in time`) : error;
	});
	if (exitCode === 0) return;
	const said = output.trim().split('\n').at(-1) || 'it said nothing';
	throw new NotInjectedError(`what was run in ${name} ended with ${exitCode} (${said})`);
}

/**
 * Puts planned faults into a run, each at its moment, and keeps when each was really there.
 *
 */

const CONTAINER_ID = /\bcontainer [0-9a-f]{64}\b/i;

/** What begins a fault, and what ends it. @type {Record<Kind, [Action['action'], Action['action'] | null]>} */
const FAULT_ACTIONS = {
	kill: ['kill', 'start'],
	stop: ['stop', 'start'],
	restart: ['restart', null],
	pause: ['pause', 'unpause'],
	cpu: ['quota', 'quota'],
	cut: ['cut', 'join'],
	loss: ['lose', 'lose-no-more'],
	delay: ['delay', 'delay-no-more'],
	update: ['update', null],
	drain: ['drain', 'activate'],
};

/** What tells whether this machine can do it, of those that not every machine can. */
const CHECKS = /** @type {const} */ ({ cut: checkCutting, loss: checkLosing, delay: checkDelaying });

/**
 * @param {PlannedFault} fault
 * @returns {Action[]} in the order of time
 */
function actionsOf({ kind, service, cores, share, delay_ms: delayMs, other, at_s: at, lasts_s: lasts }) {
	const [first, last] = FAULT_ACTIONS[kind];
	const whose = { service, ...(other === null ? {} : { other }) };
	const how = {
		...(cores === null ? {} : { cores }),
		...(share === null ? {} : { share }),
		...(delayMs === null ? {} : { delay_ms: delayMs }),
	};
	// A quota that is reported with neither is again what it was; what is lost no more is reported as it was begun.
	return [
		{ after_s: at, action: first, ...whose, ...how },
		...(lasts === null || last === null ? [] : [{ after_s: at + lasts, action: last, ...whose, ...(last === 'quota' ? {} : how) }]),
	];
}

/**
 * Told before the load.
 * @param {readonly PlannedFault[]} faults
 * @param {Service[]} stack
 * @throws {NotReadyError} when this machine cannot do one of them
 */
export async function checkPutting(faults, stack) {
	for (const [kind, check] of Object.entries(CHECKS)) {
		const ends = faults.filter((fault) => fault.kind === kind).flatMap(({ service, other }) => [service, other]);
		await check(stack.filter(({ name }) => ends.includes(name)));
	}
}

/**
 * @param {readonly PlannedFault[]} faults
 * @param {Manifest} manifest  which says when the load began, and gets `faults` while it goes on
 * @param {{ signal: AbortSignal, over?: AbortSignal, system: System }} options  over: aborts when the load has ended
 * @returns {Promise<void>} when all are over, or the signal has aborted; never rejected: a fault that fails is on the record as such
 */
export async function putFaults(faults, manifest, options) {
	if (faults.length === 0) return;
	/** @type {PutFault[]} */
	const put = faults.map((fault) => ({ ...fault, began_s: null, ended_s: null, failed: null }));
	manifest.faults = put;
	const beganS = Number(manifest.load_began_s);
	await Promise.all(put.map((fault) => putOne(fault, beganS, options)));
}

/** @type {(fault: PutFault, beganS: number, options: Parameters<typeof putFaults>[2]) => Promise<void>} */
async function putOne(fault, beganS, { signal, over, system }) {
	const actions = actionsOf(fault);
	let left = actions.length;
	/** When what is undone later was there. @type {number | null} */
	let putInS = null;
	try {
		await act(actions, beganS, signal, {
			system,
			over,
			onDone: (_, askedS, doneS) => {
				fault.began_s ??= askedS;
				left -= 1;
				if (left > 0) {
					putInS ??= doneS;
					return;
				}
				fault.ended_s = doneS;
				fault.in_force_s = putInS === null ? [askedS, doneS] : [putInS, askedS];
			},
		});
	} catch (error) {
		if (!signal.aborted) fault.failed = whyNot(error);
	}
}

/** The engine's own words, with neither its HTTP status nor a container's id, which nobody can look up afterwards. @param {any} error */
function whyNot(error) {
	const said = String(error?.json?.message ?? error?.message ?? error);
	return said.split('\n')[0].trim().replace(CONTAINER_ID, 'the container');
}
