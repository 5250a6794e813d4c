/** One metric of two arms: estimate, interval, and what may be said of it. */

import type { ComparedMetric } from '../../catalog/metrics.ts';
import { familyOf } from '../../catalog/metrics.ts';
import { isSameSystem } from '../../options/arms.ts';
import { knownCommand } from '../../options/known-command.ts';
import type { Control, MetricComparison, MetricVerdict } from '../../record/types.js';
import { leastBlocks } from '../../stats/any-look.ts';
import { change, interval, inUnit, percent } from '../../stats/figure-words.ts';
import { adjustHolm } from '../../stats/holm.ts';
import { rangeOf } from '../../stats/numbers.ts';
import type { Compared } from '../../stats/ranks.ts';
import { LEAST_BLOCKS } from '../../stats/ranks.ts';
import type { Plan } from '../plan.ts';

type Metric = ComparedMetric;

/** Chance of calling a difference that is none, over all metrics of a family. */
export const ALPHA = 0.05;
/** Differences that nobody would act on: 5 % of a rate or a latency, one failed request in a thousand. */
export const DELTA = { ratio: 0.05, difference: 0.001 };
/** Beyond this a delta is too wide for two arms to be called the same: the machine cannot tell. */
export const NOISE_MOST = { ratio: 0.15, difference: 0.02 };

/** @returns with no verdict yet: that needs all metrics */
export function measureMetric({
	metric: { id, label, unit, better, gate, scale },
	base,
	other,
	compared,
	delta,
}: {
	metric: Metric;
	/** by block */
	base: (number | null)[];
	/** on the same blocks */
	other: (number | null)[];
	compared: Compared;
	delta: { value: number; from: string };
}): MetricComparison {
	return {
		id,
		label,
		unit,
		better,
		gate,
		scale,
		base: rangeOf(base),
		other: rangeOf(other),
		blocks: compared.n,
		estimate: compared.estimate,
		low: compared.low,
		high: compared.high,
		p: compared.p,
		p_adjusted: null,
		effect: compared.effect,
		delta: delta.value,
		delta_from: delta.from,
		verdict: 'INCONCLUSIVE',
		held_back: null,
		sentence: '',
		failed_share: null,
	};
}

/** The delta of a metric: 5 %, or what identical architectures were seen to differ by where that is more. */
export function deltaOf({ id, scale }: Metric, control: Control | null): { value: number; from: string } {
	const least = DELTA[scale];
	const noise = control?.noise[id] ?? 0;
	if (noise > least)
		return { value: noise, from: `the machine's own noise, as the A/A control of ${control?.blocks} repetitions measured it` };
	return {
		value: least,
		from: scale === 'ratio' ? '5 %: less is not worth acting on' : 'one request in a thousand: less is not worth acting on',
	};
}

/** How far an interval reaches from "no difference", on the scale of delta. */
function reachOf({ scale, low, high }: Pick<MetricComparison, 'scale' | 'low' | 'high'>): number | null {
	if (low === null || high === null) return null;
	return scale === 'ratio' ? Math.max(1 / low, high) - 1 : Math.max(Math.abs(low), Math.abs(high));
}

/** @param measured whether "no difference" is inside the interval */
function includesNone({ scale, low, high }: Pick<MetricComparison, 'scale' | 'low' | 'high'>) {
	const none = scale === 'ratio' ? 1 : 0;
	return low !== null && high !== null && low <= none && high >= none;
}

/**
 * Adjusts p within the gates, within what a scenario has of its own, and within the rest (Holm 1979), and gives each metric what its own figures allow.
 * @param comparable false when nothing may be concluded: the arms were measured on different machines
 * @param times by which p is multiplied besides, of so many pairs (Bonferroni)
 */
export function judgeMetrics(
	measured: MetricComparison[],
	comparable: boolean,
	stopping: Plan['stopping'],
	times: number = 1,
): MetricComparison[] {
	const adjusted = new Map(
		[['gates'], ...(stopping ? [['others', 'own']] : [['others'], ['own']])].flatMap((names) => {
			const family = measured.filter((metric) => names.includes(familyOf(metric)));
			// What is promised of the whole comparison is divided.
			const share = stopping ? (names[0] === 'gates' ? stopping.gates : 1 - stopping.gates) : 1;
			const values = adjustHolm(family.map(({ p }) => p));
			return family.map(({ id }, index) => [id, values[index] && Math.min(1, (values[index] * times) / share)] as const);
		}),
	);
	return measured.map((metric) => {
		const judged = { ...metric, p_adjusted: adjusted.get(metric.id) ?? null };
		return { ...judged, verdict: comparable ? verdictOf(judged, stopping) : 'INCONCLUSIVE' };
	});
}

/**
 * Same: the whole interval is within delta. Better or worse: the interval leaves "no difference" out, stays significant
 * among its family, and the estimate is beyond delta. Everything else is inconclusive, and so is all with too few blocks. "Same" always takes 8.
 */
function verdictOf(metric: MetricComparison, stopping: Plan['stopping']): MetricVerdict {
	const { blocks, estimate, delta, scale, better, p_adjusted: p } = metric;
	const reach = reachOf(metric);
	if (blocks < leastBlocks(stopping) || estimate === null || reach === null) return 'INCONCLUSIVE';
	if (reach <= delta) return blocks >= LEAST_BLOCKS && delta <= NOISE_MOST[scale] ? 'same' : 'INCONCLUSIVE';
	const size = scale === 'ratio' ? Math.max(estimate, 1 / estimate) - 1 : Math.abs(estimate);
	if (includesNone(metric) || p === null || p >= (stopping?.level ?? ALPHA) || size <= delta) return 'INCONCLUSIVE';
	const larger = scale === 'ratio' ? estimate > 1 : estimate > 0;
	return larger === (better === 'higher') ? 'better' : 'worse';
}

/**
 * No arm is called better on anything while it fails more requests, or may do: the arm that looks better is held back
 * unless the failure rates are the same or its own is the lower one.
 */
export function holdBack(judged: MetricComparison[], names: { base: string; other: string }): MetricComparison[] {
	const failures = judged.find(({ id }) => id === 'failure_rate');
	return judged.map((metric) => {
		if (metric.gate || !failures || (metric.verdict !== 'better' && metric.verdict !== 'worse')) return metric;
		const winner = metric.verdict === 'better' ? names.other : names.base;
		// The failure rate's verdict speaks of `other`. However noisy the machine, "the same" is here one request in a thousand.
		const isSame = failures.verdict === 'same' && (reachOf(failures) ?? 1) <= DELTA.difference;
		if (isSame || failures.verdict === metric.verdict) return metric;
		const how = failures.verdict === 'better' || failures.verdict === 'worse' ? 'is' : 'may be';
		return {
			...metric,
			verdict: 'INCONCLUSIVE' as const,
			held_back: `${winner} looks better, but its failure rate ${how} worse (${inUnit('share', failures.base.median)} for ${names.base}, ${inUnit('share', failures.other.median)} for ${names.other})`,
		};
	});
}

/** @param least blocks that a verdict takes */
export function sentenceOf(
	{ label, scale, estimate, low, high, blocks, verdict, delta, held_back: heldBack }: MetricComparison,
	{ base, other }: { base: string; other: string },
	least: number,
) {
	if (estimate === null) return `${label}: nothing to compare.`;
	const figures =
		scale === 'ratio'
			? `${other} has ${change(scale, estimate)} the ${label} of ${base}`
			: `the ${label} of ${other} is ${differenceText(estimate)} that of ${base}`;
	const certainty = low === null ? 'no interval' : `95 % interval ${interval(scale, { low, high })}`;
	return `${figures} (${certainty}, ${blocks} repetitions): ${heldBack ?? wordsOf(verdict, delta, blocks, least)}.`;
}

/** `40.2 percentage points lower than`. */
function differenceText(estimate: number) {
	if (estimate === 0) return 'the same as';
	return `${change('difference', Math.abs(estimate)).replace('+', '')} ${estimate > 0 ? 'higher' : 'lower'} than`;
}

function wordsOf(verdict: MetricVerdict, delta: number, blocks: number, least: number): string {
	if (verdict === 'same') return `the same within ${percent(delta)}`;
	if (verdict !== 'INCONCLUSIVE') return verdict;
	return blocks < least ? `inconclusive, because a verdict needs ${least} repetitions` : 'inconclusive';
}

/**
 * The A/A control: the same architecture on both sides, so that whatever differs is the machine's own noise.
 *
 */

/**
 * What the control's intervals reach to is what identical architectures may seem to differ by.
 * @returns null with too few blocks for an interval that means something
 */
export function selfControlOf(measured: MetricComparison[], plan: Plan): Control | null {
	const blocks = Math.min(...measured.filter(({ estimate }) => estimate !== null).map((metric) => metric.blocks));
	if (blocks < LEAST_BLOCKS || !Number.isFinite(blocks)) return null;
	const noise = measured.flatMap((metric) => {
		const reach = reachOf(metric);
		return reach === null ? [] : [[metric.id, reach]];
	});
	return { command: knownCommand(plan.command) ?? '', started: plan.started, blocks, noise: Object.fromEntries(noise) };
}

/**
 * The noise by which the control itself is judged. An interval that leaves "no difference" out shows a bias: it must not
 * widen the delta that would call it the same.
 */
export function unbiasedOf(measured: MetricComparison[], control: Control): Control {
	const unbiased = measured.filter(includesNone).map(({ id }) => id);
	return { ...control, noise: Object.fromEntries(Object.entries(control.noise).filter(([id]) => unbiased.includes(id))) };
}

/** @returns whether the two arms are the same system, measured in the same blocks */
export function isControl(plan: Plan, base: string, other: string): boolean {
	const [one, two] = [base, other].map((id) => plan.arms.find((arm) => arm.id === id));
	return !plan.baseline && one !== undefined && two !== undefined && isSameSystem(one, two);
}
