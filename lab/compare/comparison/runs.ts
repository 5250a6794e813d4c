/**
 * Which runs of an experiment count: those that are not INVALID, one for each arm and block, and for a pair only the
 * blocks in which both arms have one.
 *
 * @typedef {{ attempt: Attempt, result: Result }} Run
 *
 * @import { Metric } from '../../catalog/metrics.ts'
 * @import { Arm } from '../../options/arms.ts'
 * @import { Comparison, Control, MetricComparison, Result, Survivorship } from '../../record/types.js'
 * @import { AnyLook } from '../../stats/any-look.ts'
 * @import { Attempt, Plan } from '../plan.ts'
 */

import { comparedMetrics, familyOf, metrics as table } from '../../catalog/metrics.ts';
import { knownCommand } from '../../options/known-command.ts';
import { isDoubted, statementsOf } from '../../record/touches.ts';
import { VERSIONS } from '../../record/versions.ts';
import { compareAtAnyLook, leastBlocks } from '../../stats/any-look.ts';
import { count, inUnit, ordinal, percent } from '../../stats/figure-words.ts';
import { median, rangeOf, sum } from '../../stats/numbers.ts';
import { comparePaired, compareUnpaired, LEAST_BLOCKS } from '../../stats/ranks.ts';
import { comparedAtOnce, partUnder } from '../plan.ts';
import { systemsOf } from '../planned-systems.ts';
import { endedText, testedText } from '../stopping.ts';
import { armOf, doubtsOf, overallVerdict } from './doubt.ts';
import {
	DELTA,
	deltaOf,
	holdBack,
	isControl,
	judgeMetrics,
	measureMetric,
	NOISE_MOST,
	selfControlOf,
	sentenceOf,
	unbiasedOf,
} from './metric.ts';

/**
 * @param {Run[]} runs of the experiment
 * @param {string} arm
 * @returns {Map<number, Run>} by block
 */
export function countingRuns(runs, arm) {
	const valid = runs.filter(({ attempt, result }) => attempt.arm === arm && result.validity.verdict !== 'INVALID');
	// The last one, should a block ever have two.
	return new Map(valid.map((run) => [run.attempt.block, run]));
}

/**
 * @param {Run[]} runs
 * @param {string} base
 * @param {string} other
 * @returns {{ block: number, base: Run, other: Run }[]} the blocks in which both count, in order
 */
export function pairsOf(runs, base, other) {
	const [bases, others] = [countingRuns(runs, base), countingRuns(runs, other)];
	return [...bases]
		.flatMap(([block, run]) => {
			const partner = others.get(block);
			return partner ? [{ block, base: run, other: partner }] : [];
		})
		.sort((one, another) => one.block - another.block);
}

/**
 * The runs of two arms that are compared with each other. Block by block; a baseline, measured at another time, has no
 * blocks in common with anything, so that all its runs stand against all of the other arm.
 * @param {Plan} plan
 * @param {Run[]} runs
 * @param {string} base
 * @param {string} other
 * @returns {{ base: Run[], other: Run[], paired: boolean, complete: number }} complete: blocks, or runs of the arm with fewer
 */
export function samplesOf(plan, runs, base, other) {
	if (plan.baseline?.arm === base) {
		const [bases, others] = [[...countingRuns(runs, base).values()], [...countingRuns(runs, other).values()]];
		return { base: bases, other: others, paired: false, complete: Math.min(bases.length, others.length) };
	}
	const pairs = pairsOf(runs, base, other);
	return { base: pairs.map((pair) => pair.base), other: pairs.map((pair) => pair.other), paired: true, complete: pairs.length };
}

/**
 * @param {Run[]} runs
 * @param {string[]} arms
 * @returns {{ arm: string, block: number, reasons: string[] }[]} INVALID runs
 */
export const leftOut = (runs, arms) =>
	runs
		.filter(({ attempt, result }) => arms.includes(attempt.arm) && result.validity.verdict === 'INVALID')
		.map(({ attempt, result }) => ({ arm: attempt.arm, block: attempt.block, reasons: result.validity.reasons }));

/*
 * Whether all runs of an arm had the same images. Those of a user's own system that are built are built once for each arm, and
 * again only where one is gone: what it is built from may be another by then.
 */

/**
 * @param {Pick<Plan, 'arms' | 'attempts'>} plan
 * @returns {string[]} a sentence for each image that was another in some runs
 */
const rebuiltNotes = ({ arms, attempts }) =>
	arms.flatMap(({ id }) => {
		const images = attempts.flatMap((attempt) => (attempt.arm === id && attempt.images ? [attempt.images] : []));
		return [...new Set(images.flatMap(Object.keys))]
			.filter((service) => new Set(images.map((own) => own[service])).size > 1)
			.map((service) => `the image of ${service} was built anew between the runs of ${id}: they may not have measured the same`);
	});

/**
 * Survivorship: a latency that is shorter because the slow requests were dropped, not because they were served faster.
 *
 * The p95 of successes of an arm that failed a share f of its requests is, counting what got no answer as slower than any
 * answer, the 95 (1 - f)th percentile of what was asked.
 *
 */

const PERCENTILE = 95;
/** Beyond this share of failures not even the 95th percentile of what was asked has an answer. */
const UNANSWERED_SHARE = 1 - PERCENTILE / 100;

/**
 * @param {MetricComparison[]} metrics judged
 * @param {{ base: string, other: string }} names
 * @returns {Survivorship | null}
 */
function survivorshipOf(metrics, names) {
	const latency = metrics.find(({ id }) => id === 'latency_ms_p95_ok');
	const failures = metrics.find(({ id }) => id === 'failure_rate');
	const [p95, failed] = [mediansOf(latency), mediansOf(failures)];
	if (!p95 || !failed || !failures) return null;
	const shorter = p95.other < p95.base ? 'other' : 'base';
	const longer = shorter === 'other' ? 'base' : 'other';
	if (p95[longer] / p95[shorter] - 1 <= DELTA.ratio || failed[shorter] - failed[longer] <= DELTA.difference) return null;
	const rank = PERCENTILE * (1 - failed[shorter]);
	const unanswered =
		failed[shorter] > UNANSWERED_SHARE
			? ` More than ${percent(UNANSWERED_SHARE)} of its requests got no good answer, so that it has no real p95.`
			: '';
	return {
		sentence: `Survivorship: the p95 of successes of ${names[shorter]} is ${inUnit('ms', p95[shorter])} against ${inUnit('ms', p95[longer])}, but it leaves out the ${percent(failed[shorter])} of requests that failed (${names[longer]}: ${percent(failed[longer])}). Of all that was asked, with what failed counted as the slowest, it is the ${ordinal(Math.round(rank))} percentile, not the ${ordinal(PERCENTILE)}.${unanswered}`,
		arm: names[shorter],
		failed_share: failed[shorter],
		latency_ms_p95_ok: p95,
		rank,
	};
}

/** @param {MetricComparison | undefined} metric @returns {{ base: number, other: number } | null} */
function mediansOf(metric) {
	const [base, other] = [metric?.base.median, metric?.other.median];
	return typeof base === 'number' && typeof other === 'number' ? { base, other } : null;
}

/*
 * A comparison judged a second time, without the runs that are SUSPECT: no verdict rests on one that is not VALID. What is called better,
 * worse or the same has to be called so again.
 */

/** Of all metrics that runs are compared by: a run is judged with or without, never by one metric and not by the next. */
const COMPARED = comparedMetrics.flatMap(({ id }) => statementsOf(id));

/** Whether no doubt can move what it is compared by (../../record/touches.ts). @param {Run} run */
const isValid = ({ result: { validity } }) => !isDoubted(validity, COMPARED);

/**
 * @param {MetricComparison[]} judged  over all runs that count
 * @param {{ metrics: MetricComparison[], complete: number, least: number }} again  over the VALID ones; complete: blocks that are left; least: needed
 * @returns {MetricComparison[]}
 */
const heldWithoutSuspect = (judged, again) =>
	judged.map((metric) => {
		const { id, verdict } = metric;
		const second = again.metrics.find((other) => other.id === id)?.verdict ?? 'INCONCLUSIVE';
		if (verdict === 'INCONCLUSIVE' || verdict === second) return metric;
		return {
			...metric,
			verdict: /** @type {const} */ ('INCONCLUSIVE'),
			held_back: `${verdict} with SUSPECT runs, ${withoutThem(second, again)}`,
		};
	});

/** @type {(second: MetricComparison['verdict'], left: { complete: number, least: number }) => string} */
function withoutThem(second, { complete: blocks, least }) {
	if (blocks >= least) return `and ${second === 'INCONCLUSIVE' ? 'inconclusive' : second} without them`;
	return `and without them ${count(blocks)} ${blocks === 1 ? 'block is' : 'blocks are'} left, where a verdict needs ${least}`;
}

/**
 * Two arms of an experiment compared with each other, block by block: from the plan and the results of its runs to
 * `compare.json`. Pure, and repeatable from disk at any time.
 *
 */

/**
 * @param {object} input
 * @param {Plan} input.plan
 * @param {Run[]} input.runs       of the whole experiment
 * @param {string} input.base      arm
 * @param {string} input.other     arm
 * @param {Control | null} input.control
 * @param {(run: string) => string | null} input.hrefOf
 * @param {Comparison['links']} input.links
 * @returns {Comparison}
 */
export function comparisonOf({ plan, runs, base, other, control, hrefOf, links }) {
	const names = { base, other };
	const load = plan.arms.find(({ id }) => id === base)?.load ?? plan.load;
	const comparable = plan.baseline?.same_machine !== false;
	const samples = samplesOf(plan, runs, base, other);
	const stopping = plan.stopping ?? null;
	const least = leastBlocks(stopping);
	// An A/A control is judged by the noise that it shows itself: by ranks, because wider intervals would hide more.
	const measured = isControl(plan, base, other) ? measureAll(samples, control, null) : [];
	const own = selfControlOf(measured, plan);
	const judge = (/** @type {Samples} */ some) =>
		holdBack(
			judgeMetrics(measureAll(some, own ? unbiasedOf(measured, own) : control, stopping), comparable, stopping, comparedAtOnce(plan)),
			names,
		);
	const valid = samplesOf(plan, runs.filter(isValid), base, other);
	const isInDoubt = [...samples.base, ...samples.other].some((run) => !isValid(run));
	const first = judge(samples);
	const judged = isInDoubt ? heldWithoutSuspect(first, { metrics: judge(valid), complete: valid.complete, least }) : first;
	const metrics = judged.map((metric) => ({
		...metric,
		sentence: sentenceOf(metric, names, least),
		failed_share: failedShareOf(metric, judged),
	}));
	const armFor = (/** @type {'base' | 'other'} */ side) => {
		const arm = /** @type {Arm} */ (plan.arms.find(({ id }) => id === names[side]));
		return armOf({
			...{ arm, title: systemsOf(plan).titleOf(arm) },
			runs: runs.filter(({ attempt }) => attempt.arm === names[side]),
			counting: samples[side],
			hrefOf,
		});
	};
	const arms = { base: armFor('base'), other: armFor('other') };
	return {
		schema: VERSIONS.compare,
		id: plan.id,
		title: `${other} against ${base}`,
		load,
		load_title: systemsOf(partUnder(plan, load)).loadTitle(),
		budget: plan.budget,
		seed: plan.seed,
		started: plan.started,
		ended: plan.ended ?? plan.started,
		command: knownCommand(plan.command) ?? '',
		links,
		...arms,
		paired: samples.paired,
		blocks: { wanted: plan.repeats, complete: samples.complete, least, left_out: leftOut(runs, [base, other]) },
		control: own ?? control,
		metrics,
		correction: stopping ? testedText(stopping, metrics.length) : correctionOf(metrics, comparedAtOnce(plan)),
		survivorship: survivorshipOf(metrics, names),
		verdict: overallVerdict({
			...{ metrics, names, complete: samples.complete, least, doubts: doubtsOf(Object.values(arms)) },
			endedBy: (word) => (stopping ? endedText(stopping, word, samples.complete, plan.repeats) : ''),
		}),
		notes: [...notesOf(plan, own ?? control), ...historyNotes(plan, samples.base)],
		machine: machineOf(plan),
	};
}

/** @typedef {ReturnType<typeof samplesOf>} Samples */

/** @type {(samples: Samples, control: Control | null, stopping: AnyLook | null) => MetricComparison[]} */
function measureAll(samples, control, stopping) {
	const measured = comparedMetrics.map((metric) => {
		const [base, other] = [samples.base, samples.other].map((runs) => runs.map(({ result }) => metric.read(result)));
		return { metric, base, other };
	});
	// What no run has a figure for is not tested, and makes no other test stricter.
	const present = measured.filter(({ metric, base, other }) => metric.gate || [...base, ...other].some((value) => value !== null));
	return present.map(({ metric, base, other }) => {
		const compared = stopping
			? compareAtAnyLook(base, other, metric.scale, stopping)
			: (samples.paired ? comparePaired : compareUnpaired)(base, other, metric.scale);
		return measureMetric({ metric, base, other, compared, delta: deltaOf(metric, control) });
	});
}

/** @type {(metric: MetricComparison, all: MetricComparison[]) => { base: number | null, other: number | null } | null} */
function failedShareOf({ id }, all) {
	if (!table.find((metric) => metric.id === id)?.success_only) return null;
	const failures = all.find((metric) => metric.id === 'failure_rate');
	return { base: failures?.base.median ?? null, other: failures?.other.median ?? null };
}

/** @param {MetricComparison[]} metrics @param {number} pairs */
function correctionOf(metrics, pairs) {
	const sizeOf = (/** @type {string} */ family) => metrics.filter((metric) => familyOf(metric) === family).length;
	const own = sizeOf('own');
	const families = own === 0 ? 'two families' : 'three families';
	const ofScenario = own === 0 ? '' : `, and the ${own} of the scenario's own`;
	return `${metrics.length} metrics were tested, in ${families}: the ${sizeOf('gates')} gates${own === 0 ? ', and' : ','} the ${sizeOf('others')} others${ofScenario}. Within each family p is adjusted for their number (Holm 1979)${pairs === 1 ? '' : `, and multiplied by the ${pairs} pairs (Bonferroni)`}; better or worse needs an adjusted p below 0.05. The intervals are 95 % each, not adjusted.`;
}

/** @type {(plan: Plan, control: Control | null) => string[]} */
function notesOf(plan, control) {
	const notes = [...plan.notes, ...rebuiltNotes(plan)];
	if (plan.baseline)
		notes.push(
			`the baseline was measured at another time (${plan.baseline.started}): what the machine did between the two is inside the difference, and the interval does not know of it`,
		);
	if (!control)
		notes.push(
			`no A/A control has been measured for this load and budget, so the minimum delta (5 %) applies; measure one with: ${systemsOf(plan).control()}`,
		);
	const noisy = Object.entries(control?.noise ?? {}).filter(
		([id, noise]) => noise > NOISE_MOST[table.find((metric) => metric.id === id)?.scale ?? 'ratio'],
	);
	for (const [id, noise] of noisy)
		notes.push(`the A/A control differs from itself by up to ${inUnit('share', noise)} on ${id}: this machine is too noisy to judge it`);
	return notes;
}

/** Of whose medians several comparisons are told apart. */
const OF_HISTORY = ['goodput_rps', 'latency_ms_p95_ok'];

/**
 * How far the comparisons of a baseline lie apart: what the machine, and what was measured, did between them.
 * @param {Plan} plan
 * @param {Run[]} runs  of the baseline, that count
 * @returns {string[]}
 */
function historyNotes({ baseline }, runs) {
	const { history = [], attempts = [] } = baseline ?? {};
	if (history.length < 2) return [];
	const ends = history.map((_, index) => sum(history.slice(0, index + 1).map((one) => one.runs)));
	const parts = ends.map((end, index) => attempts.slice(end - history[index].runs, end).map(({ run }) => run));
	const spread = OF_HISTORY.map((id) => {
		const { label, unit, read } = /** @type {Metric} */ (table.find((metric) => metric.id === id));
		const { low, high } = rangeOf(
			parts.map((part) => median(runs.filter(({ attempt }) => part.includes(attempt.run)).map(({ result }) => read(result)))),
		);
		return `${label} ${inUnit(unit, low)} to ${inUnit(unit, high)}`;
	});
	return [
		`the baseline is of ${history.length} comparisons since ${history[history.length - 1].started}, whose medians differ: ${spread.join(', ')}; the interval takes their runs for those of one`,
	];
}

/** @param {Plan} plan */
export function machineOf({ machine }) {
	const { cores, cpu_model, os, memory_bytes } = machine;
	return { text: `${cores} cores ${cpu_model}, ${Math.round(memory_bytes / 2 ** 30)} GiB, ${os}`, cores, cpu_model, os, memory_bytes };
}

/** @typedef {{ runs: number, of: number, reason: string }} Invalid  reason: the most frequent; empty where none is INVALID */

/**
 * Of the plan's own runs, those that are INVALID.
 * @param {Pick<Plan, 'attempts'>} plan
 * @param {Run[]} runs
 * @returns {Invalid}
 */
export function invalidOf({ attempts }, runs) {
	const own = runs.filter(({ attempt }) => attempts.some(({ run }) => run === attempt.run));
	const reasons = own.flatMap(({ result: { validity } }) => (validity.verdict === 'INVALID' ? [validity.reasons[0]] : []));
	const times = (/** @type {string} */ reason) => reasons.filter((other) => other === reason).length;
	const [reason = ''] = reasons.toSorted((one, other) => times(other) - times(one));
	return { runs: reasons.length, of: own.length, reason };
}

/**
 * @param {Plan} plan of a comparison
 * @param {Run[]} runs
 * @returns {number} blocks that are missing of those of which all runs are VALID; 0 for a baseline, whose own cannot be added to
 */
export function blocksWanted(plan, runs) {
	if (plan.baseline) return 0;
	const [[base, other]] = plan.pairs;
	return Math.max(0, LEAST_BLOCKS - samplesOf(plan, runs.filter(isValid), base, other).complete);
}
