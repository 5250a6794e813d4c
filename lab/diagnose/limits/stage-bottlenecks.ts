/**
 * The tier that binds in each stage of the load: in every second the most telling of the limits that were reached, and of
 * a stage the tier that this is in most of its seconds.
 */

import type { Stage, StageBottleneck } from '../../record/types.js';
import { count, percent, significant, tierName } from '../../stats/figure-words.ts';
import { mean, rounded } from '../../stats/numbers.ts';
import { FULL_SHARE, machineBusyIn } from './machine-busy.ts';
import { bindingBySecond, CORES, type Saturation, type StageInput, SUSTAINED_S, servedAsAsked, UNEXPLAINED } from './saturations.ts';

/** A tier binds when limits were reached in more than half of the seconds, or of what failed in them. */
export const MOST = 0.5;
/**
 * Of the bound, a rate below which something binds that nobody watches. The lab's own choice: demands of two healthy stages
 * differ by some ten per cent, and the slowdown that went unseen in the lab's first runs left 20 to 55 % of the bound.
 */
const UNEXPLAINED_SHARE = 0.7;
/** From the client to the data. */
const PATH = ['generator', 'load-balancer', 'app', 'queue', 'pool', 'cache', 'database'];

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
	if (laws.stages[at]?.boundBy !== 'load' || hurting > read.length * MOST) return 'no service was at a limit for most of the stage';
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
