/**
 * Every limit that is watched, second by second: was it reached? CPU of each service, limited resources, and tiers that stood
 * still or were gone; and which of those that were reached in a second held the others back.
 */

import type { Resource, Stage, Tier, TimelineRow } from '../../record/types.js';
import type { Facts } from '../ledger/facts.ts';
import { secondOf } from '../time/seconds.ts';
import type { Hurt } from './hurt.ts';
import type { Laws } from './laws.ts';
import type { WatchedLimit } from './limits.ts';
import { FULL_SHARE, machineBusyBySecond } from './machine-busy.ts';
import { SATURATED_SHARE } from './saturation.ts';

export type Saturation = {
	tier: Tier | 'machine';
	service: string;
	/** what was at its limit, for a sentence */
	name: string;
	/** the limit, in words */
	what: string;
	/** it is room: it may fail requests, and makes none wait */
	fills?: boolean;
	/** of two in the same second, the one with the higher rank explains the other */
	rank: number;
	/** on the timeline's seconds; null without a reading */
	reached: (boolean | null)[];
};

/**
 * From the least to the most telling. A tier at its limit lets requests pile up before it, so the deeper one explains the
 * others. Connections to the database that are used up, in the pools or there, are only the queue before the CPU of node and
 * database, which explain them.
 */
const TELLING = ['machine', 'generator', 'load-balancer', 'pool', 'app', 'queue', 'cache', 'database'];
/** A tier that stood still explains whatever queued up before it. */
const STANDSTILL = TELLING.length;
/** Tiers whose services do the same work: when one of several has ended, the others are asked. Stores have their data each. */
const ALIKE = ['load-balancer', 'app'];
/** What is said of a tier that was gone. */
export const HAD_ENDED = 'it was not running';
/** Seconds at a limit that are noise when there are fewer. */
export const SUSTAINED_S = 3;

/** @returns also of limits that were never reached */
export const saturationsOf = ({
	resources,
	cpu,
	limits,
	seconds,
	facts,
}: {
	resources: Record<string, Resource>;
	cpu: Record<string, (number | null)[]>;
	limits: WatchedLimit[];
	/** of the timeline */
	seconds: number[];
	facts: Facts;
}): Saturation[] => [...standstills(facts, seconds), ...cpuSaturations(resources, cpu), ...limits.map(limitSaturation)];

/** A tier that stood still, or was gone. */
function standstills({ stalls, restarts, window, raw: { manifest } }: Facts, seconds: number[]): Saturation[] {
	const saturation = (
		{ name, tier, from, to }: { name: string; tier: string; from: number; to: number },
		what: string,
		isTelling = true,
	) => ({
		tier: tier as Tier,
		service: name,
		name,
		what,
		rank: TELLING.indexOf(tier) + (isTelling ? STANDSTILL : 0),
		reached: seconds.map((t_s) => t_s > secondOf(from, window) && t_s <= secondOf(Math.min(to, window.to), window)),
	});
	const isLast = ({ name, tier, from, to }: (typeof restarts)[number]) =>
		!ALIKE.includes(tier) ||
		servicesOf(manifest, tier).every(
			(other) => other === name || restarts.some((one) => one.name === other && one.from <= to && one.to >= from),
		);
	return [
		...restarts.map((restart) => saturation(restart, HAD_ENDED, isLast(restart))),
		...stalls.map((stall) => saturation(stall, 'it stood still')),
	];
}

const servicesOf = ({ services = [] }: { services?: { name: string; tier: string }[] }, tier: string) =>
	services.flatMap((one) => (one.tier === tier ? [one.name] : []));

function cpuSaturations(resources: Record<string, Resource>, cpu: Record<string, (number | null)[]>): Saturation[] {
	return Object.entries(cpu).flatMap(([service, shares]) => {
		const { tier, cpu_quota_cores: quota } = resources[service];
		if (tier === 'observer') return [];
		const what = quota === null ? 'it used all cores of the machine' : 'its CPU quota was used up';
		const reached = shares.map((share) => (share === null ? null : share >= SATURATED_SHARE));
		return [{ tier, service, name: service, what, rank: TELLING.indexOf(tier), reached }];
	});
}

/** As a limit is called. */
export const CORES = "the machine's cores";

/**
 * The cores of the machine: without quotas its tiers, the generator and whatever else runs there can be held back by each other, and none of
 * them by a limit of its own. Whatever else is at its limit explains more.
 * @param seconds of the timeline
 */
export const coresSaturation = (facts: Facts, seconds: number[]): Saturation => ({
	tier: 'machine',
	service: 'machine',
	name: CORES,
	what: `at least ${FULL_SHARE * 100} % of them in use`,
	rank: TELLING.indexOf('machine'),
	reached: machineBusyBySecond(facts, seconds).map((share) => (share === null ? null : share >= FULL_SHARE)),
});

const limitSaturation = ({ label, tier, service, queues, fills, what, reached }: WatchedLimit): Saturation => ({
	tier,
	service,
	name: label,
	what,
	rank: TELLING.indexOf(queues ? 'pool' : tier),
	...(fills ? { fills } : {}),
	reached,
});

/**
 * The saturation that held the others back in each second.
 * @param seconds of the timeline
 * @returns null when no limit was reached; undefined when nothing was read
 */
export function bindingBySecond(saturations: Saturation[], seconds: number[]): (Saturation | null | undefined)[] {
	return seconds.map((_, index) => {
		if (saturations.every(({ reached }) => reached[index] === null)) return undefined;
		const found = saturations.filter(({ reached }) => reached[index] === true);
		return found.length === 0 ? null : found.reduce((one, other) => (other.rank > one.rank ? other : one));
	});
}

export type StageInput = {
	stages: Stage[];
	saturations: Saturation[];
	hurt: Hurt;
	timeline: TimelineRow[];
	laws: Laws;
	facts: Facts;
};

/** Of the arrivals of an open load; fewer were answered where they queued or were dropped. The lab's choice, above what chance leaves of a whole stage. */
const ALL_ANSWERED = 0.98;

/**
 * Whether an open load was answered as it came in a stage, no later than at its quickest: what was at a limit then (connections that its users
 * left open, say) kept nobody waiting.
 */
export function servedAsAsked(
	{ stages, laws, hurt, timeline }: Pick<StageInput, 'stages' | 'laws' | 'hurt' | 'timeline'>,
	at: number,
): boolean {
	const { unit, from_s, to_s, throughput_rps: measured, bound_rps: asked } = stages[at];
	if (unit !== 'rps' || laws.stages[at]?.boundBy !== 'load' || measured === null || !asked || measured < asked * ALL_ANSWERED) return false;
	return ![...hurt.failing, ...hurt.slow].some((index) => timeline[index].t_s > from_s && timeline[index].t_s <= to_s);
}

/** What binds a stage where seconds without a limit were slower than users and CPU allow. */
export const UNEXPLAINED = 'none found: no limit that Doubletake watches explains the low throughput';
