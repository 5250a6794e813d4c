/** What is done to containers while the load goes on: killed, paused, cut off the network, a worker process crashed. */

import { setTimeout as wait } from 'node:timers/promises';
import type { Action } from '../../adapters/faults.ts';
import { NotInjectedError, UnansweredError } from '../../base/errors.ts';
import { PROJECT } from '../../base/paths.ts';
import type { Deployment, Service, System } from '../../docker/containers.ts';
import { labSystem, listServices, quotaCores } from '../../docker/containers.ts';
import { containerById, docker, engineOf, execute, executeToEnd } from '../../docker/docker.ts';
import type { Kind, PlannedFault, PutFault } from '../../options/fault-plan.ts';
import type { Manifest } from '../components.ts';
import type { Quota } from '../quotas.ts';
import { quotaBefore, quotaOf } from '../quotas.ts';
import { checkCutting, cutOff, joinAgain } from './cut-off.ts';
import { checkDelaying, checkLosing, delayPackets, losePackets, removePacketDelay, removePacketLoss } from './network-faults.ts';

/** The lab's own network. */
const OWN_NETWORK = 'lab';
/** The engine keeps some addresses for networks whose range somebody chose, and says so with this. */
const ADDRESS_REFUSED = /user specified IP address/;
const CRASHED = 'crashed';
/** Docker's own time for a container to end by itself. */
const STOP_LIMIT_S = 10;
/** Actions on a host, and to no container. */
const OF_HOSTS = ['drain', 'activate'];
const HOST = {} as unknown as Service;

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

/** of a container on a network */
type Endpoint = { Aliases?: string[] | null; IPAddress: string };

/** what an action may have to know beside its own container */
type Around = {
	services: Service[];
	/** of a Swarm */
	deployment: Deployment | undefined;
	/** that were taken away, by service and network */
	endpoints: Map<string, Endpoint>;
	/** as they were before they were changed, by service */
	quotas: Map<string, Quota>;
};

type FaultAction = (service: Service, action: Action, around: Around) => Promise<void>;

/**
 * @param actions in the order of time
 * @param beganS start of the load, seconds since 1970
 * @throws {NotInjectedError} when one cannot be done
 */
export async function act(
	actions: Action[],
	beganS: number,
	signal: AbortSignal,
	{
		system = labSystem(),
		onDone = () => {},
		over,
	}: {
		/** whose containers; the shipped architecture's that is up unless given */
		system?: System;
		/** with the moments, seconds since 1970 */
		onDone?: (action: Action, askedS: number, doneS: number) => void;
		/** aborts when the load has ended, maybe before its time: then what was begun is undone at once, and what was not is not begun */
		over?: AbortSignal;
	} = {},
) {
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

async function untilDue(dueS: number, { signal, over }: { signal: AbortSignal; over?: AbortSignal }): Promise<void> {
	try {
		const either = over === undefined ? signal : AbortSignal.any([signal, over]);
		await wait(Math.max(0, dueS * 1000 - Date.now()), undefined, { signal: either });
	} catch (error) {
		if (signal.aborted) throw error;
	}
}

const performers: Record<Action['action'], FaultAction> = {
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

function onSwarm(deployment: Deployment | undefined) {
	if (deployment) return deployment;
	throw new NotInjectedError('it is not run on a Swarm');
}

function otherOf({ service, action, other }: Action, services: Service[]): Service {
	const found = services.find(({ name }) => name === other);
	if (found) return found;
	throw new NotInjectedError(`there is no container ${other} to ${action} on the way to it from ${service}`);
}

async function changeQuota(
	{ id, name }: Parameters<FaultAction>[0],
	{ cores, share }: Parameters<FaultAction>[1],
	{ quotas }: Parameters<FaultAction>[2],
): ReturnType<FaultAction> {
	const container = containerById(id);
	if (!quotas.has(name)) quotas.set(name, (await container.inspect()).HostConfig);
	const before = quotas.get(name) ?? {};
	const wanted = share === undefined ? cores : share * (quotaCores(before) ?? (await engineOf(id).info()).NCPU);
	await container.update(wanted === undefined ? quotaBefore(before) : quotaOf(wanted, before));
}

async function disconnect(
	{ id, name }: Parameters<FaultAction>[0],
	{ network = OWN_NETWORK }: Parameters<FaultAction>[1],
	{ endpoints }: Parameters<FaultAction>[2],
): ReturnType<FaultAction> {
	const full = `${PROJECT}_${network}`;
	const { NetworkSettings: settings } = await containerById(id).inspect();
	const endpoint = settings.Networks[full];
	if (!endpoint) throw new Error(`${name} is not on the network ${full}.`);
	endpoints.set(`${name} ${network}`, endpoint);
	await docker.getNetwork(full).disconnect({ Container: id, Force: true });
}

async function connect(
	{ id, name }: Parameters<FaultAction>[0],
	{ network = OWN_NETWORK }: Parameters<FaultAction>[1],
	{ endpoints }: Parameters<FaultAction>[2],
): ReturnType<FaultAction> {
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

async function crashWorker({ id, name }: Parameters<FaultAction>[0]): ReturnType<FaultAction> {
	const said = await execute(id, ['bash', '-c', CRASH_WORKER]);
	if (!said.includes(CRASHED)) throw new Error(`No worker process of ${name} could be crashed: ${said.trim() || '(nothing said)'}`);
}

async function runIn(
	{ id, name }: Parameters<FaultAction>[0],
	{ command = [], limit_s: limitS }: Parameters<FaultAction>[1],
): ReturnType<FaultAction> {
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

/** What begins a fault, and what ends it. */
const FAULT_ACTIONS: Record<Kind, [Action['action'], Action['action'] | null]> = {
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
const CHECKS = { cut: checkCutting, loss: checkLosing, delay: checkDelaying } as const;

/** @returns in the order of time */
function actionsOf({ kind, service, cores, share, delay_ms: delayMs, other, at_s: at, lasts_s: lasts }: PlannedFault): Action[] {
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
 * Worded before the load.
 * @throws {NotReadyError} when this machine cannot do one of them
 */
export async function checkPutting(faults: readonly PlannedFault[], stack: Service[]) {
	for (const [kind, check] of Object.entries(CHECKS)) {
		const ends = faults.filter((fault) => fault.kind === kind).flatMap(({ service, other }) => [service, other]);
		await check(stack.filter(({ name }) => ends.includes(name)));
	}
}

/**
 * @param manifest which says when the load began, and gets `faults` while it goes on
 * @param options over: aborts when the load has ended
 * @returns when all are over, or the signal has aborted; never rejected: a fault that fails is on the record as such
 */
export async function putFaults(
	faults: readonly PlannedFault[],
	manifest: Manifest,
	options: { signal: AbortSignal; over?: AbortSignal; system: System },
): Promise<void> {
	if (faults.length === 0) return;
	const put: PutFault[] = faults.map((fault) => ({ ...fault, began_s: null, ended_s: null, failed: null }));
	manifest.faults = put;
	const beganS = Number(manifest.load_began_s);
	await Promise.all(put.map((fault) => putOne(fault, beganS, options)));
}

async function putOne(fault: PutFault, beganS: number, { signal, over, system }: Parameters<typeof putFaults>[2]): Promise<void> {
	const actions = actionsOf(fault);
	let left = actions.length;
	/** When what is undone later was there. */
	let putInS: number | null = null;
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

/** The engine's own words, with neither its HTTP status nor a container's id, which nobody can look up afterwards. */
function whyNot(error: any) {
	const said = String(error?.json?.message ?? error?.message ?? error);
	return said.split('\n')[0].trim().replace(CONTAINER_ID, 'the container');
}
