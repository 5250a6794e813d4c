/**
 * A claim judged a second time, without what was SUSPECT. Its verdict has to survive that: a figure measured while the
 * generator, or the machine, was in doubt decides nothing by itself.
 *
 * For each test that rests on an arm with runs that are SUSPECT for a reason that can move its figure: these are left out, and their
 * blocks with them. Where too few blocks are left, only stages that were VALID in every run of its arms are read; a SUSPECT run whose doubt
 * lies in no stage in particular is left out then too. Tests whose arms have no such run are made as before.
 *
 * A second look at failures counts only if there are some in it: stages in which nobody fails say nothing of those in which many do, and
 * the verdict cannot be read without what was SUSPECT.
 */

import type { Claim } from '../../catalog/claims.ts';
import { armsOfTest } from '../../catalog/claims.ts';
import { metrics } from '../../catalog/metrics.ts';
import { scenarios } from '../../catalog/scenarios.ts';
import { isDoubted, statementsOf } from '../../record/touches.ts';
import type { ClaimTest, ClaimVerdict, LedgerRow, Result, Stage, WithoutSuspect } from '../../record/types.js';
import { change, count, interval, inUnit, percent, tierName } from '../../stats/figure-words.ts';
import { present, rangeOf } from '../../stats/numbers.ts';
import { LEAST_BLOCKS } from '../../stats/ranks.ts';
import type { ArmDoubt } from '../comparison/doubt.ts';
import { ledgerOf } from '../comparison/doubt.ts';
import type { Run } from '../comparison/runs.ts';
import { countingRuns, pairsOf } from '../comparison/runs.ts';
import type { Reading } from './tests.ts';
import { joinVerdicts, judgeTest, overStages, resided, stageKey, wholeLoad } from './tests.ts';

/**
 * Fills the figures into a claim's sentences: {metric@arm} is the median of an arm, {test N} the estimate and interval of
 * the claim's Nth test, {beside N} those of the Nth that decides nothing, {lost@arm} where the arm's failures were lost.
 */

const PLACE = /\{(?:test (\d+)|beside (\d+)|(\w+)@([^{}]+))\}/g;

export function fill(
	sentence: string,
	{
		tests,
		beside = [],
		runs,
		reading = wholeLoad,
	}: {
		tests: ClaimTest[];
		beside?: ClaimTest[];
		runs: Run[];
		reading?: Reading;
	},
): string {
	return sentence.replace(PLACE, (_, test, other, name, arm) => {
		if (test !== undefined) return estimateOf(tests[Number(test) - 1]);
		if (other !== undefined) return estimateOf(beside[Number(other) - 1]);
		const counting = [...countingRuns(runs, arm).values()];
		if (name === 'lost') return lostOf(counting, reading.lost?.(arm));
		const metric = metrics.find(({ id }) => id === name);
		if (!metric) throw new RangeError(`a claim's sentence names the metric "${name}", which there is not: ${sentence}`);
		const { median } = rangeOf(counting.map((run) => reading.metric(run, name)));
		return inUnit(metric.unit, median, scenarios[counting[0]?.result.scenario]?.noun);
	});
}

export function estimateOf({ scale, basis, estimate, low, high }: ClaimTest) {
	if (estimate === null) return 'nothing measured';
	const text = scale === 'share' ? percent(estimate) : change(scale, estimate);
	if (low === null || high === null || basis === 'published') return text;
	if (low === high) return `${text} in every repetition`;
	return scale === 'share' ? `${text} (${percent(low)} to ${percent(high)})` : `${text} (${interval(scale, { low, high })})`;
}

function lostOf(runs: Run[], known?: LedgerRow[]): string {
	if (runs.length === 0) return 'nothing measured';
	const rows = known ?? ledgerOf(runs);
	if (rows.length === 0) return `nothing, in ${runs.length} runs`;
	return rows.map(({ tier, cause_title: title, count: lost }) => `${count(lost)} at ${tierName(tier)}: ${title}`).join('; ');
}

/**
 * What is said of a claim whose tests rest on SUSPECT runs: that its verdict stood without them, or that it fell.
 *
 */

export function fallenSentence({
	tests,
	first,
	again,
	doubts,
}: {
	/** over all runs that count */
	tests: ClaimTest[];
	/** their verdict */
	first: ClaimVerdict;
	again: WithoutSuspect;
	doubts: ArmDoubt[];
}) {
	const figures = tests.map((test) => `${test.label} ${estimateOf(test)}`).join('; ');
	return {
		sentence: `The result depends on SUSPECT runs (${countsText(doubts)}). With them it would be ${first}.`,
		remarks: [`With them: ${figures}.`, `Without what was SUSPECT: ${withoutText(again)}.`],
	};
}

export function survivedSentence(again: WithoutSuspect, doubts: ArmDoubt[]) {
	const same = `Some of its runs are SUSPECT (${countsText(doubts)}); the verdict is the same without what was SUSPECT: ${withoutText(again)}.`;
	const deciding = again.tests.filter(({ verdict }) => verdict === 'REFUTED');
	// A claim is refuted by one test; those that no longer do are not what it rests on.
	if (again.verdict !== 'REFUTED' || deciding.length === again.tests.length) return same;
	return `${same} It rests on ${deciding.map(({ label }) => label).join('; ')}.`;
}

export const untouchedSentence = (doubts: ArmDoubt[]) =>
	`Some of its runs are SUSPECT (${countsText(doubts)}), for readings of Doubletake that cannot move the figures of its tests.`;

/** `a-lb 8 of 8, 2a 8 of 8`; the reasons stand beside it. */
const countsText = (doubts: ArmDoubt[]) => doubts.map(({ arm, doubt }) => `${arm} ${doubt.suspect} of ${doubt.runs}`).join(', ');

/** Tests that rest on nothing SUSPECT were said already; those that cannot be made for the same reason are said together. */
function withoutText({ tests }: WithoutSuspect) {
	const others = tests.filter(({ over }) => over !== WHOLE_LOAD);
	const made = others
		.filter(({ over }) => over !== null)
		.map(
			(test) => `${test.label} ${estimateOf(test)} over ${test.over}${test.verdict === 'INCONCLUSIVE' ? ', by itself INCONCLUSIVE' : ''}`,
		);
	const notMade = [...new Set(others.flatMap(({ why }) => why ?? []))].map((why) =>
		others.every((test) => test.why === why)
			? why
			: `${others
					.filter((test) => test.why === why)
					.map(({ label }) => label)
					.join(', ')}: ${why}`,
	);
	return [...made, ...notMade].join('; ');
}

/** What a test is made over when none of its runs is SUSPECT. */
export const WHOLE_LOAD = 'the whole load';

/**
 * @param metric null where a test reads something else than a metric
 * @returns whether it is SUSPECT for a reason that can move the metric (../../record/touches.ts)
 */
export const isDoubtful = ({ result: { validity } }: Run, metric: string | null): boolean =>
	validity.verdict === 'SUSPECT' && isDoubted(validity, statementsOf(metric));

const metricOfTest = (test: Claim['tests'][number]) => ('metric' in test ? test.metric : null);

export type SecondTest = WithoutSuspect['tests'][number];

export type Judge = (test: Claim['tests'][number], runs: Run[]) => ClaimTest;

/**
 * @param runs of the experiment
 * @param judge how a test is made where all of the load counts
 * @param known second looks that were made when the stages of all runs were at hand, by their labels
 */
export function judgeWithoutSuspect(claim: Claim, runs: Run[], judge: Judge = judgeTest, known: SecondTest[] = []): WithoutSuspect {
	const tests = claim.tests.map((test) => {
		const made = judgeAgain(test, runs, judge);
		return made.over === null ? (knownLook(test, known) ?? made) : made;
	});
	return { verdict: joinVerdicts(tests.map(({ verdict }) => verdict)), tests };
}

function judgeAgain(test: Claim['tests'][number], runs: Run[], judge: Judge): SecondTest {
	const arms = armsOfTest(test);
	const own = arms.flatMap((arm) => [...countingRuns(runs, arm).values()]);
	const metric = metricOfTest(test);
	const sound = own.filter((run) => !isDoubtful(run, metric));
	if (sound.length === own.length) return { ...judge(test, runs), over: WHOLE_LOAD };
	if (blocksOf(test, sound) >= LEAST_BLOCKS) return { ...judge(test, sound), over: soundText(sound) };
	const kept = own.filter((run) => !isDoubtful(run, metric) || hasSuspectStage(run));
	const blocks = blocksOf(test, kept);
	if (blocks < LEAST_BLOCKS)
		return unjudged(test, `${count(blocks)} of its repetitions ${blocks === 1 ? 'is' : 'are'} left, and a verdict needs ${LEAST_BLOCKS}`);
	const stages = stagesInCommon(kept);
	if (stages.length === 0) return unjudged(test, 'no stage is VALID in every run');
	const reading = overStages(stages.map(stageKey));
	const judged = judgeTest(test, kept, reading);
	if (judged.estimate === null)
		return unjudged(test, `it has no figure over ${stagesText(stages)}, the stages that are VALID in every run`);
	const most = Math.max(...arms.map((arm) => medianOf(kept, arm, (run) => reading.metric(run, 'failure_rate'))));
	return seesFailures(test, most) ? { ...judged, over: stagesText(stages) } : unjudged(test, noFailuresText(test, stagesText(stages)));
}

const medianOf: (runs: Run[], arm: string, read: (run: Run) => number | null) => number = (runs, arm, read) =>
	rangeOf(present([...countingRuns(runs, arm).values()].map(read))).median ?? 0;

/** most: the failure rate of that of its arms that fails more */
const seesFailures: (test: Claim['tests'][number], most: number) => boolean = (test, most) =>
	metricOfTest(test) !== 'failure_rate' || most > Math.abs(test.threshold);

const noFailuresText: (test: Claim['tests'][number], stages: string) => string = ({ threshold }, stages) =>
	`it cannot be read: over ${stages}, all that is VALID in every run, no arm is known to fail more than ${percent(Math.abs(threshold))}`;

/** A second look that is on record has its difference alone. An arm fails at least as much as the two differ. */
function knownLook(test: Claim['tests'][number], known: SecondTest[]): SecondTest | null {
	const look = known.find(({ label, over }) => label === test.label && over !== null && over !== WHOLE_LOAD);
	if (!look || look.estimate === null || look.over === null) return null;
	if (look.scale === 'difference' && !seesFailures(test, Math.abs(look.estimate))) return unjudged(test, noFailuresText(test, look.over));
	return { ...look, ...resided(look, test) };
}

const soundText = (runs: Run[]) =>
	runs.every(({ result }) => result.validity.verdict === 'VALID') ? 'the runs that are VALID' : 'the runs of which no doubt can move it';

const blocksOf: (test: Claim['tests'][number], runs: Run[]) => number = (test, runs) =>
	test.kind === 'compare' ? pairsOf(runs, test.base, test.other).length : runs.length;
const hasSuspectStage = ({ result }: Run) => result.validity.stages.some(({ verdict }) => verdict !== 'VALID');

/** @returns VALID in every one of them */
function stagesInCommon(runs: Run[]): Stage[] {
	return runs[0].result.stages.filter((stage) => runs.every(({ result }) => isValidStage(result, stageKey(stage))));
}

function isValidStage({ validity, stages }: Result, key: string): boolean {
	const judged = validity.stages.find((stage) => stageKey(stage) === key);
	if (judged) return judged.verdict === 'VALID';
	return validity.verdict === 'VALID' && stages.some((stage) => stageKey(stage) === key);
}

/** `the stages to 100 and 500 users`. */
function stagesText(stages: Stage[]) {
	const targets = stages.map(({ target }) => count(target));
	const last = targets.pop();
	return `the ${targets.length > 0 ? 'stages' : 'stage'} to ${targets.length > 0 ? `${targets.join(', ')} and ` : ''}${last} ${stages[0].unit}`;
}

const unjudged: (test: Claim['tests'][number], why: string) => SecondTest = (test, why) => ({
	...judgeTest(test, []),
	blocks: 0,
	estimate: null,
	low: null,
	high: null,
	verdict: 'INCONCLUSIVE',
	over: null,
	why,
});
