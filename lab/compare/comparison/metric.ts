/**
 * One metric of two arms: estimate, interval, and what may be said of it.
 *
 * @typedef {ComparedMetric} Metric
 *
 * @import { ComparedMetric } from '../../catalog/metrics.ts'
 * @import { Control, MetricComparison, MetricVerdict } from '../../record/types.js'
 * @import { Compared } from '../../stats/ranks.ts'
 * @import { Plan } from '../plan.ts'
 */

import { familyOf } from '../../catalog/metrics.ts';
import { isSameSystem } from '../../options/arms.ts';
import { knownCommand } from '../../options/known-command.ts';
import { leastBlocks } from '../../stats/any-look.ts';
import { change, interval, inUnit, percent } from '../../stats/figure-words.ts';
import { rangeOf } from '../../stats/numbers.ts';
import { adjustHolm, LEAST_BLOCKS } from '../../stats/ranks.ts';

/** Chance of calling a difference that is none, over all metrics of a family. */
export const ALPHA = 0.05;
/** Differences that nobody would act on: 5 % of a rate or a latency, one failed request in a thousand. */
export const DELTA = { ratio: 0.05, difference: 0.001 };
/** Beyond this a delta is too wide for two arms to be called the same: the machine cannot tell. */
export const NOISE_MOST = { ratio: 0.15, difference: 0.02 };

/**
 * @param {object} input
 * @param {Metric} input.metric
 * @param {(number | null)[]} input.base   by block
 * @param {(number | null)[]} input.other  on the same blocks
 * @param {Compared} input.compared
 * @param {{ value: number, from: string }} input.delta
 * @returns {MetricComparison} with no verdict yet: that needs all metrics
 */
export function measureMetric({ metric: { id, label, unit, better, gate, scale }, base, other, compared, delta }) {
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

/**
 * The delta of a metric: 5 %, or what identical architectures were seen to differ by where that is more.
 * @param {Metric} metric
 * @param {Control | null} control
 * @returns {{ value: number, from: string }}
 */
export function deltaOf({ id, scale }, control) {
	const least = DELTA[scale];
	const noise = control?.noise[id] ?? 0;
	if (noise > least) return { value: noise, from: `the machine's own noise, as the A/A control of ${control?.blocks} blocks measured it` };
	return {
		value: least,
		from: scale === 'ratio' ? '5 %: less is not worth acting on' : 'one request in a thousand: less is not worth acting on',
	};
}

/**
 * How far an interval reaches from "no difference", on the scale of delta.
 * @param {Pick<MetricComparison, 'scale' | 'low' | 'high'>} measured
 * @returns {number | null}
 */
function reachOf({ scale, low, high }) {
	if (low === null || high === null) return null;
	return scale === 'ratio' ? Math.max(1 / low, high) - 1 : Math.max(Math.abs(low), Math.abs(high));
}

/** @param {Pick<MetricComparison, 'scale' | 'low' | 'high'>} measured whether "no difference" is inside the interval */
function includesNone({ scale, low, high }) {
	const none = scale === 'ratio' ? 1 : 0;
	return low !== null && high !== null && low <= none && high >= none;
}

/**
 * Adjusts p within the gates, within what a scenario has of its own, and within the rest (Holm 1979), and gives each metric what its own figures allow.
 * @param {MetricComparison[]} measured
 * @param {boolean} comparable  false when nothing may be concluded: the arms were measured on different machines
 * @param {Plan['stopping']} stopping
 * @param {number} [times]  by which p is multiplied besides, of so many pairs (Bonferroni)
 * @returns {MetricComparison[]}
 */
export function judgeMetrics(measured, comparable, stopping, times = 1) {
	const adjusted = new Map(
		[['gates'], ...(stopping ? [['others', 'own']] : [['others'], ['own']])].flatMap((names) => {
			const family = measured.filter((metric) => names.includes(familyOf(metric)));
			// What is promised of the whole comparison is divided.
			const share = stopping ? (names[0] === 'gates' ? stopping.gates : 1 - stopping.gates) : 1;
			const values = adjustHolm(family.map(({ p }) => p));
			return family.map(({ id }, index) => /** @type {const} */ ([id, values[index] && Math.min(1, (values[index] * times) / share)]));
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
 * @param {MetricComparison} metric
 * @param {Plan['stopping']} stopping
 * @returns {MetricVerdict}
 */
function verdictOf(metric, stopping) {
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
 * @param {MetricComparison[]} judged
 * @param {{ base: string, other: string }} names
 * @returns {MetricComparison[]}
 */
export function holdBack(judged, names) {
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
			verdict: /** @type {const} */ ('INCONCLUSIVE'),
			held_back: `${winner} looks better, but its failure rate ${how} worse (${inUnit('share', failures.base.median)} for ${names.base}, ${inUnit('share', failures.other.median)} for ${names.other})`,
		};
	});
}

/**
 * @param {MetricComparison} metric
 * @param {{ base: string, other: string }} names
 * @param {number} least  blocks that a verdict takes
 */
export function sentenceOf({ label, scale, estimate, low, high, blocks, verdict, delta, held_back: heldBack }, { base, other }, least) {
	if (estimate === null) return `${label}: nothing to compare.`;
	const figures =
		scale === 'ratio'
			? `${other} has ${change(scale, estimate)} the ${label} of ${base}`
			: `the ${label} of ${other} is ${differenceText(estimate)} that of ${base}`;
	const certainty = low === null ? 'no interval' : `95 % interval ${interval(scale, { low, high })}`;
	return `${figures} (${certainty}, ${blocks} blocks): ${heldBack ?? wordsOf(verdict, delta, blocks, least)}.`;
}

/** `40.2 percentage points lower than`. @param {number} estimate */
function differenceText(estimate) {
	if (estimate === 0) return 'the same as';
	return `${change('difference', Math.abs(estimate)).replace('+', '')} ${estimate > 0 ? 'higher' : 'lower'} than`;
}

/** @type {(verdict: MetricVerdict, delta: number, blocks: number, least: number) => string} */
function wordsOf(verdict, delta, blocks, least) {
	if (verdict === 'same') return `the same within ${percent(delta)}`;
	if (verdict !== 'INCONCLUSIVE') return verdict;
	return blocks < least ? `inconclusive, because a verdict needs ${least} blocks` : 'inconclusive';
}

/**
 * The A/A control: the same architecture on both sides, so that whatever differs is the machine's own noise.
 *
 */

/**
 * What the control's intervals reach to is what identical architectures may seem to differ by.
 *
 * @param {MetricComparison[]} measured
 * @param {Plan} plan
 * @returns {Control | null} null with too few blocks for an interval that means something
 */
export function selfControlOf(measured, plan) {
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
 *
 * @param {MetricComparison[]} measured
 * @param {Control} control
 * @returns {Control}
 */
export function unbiasedOf(measured, control) {
	const unbiased = measured.filter(includesNone).map(({ id }) => id);
	return { ...control, noise: Object.fromEntries(Object.entries(control.noise).filter(([id]) => unbiased.includes(id))) };
}

/**
 * @param {Plan} plan
 * @param {string} base
 * @param {string} other
 * @returns {boolean} whether the two arms are the same system, measured in the same blocks
 */
export function isControl(plan, base, other) {
	const [one, two] = [base, other].map((id) => plan.arms.find((arm) => arm.id === id));
	return !plan.baseline && one !== undefined && two !== undefined && isSameSystem(one, two);
}
