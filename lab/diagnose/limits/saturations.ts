/**
 * Every limit that is watched, second by second: was it reached? CPU of each service, limited resources, and tiers that stood
 * still or were gone; and which of those that were reached in a second held the others back.
 */

import type { Resource, Stage, StageBottleneck, Tier, TimelineRow } from '../../record/types.js';
import { count, percent, significant, tierName } from '../../stats/figure-words.ts';
import { mean, rounded } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import { secondOf } from '../time/seconds.ts';
import type { Hurt } from './hurt.ts';
import type { Laws } from './laws.ts';
import type { WatchedLimit } from './limits.ts';
import { FULL_SHARE, machineBusyBySecond, machineBusyIn, SATURATED_SHARE } from './saturation.ts';

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

/*
 * The tier that binds in each stage of the load: in every second the most telling of the limits that were reached, and of
 * a stage the tier that this is in most of its seconds.
 */

/** A tier binds when limits were reached in more than half of the seconds, or of what failed in them. */
export const MOST = 0.5;
/**
 * Of the bound, a rate below which something binds that nobody watches. The lab's own choice: demands of two healthy stages
 * differ by some ten per cent, and the slowdown that went unseen in the lab's first runs left 20 to 55 % of the bound.
 */
const UNEXPLAINED_SHARE = 0.7;
/** From the client to the data. */
const PATH = ['generator', 'load-balancer', 'app', 'queue', 'pool', 'cache', 'database'];

export type StageInput = {
	stages: Stage[];
	saturations: Saturation[];
	hurt: Hurt;
	timeline: TimelineRow[];
	laws: Laws;
	facts: Facts;
};

/** @returns one for each stage */
export function stageBottlenecksOf(input: StageInput): StageBottleneck[] {
	const { stages, saturations, timeline } = input;
	const binding = bindingBySecond(
		saturations,
		timeline.map(({ t_s }) => t_s),
	);
	return stages.map((stage, at) => {
		const inside = [...timeline.keys()].filter((index) => timeline[index].t_s > stage.from_s && timeline[index].t_s <= stage.to_s);
		const { target, from_s, to_s, throughput_rps: measured_rps, bound_rps } = stage;
		return { target, from_s, to_s, measured_rps, bound_rps, ...findingIn(input, binding, inside, at) };
	});
}

/**
 * @param inside indexes of the stage's seconds
 * @param at index of the stage
 */
function findingIn(
	input: StageInput,
	binding: (Saturation | null | undefined)[],
	inside: number[],
	at: number,
): Pick<StageBottleneck, 'tier' | 'service' | 'what' | 'evidence'> {
	const { saturations } = input;
	const read = inside.filter((index) => binding[index] !== undefined);
	const bound = servedAsAsked(input, at) ? [] : read.filter((index) => binding[index]);
	const tier = bound.length > read.length * MOST ? mostTelling(bound.map((index) => binding[index] as Saturation)) : null;
	const lengthOf = ({ reached }: Saturation) => inside.filter((index) => reached[index]).length;
	const longest = (some: Saturation[]) => some.toSorted((one, other) => lengthOf(other) - lengthOf(one));
	const own = longest(saturations.filter((saturation) => saturation.tier === tier && lengthOf(saturation) > 0));
	const others = longest(saturations.filter((saturation) => saturation.tier !== tier && lengthOf(saturation) >= SUSTAINED_S));
	const evidence = [
		...[...own, ...others].map((saturation) => `${saturation.name}: ${saturation.what} in ${lengthOf(saturation)} of ${read.length} s`),
		...calmBehind(saturations, tier, inside),
		...dearerTexts(input, at),
	];
	if (tier !== null && tier !== 'machine') return { tier, service: own[0].service, what: own[0].what, evidence };
	const what = tier === 'machine' ? `${own[0].name}: ${own[0].what}` : unboundText(input, read, at);
	return { tier: null, service: null, what, evidence: [...evidence, ...boundText(input, at)] };
}

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

/** The tier that binds in most of the seconds; of two with as many, the more telling. */
function mostTelling(bySecond: Saturation[]) {
	const secondsOf = (tier: string) => bySecond.filter((saturation) => saturation.tier === tier).length;
	return bySecond.reduce((one, other) => {
		const more = secondsOf(other.tier) - secondsOf(one.tier);
		return more > 0 || (more === 0 && other.rank > one.rank) ? other : one;
	}).tier;
}

/** Tiers behind the one that binds which hardly reached a limit, though theirs are watched. */
export function calmBehind(saturations: Saturation[], tier: string | null, inside: number[]): string[] {
	if (tier === null || tier === 'machine') return [];
	const calm = PATH.slice(PATH.indexOf(tier) + 1).filter((behind) => {
		// What nobody read, or has a limit that is not on record, says nothing.
		const own = saturations.filter(({ tier: one, reached }) => one === behind && inside.some((index) => reached[index] !== null));
		return own.length > 0 && own.every(({ reached }) => inside.filter((index) => reached[index]).length < SUSTAINED_S);
	});
	return calm.length > 0 ? [`behind it no limit was reached (${calm.join(', ')})`] : [];
}

/** @param at index of the stage */
function dearerTexts({ laws, stages }: StageInput, at: number) {
	const calmest = stages[laws.calmest];
	return (laws.stages[at]?.dearer ?? []).map(
		({ service, times }) => `a request cost ${service} ${times.toFixed(1)} times as much CPU as in the stage ${stageName(calmest)}`,
	);
}

/** What binds a stage where seconds without a limit were slower than users and CPU allow. */
export const UNEXPLAINED = 'no limit that Doubletake watches explains this';

/** Where no tier binds. */
function unboundText({ laws, timeline, facts, stages, saturations, hurt }: StageInput, read: number[], at: number): string {
	const { from_s, to_s } = stages[at];
	const busy = machineBusyIn(facts, from_s, to_s);
	// Whose they were is not said: other programs may have had most of them.
	if (busy >= FULL_SHARE) return `${percent(busy)} of ${CORES} were in use`;
	// Seconds at a limit are explained: the others have to be as fast as users and CPU allow.
	const free = read.filter((index) => saturations.every(({ reached }) => !reached[index]));
	const measured = mean(free.map((index) => timeline[index].throughput_rps));
	const bound = mean(free.map((index) => laws.boundRps[index]));
	if (measured !== null && bound !== null && measured < bound * UNEXPLAINED_SHARE) return UNEXPLAINED;
	const hurting = read.filter((index) => hurt.failing.includes(index) || hurt.slow.includes(index)).length;
	if (laws.stages[at]?.boundBy !== 'load' || hurting > read.length * MOST) return 'no limit was reached for most of the stage';
	return hurting === 0
		? 'the load: answers take no longer than at their quickest'
		: `the load, but for ${hurting} of ${read.length} s in which requests failed or answers took long`;
}

/** @param at index of the stage */
function boundText({ stages, laws }: StageInput, at: number) {
	const { throughput_rps: measured, bound_rps: bound } = stages[at];
	const by = laws.stages[at]?.boundBy;
	if (!measured || !bound || !by) return [];
	const source = by === 'load' ? 'the load asks for' : by === 'machine' ? "the machine's cores allow" : `the CPU of ${tierName(by)} allows`;
	return [
		`measured ${significant(measured)} rps, ${percent(rounded(measured / bound, 3) ?? 0)} of the ${significant(bound)} rps that ${source}`,
	];
}

/** `to 500 users`, `at 500 users`. */
export const stageName = ({ target, unit, held }: Pick<Stage, 'target' | 'unit' | 'held'>) =>
	`${held ? 'at' : 'to'} ${count(target)} ${unit}`;
