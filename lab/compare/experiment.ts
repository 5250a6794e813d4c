/**
 * What an experiment found: from its plan and the results of its runs to `experiment.json`. Pure, and repeatable from disk
 * at any time.
 */

import { definitionOf, judgedUnder, unlikeOf } from '../catalog/budgets.ts';
import type { Curve, PublishedFigures } from '../catalog/experiments.ts';
import { metricOf, metrics } from '../catalog/metrics.ts';
import { published } from '../catalog/published.ts';
import type { Arm } from '../options/arms.ts';
import { knownCommand } from '../options/known-command.ts';
import type { Breakdown, ExperimentArm, ExperimentResult, Pair, PublishedFigure, PublishedTable } from '../record/types.js';
import { VERSIONS } from '../record/versions.ts';
import { curveOf } from '../stats/curve.ts';
import { median, rangeOf, ratio } from '../stats/numbers.ts';
import { LEAST_BLOCKS } from '../stats/ranks.ts';
import { judgeClaim } from './claims/judge.ts';
import { armRunOf, doubtOf, ledgerOf, outcomesOf, priceOf, reportOf, suspectSentence, typicalOf } from './comparison/doubt.ts';
import type { Run } from './comparison/runs.ts';
import { countingRuns, leftOut, machineOf } from './comparison/runs.ts';
import type { Plan } from './plan.ts';
import { loadsOf } from './plan.ts';
import { loadTitlesOf, systemsOf } from './planned-systems.ts';

/**
 * The tables of a scenario's own over several runs of an arm: the median of each figure.
 *
 */

/** @param results of one arm's runs; all have the same tables, row by row */
function medianBreakdowns(results: { breakdowns?: Breakdown[] }[]): Breakdown[] {
	const [first] = results;
	return (first?.breakdowns ?? []).map((table, index) => ({
		...table,
		rows: table.rows.map(({ name }, row) => ({
			name,
			values: table.columns.map((_, column) => median(results.map(({ breakdowns = [] }) => breakdowns[index]?.rows[row]?.values[column]))),
		})),
	}));
}

/**
 * What an experiment's source measured, beside what was measured here.
 *
 */

function publishedTableOf({
	definition,
	arms,
	runs,
	isAlike,
}: {
	definition: PublishedFigures | undefined;
	arms: Arm[];
	runs: Run[];
	/** nothing is expected of another load or budget */
	isAlike: boolean;
}): PublishedTable | null {
	if (!definition) return null;
	const { section, runs: keys, figures, within = null, reasons = {} } = definition;
	const { source, runs: sourceRuns } = published[section];
	return {
		source,
		within: isAlike ? within : null,
		arms: arms
			.filter(({ id }) => keys[id])
			.map((arm) => ({
				arm: arm.id,
				figures: Object.entries(figures).flatMap(([metric, path]) => {
					const figure = at(sourceRuns[keys[arm.id]], path);
					const expected = isAlike && metricOf(metric).gate ? within : null;
					return figure === null ? [] : [figureOf({ metric, figure, arm: arm.id, runs, within: expected, reason: reasons[arm.id] })];
				}),
			})),
	};
}

const at: (from: any, path: string) => number | null = (from, path) => path.split('.').reduce((value, key) => value?.[key], from) ?? null;

function figureOf({
	metric,
	figure,
	arm,
	runs,
	within,
	reason,
}: {
	metric: string;
	figure: number;
	arm: string;
	runs: Run[];
	within: number | null;
	reason: string | undefined;
}): PublishedFigure {
	const { label, unit, read } = metricOf(metric);
	const measured = rangeOf([...countingRuns(runs, arm).values()].map(({ result }) => read(result)));
	const times = ratio(measured.median, figure);
	const near = within === null || times === null ? null : Math.abs(times - 1) <= within;
	return { metric, label, unit, published: figure, measured, ratio: times, near, reason: near === false ? (reason ?? null) : null };
}

/** Too many for a sentence each. */
const MANY_PAIRS = 5;
const OTHERWISE = { worse: 'worse', mixed: 'better on some metrics and worse on others', same: 'the same', INCONCLUSIVE: 'inconclusive' };
const CLAIMS_NOTE = 'each claim is judged by itself, with 95 % intervals that are not adjusted for the number of claims or of their tests';

export function experimentOf({
	plan,
	runs,
	pairs,
	hrefOf,
	index,
}: {
	plan: Plan;
	runs: Run[];
	/** comparisons already made */
	pairs: Pair[];
	hrefOf: (run: string) => string | null;
	index: string | null;
}): ExperimentResult {
	const ids = plan.arms.map(({ id }) => id);
	const definition = definitionOf(plan);
	const unlike = (claim: string | null) => definition && unlikeOf(definition, plan, claim);
	const claims = plan.claims.map((claim) => judgeClaim({ claim, runs, arms: plan.arms, pages: pairs, unlike: unlike(claim.id) }));
	const arms = plan.arms.map((arm) => experimentArmOf({ plan, arm, runs, hrefOf }));
	const curve = plan.curve ? curveFrom(plan.curve, runs, systemsOf(plan).noun()) : null;
	return {
		schema: VERSIONS.experiment,
		id: plan.id,
		experiment: plan.experiment,
		title: plan.title,
		question: plan.question,
		load: loadsOf(plan).join(' and '),
		load_title: loadTitlesOf(plan),
		budget: plan.budget,
		seed: plan.seed,
		started: plan.started,
		ended: plan.ended ?? plan.started,
		command: knownCommand(plan.command) ?? '',
		index,
		headline: [headlineOf({ claims, curve, pairs }), suspectSentence(arms)].filter(Boolean).join(' '),
		blocks: { wanted: plan.repeats, complete: completeBlocks(plan, runs), least: LEAST_BLOCKS, left_out: leftOut(runs, ids) },
		arms,
		claims,
		claims_hash: plan.claims_hash,
		pairs,
		curve,
		published: publishedTableOf({
			definition: definition?.published,
			arms: plan.arms,
			runs,
			isAlike: unlike(null) === null,
		}),
		notes: [...plan.notes, ...(definition?.remarks ?? []), ...otherLoadNote(plan), ...(claims.length === 0 ? [] : [CLAIMS_NOTE])],
		machine: machineOf(plan),
		versions: Object.assign({}, ...runs.map(({ result }) => result.versions)),
	};
}

/** A load that claims are judged under too is not the one that they speak of. */
function otherLoadNote(plan: Plan): string[] {
	const definition = definitionOf(plan);
	if (!definition) return [];
	const [own, ...others] = judgedUnder(definition);
	const here = others.find(({ load, budget }) => load === plan.load && budget === plan.budget);
	if (!here?.claims) return [];
	const words = ({ load, budget }: { load: string; budget: string }) =>
		`the load ${load} (${systemsOf({ ...plan, load }).loadTitle()}) and the budget ${budget}`;
	return [`measured under ${words(here)}, which can answer ${here.claims.join(', ')}; the claims speak of ${words(own)}`];
}

/** Blocks in which every arm has a run that counts. */
function completeBlocks({ arms, schedule }: Plan, runs: Run[]) {
	const counting = arms.map(({ id }) => countingRuns(runs, id));
	return schedule.filter((_, index) => counting.every((byBlock) => byBlock.has(index + 1))).length;
}

function experimentArmOf({
	plan,
	arm,
	runs,
	hrefOf,
}: {
	plan: Plan;
	arm: Arm;
	runs: Run[];
	hrefOf: (run: string) => string | null;
}): ExperimentArm {
	const own = runs.filter(({ attempt }) => attempt.arm === arm.id);
	const counting = [...countingRuns(runs, arm.id).values()];
	const typical = typicalOf(counting);
	return {
		id: arm.id,
		title: systemsOf(plan).titleOf(arm),
		...(arm.load ? { load: arm.load } : {}),
		runs: counting.length,
		invalid: own.length - counting.length,
		suspect: counting.filter(({ result }) => result.validity.verdict === 'SUSPECT').length,
		doubt: doubtOf(counting.map(({ result }) => result.validity)),
		metrics: Object.fromEntries(metrics.map(({ id, read }) => [id, rangeOf(counting.map(({ result }) => read(result)))])),
		ledger: ledgerOf(counting),
		breakdowns: medianBreakdowns(counting.map(({ result }) => result)),
		typical_run: typical ? reportOf(hrefOf(typical.attempt.run)) : null,
		outcomes: typical ? outcomesOf(typical.result) : null,
		price: typical ? priceOf(typical.result) : null,
		all_runs: own.map((run) => armRunOf(run, counting.includes(run), hrefOf)),
	};
}

function curveFrom({ x_label: xLabel, metric: id, x, is_setting: isSetting }: Curve, runs: Run[], noun: string) {
	const metric = metricOf(id);
	return curveOf({
		xLabel,
		noun,
		metric,
		isSetting,
		points: Object.entries(x).map(([arm, number]) => {
			const counting = [...countingRuns(runs, arm)]
				.filter(([, { result }]) => metric.read(result) !== null)
				.sort(([one], [other]) => one - other);
			return {
				x: number,
				arm,
				blocks: counting.map(([block]) => block),
				values: counting.map(([, { result }]) => Number(metric.read(result))),
				failureRates: counting.map(([, { result }]) => result.metrics.failure_rate),
			};
		}),
	});
}

function headlineOf({ claims, curve, pairs }: Pick<ExperimentResult, 'claims' | 'curve' | 'pairs'>): string {
	if (claims.length > 0) {
		const parts = ['HOLDS', 'REFUTED', 'INCONCLUSIVE'].flatMap((verdict) => {
			const number = claims.filter((claim) => claim.verdict === verdict).length;
			return number === 0 ? [] : [`${number} ${verdict}`];
		});
		const counts = `${claims.length} ${claims.length === 1 ? 'claim' : 'claims'}: ${parts.join(', ')}.`;
		// The claim that was tested by relief says the most.
		const reported = claims.find(({ relief }) => relief !== null) ?? claims[0];
		return `${counts} ${reported.sentence}`;
	}
	if (curve?.is_setting) return `${curve.sentence} ${pairsSentence(pairs)}`;
	return curve ? curve.sentence : pairsSentence(pairs);
}

/** Of many pairs the better ones by name, and how many came out otherwise. */
function pairsSentence(pairs: Pair[]) {
	if (pairs.length < MANY_PAIRS) return pairs.map(({ base, other, verdict }) => `${other} against ${base}: ${verdict.word}.`).join(' ');
	const better = pairs.filter(({ verdict }) => verdict.word === 'better');
	const named = [...new Set(better.map(({ base }) => base))].map((base) => {
		const others = better.filter((pair) => pair.base === base).map(({ other }) => other);
		return `Better than ${base}: ${others.join(', ')}.`;
	});
	const others = Object.entries(OTHERWISE).flatMap(([word, text]) => {
		const times = pairs.filter(({ verdict }) => verdict.word === word).length;
		return times === 0 ? [] : [`${times} ${text}`];
	});
	const rest = others.length === 0 ? '' : ` Of ${pairs.length} pairs ${others.join(', ')}.`;
	return `${named.length === 0 ? 'None is shown to be better.' : named.join(' ')}${rest}`;
}
