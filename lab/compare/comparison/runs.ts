/**
 * Which runs of an experiment count: those that are not INVALID, one for each arm and block, and for a pair only the
 * blocks in which both arms have one.
 */

import { comparedMetrics, familyOf, metrics as table } from '../../catalog/metrics.ts';
import type { Arm } from '../../options/arms.ts';
import { knownCommand } from '../../options/known-command.ts';
import type { Comparison, Control, MetricComparison, Result, Survivorship } from '../../record/types.js';
import { VERSIONS } from '../../record/versions.ts';
import { type AnyLook, compareAtAnyLook, leastBlocks } from '../../stats/any-look.ts';
import { inUnit, ordinal, percent } from '../../stats/figure-words.ts';
import type { Metric } from '../../stats/metric.ts';
import { median, rangeOf, sum } from '../../stats/numbers.ts';
import { comparePaired } from '../../stats/paired.ts';
import { LEAST_BLOCKS } from '../../stats/ranks.ts';
import { compareUnpaired } from '../../stats/unpaired.ts';
import { type Attempt, comparedAtOnce, type Plan, partUnder } from '../plan.ts';
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
import { rebuiltNotes } from './rebuilt.ts';
import { heldWithoutSuspect, isValid } from './without-suspect.ts';

export type Run = { attempt: Attempt; result: Result };

/**
 * @param runs of the experiment
 * @returns by block
 */
export function countingRuns(runs: Run[], arm: string): Map<number, Run> {
	const valid = runs.filter(({ attempt, result }) => attempt.arm === arm && result.validity.verdict !== 'INVALID');
	// The last one, should a block ever have two.
	return new Map(valid.map((run) => [run.attempt.block, run]));
}

/** @returns the blocks in which both count, in order */
export function pairsOf(runs: Run[], base: string, other: string): { block: number; base: Run; other: Run }[] {
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
 * @returns complete: blocks, or runs of the arm with fewer
 */
export function samplesOf(
	plan: Plan,
	runs: Run[],
	base: string,
	other: string,
): { base: Run[]; other: Run[]; paired: boolean; complete: number } {
	if (plan.baseline?.arm === base) {
		const [bases, others] = [[...countingRuns(runs, base).values()], [...countingRuns(runs, other).values()]];
		return { base: bases, other: others, paired: false, complete: Math.min(bases.length, others.length) };
	}
	const pairs = pairsOf(runs, base, other);
	return { base: pairs.map((pair) => pair.base), other: pairs.map((pair) => pair.other), paired: true, complete: pairs.length };
}

/** @returns INVALID runs */
export const leftOut = (runs: Run[], arms: string[]): { arm: string; block: number; reasons: string[] }[] =>
	runs
		.filter(({ attempt, result }) => arms.includes(attempt.arm) && result.validity.verdict === 'INVALID')
		.map(({ attempt, result }) => ({ arm: attempt.arm, block: attempt.block, reasons: result.validity.reasons }));

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

/** @param metrics judged */
function survivorshipOf(metrics: MetricComparison[], names: { base: string; other: string }): Survivorship | null {
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

function mediansOf(metric: MetricComparison | undefined): { base: number; other: number } | null {
	const [base, other] = [metric?.base.median, metric?.other.median];
	return typeof base === 'number' && typeof other === 'number' ? { base, other } : null;
}

/**
 * Two arms of an experiment compared with each other, block by block: from the plan and the results of its runs to
 * `compare.json`. Pure, and repeatable from disk at any time.
 *
 */

export function comparisonOf({
	plan,
	runs,
	base,
	other,
	control,
	hrefOf,
	links,
}: {
	plan: Plan;
	/** of the whole experiment */
	runs: Run[];
	/** arm */
	base: string;
	/** arm */
	other: string;
	control: Control | null;
	hrefOf: (run: string) => string | null;
	links: Comparison['links'];
}): Comparison {
	const names = { base, other };
	const load = plan.arms.find(({ id }) => id === base)?.load ?? plan.load;
	const comparable = plan.baseline?.same_machine !== false;
	const samples = samplesOf(plan, runs, base, other);
	const stopping = plan.stopping ?? null;
	const least = leastBlocks(stopping);
	// An A/A control is judged by the noise that it shows itself: by ranks, because wider intervals would hide more.
	const measured = isControl(plan, base, other) ? measureAll(samples, control, null) : [];
	const own = selfControlOf(measured, plan);
	const judge = (some: Samples) =>
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
	const armFor = (side: 'base' | 'other') => {
		const arm = plan.arms.find(({ id }) => id === names[side]) as Arm;
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

type Samples = ReturnType<typeof samplesOf>;

function measureAll(samples: Samples, control: Control | null, stopping: AnyLook | null): MetricComparison[] {
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

function failedShareOf({ id }: MetricComparison, all: MetricComparison[]): { base: number | null; other: number | null } | null {
	if (!table.find((metric) => metric.id === id)?.success_only) return null;
	const failures = all.find((metric) => metric.id === 'failure_rate');
	return { base: failures?.base.median ?? null, other: failures?.other.median ?? null };
}

function correctionOf(metrics: MetricComparison[], pairs: number) {
	const sizeOf = (family: string) => metrics.filter((metric) => familyOf(metric) === family).length;
	const own = sizeOf('own');
	const families = own === 0 ? 'two families' : 'three families';
	const ofScenario = own === 0 ? '' : `, and the ${own} of the scenario's own`;
	return `${metrics.length} metrics were tested, in ${families}: the ${sizeOf('gates')} checks${own === 0 ? ', and' : ','} the ${sizeOf('others')} others${ofScenario}. Within each family p is adjusted for their number (Holm 1979)${pairs === 1 ? '' : `, and multiplied by the ${pairs} pairs (Bonferroni)`}; better or worse needs an adjusted p below 0.05. The intervals are 95 % each, not adjusted.`;
}

function notesOf(plan: Plan, control: Control | null): string[] {
	const notes = [...plan.notes, ...rebuiltNotes(plan)];
	if (plan.baseline)
		notes.push(
			`the baseline was measured at another time (${plan.baseline.started}): what the machine did between the two is inside the difference, and the interval does not know of it`,
		);
	if (!control)
		notes.push(
			`no A/A control has been measured for this load and budget, so the minimum difference (5 %) applies; measure one with: ${systemsOf(plan).control()}`,
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
 * @param runs of the baseline, that count
 */
function historyNotes({ baseline }: Plan, runs: Run[]): string[] {
	const { history = [], attempts = [] } = baseline ?? {};
	if (history.length < 2) return [];
	const ends = history.map((_, index) => sum(history.slice(0, index + 1).map((one) => one.runs)));
	const parts = ends.map((end, index) => attempts.slice(end - history[index].runs, end).map(({ run }) => run));
	const spread = OF_HISTORY.map((id) => {
		const { label, unit, read } = table.find((metric) => metric.id === id) as Metric;
		const { low, high } = rangeOf(
			parts.map((part) => median(runs.filter(({ attempt }) => part.includes(attempt.run)).map(({ result }) => read(result)))),
		);
		return `${label} ${inUnit(unit, low)} to ${inUnit(unit, high)}`;
	});
	return [
		`the baseline is of ${history.length} comparisons since ${history[history.length - 1].started}, whose medians differ: ${spread.join(', ')}; the interval takes their runs for those of one`,
	];
}

export function machineOf({ machine }: Plan) {
	const { cores, cpu_model, os, memory_bytes } = machine;
	return { text: `${cores} cores ${cpu_model}, ${Math.round(memory_bytes / 2 ** 30)} GiB, ${os}`, cores, cpu_model, os, memory_bytes };
}

/** reason: the most frequent; empty where none is INVALID */
export type Invalid = { runs: number; of: number; reason: string };

/** Of the plan's own runs, those that are INVALID. */
export function invalidOf({ attempts }: Pick<Plan, 'attempts'>, runs: Run[]): Invalid {
	const own = runs.filter(({ attempt }) => attempts.some(({ run }) => run === attempt.run));
	const reasons = own.flatMap(({ result: { validity } }) => (validity.verdict === 'INVALID' ? [validity.reasons[0]] : []));
	const times = (reason: string) => reasons.filter((other) => other === reason).length;
	const [reason = ''] = reasons.toSorted((one, other) => times(other) - times(one));
	return { runs: reasons.length, of: own.length, reason };
}

/**
 * @param plan of a comparison
 * @returns blocks that are missing of those of which all runs are VALID; 0 for a baseline, whose own cannot be added to
 */
export function blocksWanted(plan: Plan, runs: Run[]): number {
	if (plan.baseline) return 0;
	const [[base, other]] = plan.pairs;
	return Math.max(0, LEAST_BLOCKS - samplesOf(plan, runs.filter(isValid), base, other).complete);
}
