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
 *
 * @typedef {import('../../catalog/claims.js').Claim} Claim
 * @typedef {import('../../record/experiment-result.js').ClaimTest} ClaimTest
 * @typedef {import('../../record/experiment-result.js').WithoutSuspect} WithoutSuspect
 * @typedef {import('../comparison/runs.js').Run} Run
 */
import { armsOfTest } from '../../catalog/claim-arms.js';
import { LEAST_BLOCKS } from '../../record/comparison.js';
import { count, percent } from '../../stats/figure-words.js';
import { present, rangeOf } from '../../stats/numbers.js';
import { countingRuns, pairsOf } from '../comparison/runs.js';
import { WHOLE_LOAD } from './doubt-sentences.js';
import { overStages, stageKey } from './readings.js';
import { joinVerdicts, judgeTest, resided } from './tests.js';
import { isDoubtful, metricOfTest } from './touches.js';

/**
 * @typedef {WithoutSuspect['tests'][number]} SecondTest
 * @typedef {(test: Claim['tests'][number], runs: Run[]) => ClaimTest} Judge
 */

/**
 * @param {Claim} claim
 * @param {Run[]} runs of the experiment
 * @param {Judge} [judge]  how a test is made where all of the load counts
 * @param {SecondTest[]} [known]  second looks that were made when the stages of all runs were at hand, by their labels
 * @returns {WithoutSuspect}
 */
export function judgeWithoutSuspect(claim, runs, judge = judgeTest, known = []) {
  const tests = claim.tests.map((test) => {
    const made = judgeAgain(test, runs, judge);
    return made.over === null ? (knownLook(test, known) ?? made) : made;
  });
  return { verdict: joinVerdicts(tests.map(({ verdict }) => verdict)), tests };
}

/** @type {(test: Claim['tests'][number], runs: Run[], judge: Judge) => SecondTest} */
function judgeAgain(test, runs, judge) {
  const arms = armsOfTest(test);
  const own = arms.flatMap((arm) => [...countingRuns(runs, arm).values()]);
  const metric = metricOfTest(test);
  const sound = own.filter((run) => !isDoubtful(run, metric));
  if (sound.length === own.length) return { ...judge(test, runs), over: WHOLE_LOAD };
  if (blocksOf(test, sound) >= LEAST_BLOCKS) return { ...judge(test, sound), over: soundText(sound) };
  const kept = own.filter((run) => !isDoubtful(run, metric) || hasSuspectStage(run));
  const blocks = blocksOf(test, kept);
  if (blocks < LEAST_BLOCKS)
    return unjudged(test, `${count(blocks)} of its blocks ${blocks === 1 ? 'is' : 'are'} left, and a verdict needs ${LEAST_BLOCKS}`);
  const stages = stagesInCommon(kept);
  if (stages.length === 0) return unjudged(test, 'no stage is VALID in every run');
  const reading = overStages(stages.map(stageKey));
  const judged = judgeTest(test, kept, reading);
  if (judged.estimate === null)
    return unjudged(test, `it has no figure over ${stagesText(stages)}, the stages that are VALID in every run`);
  const most = Math.max(...arms.map((arm) => medianOf(kept, arm, (run) => reading.metric(run, 'failure_rate'))));
  return seesFailures(test, most) ? { ...judged, over: stagesText(stages) } : unjudged(test, noFailuresText(test, stagesText(stages)));
}

/** @type {(runs: Run[], arm: string, read: (run: Run) => number | null) => number} */
const medianOf = (runs, arm, read) => rangeOf(present([...countingRuns(runs, arm).values()].map(read))).median ?? 0;

/** @type {(test: Claim['tests'][number], most: number) => boolean} most: the failure rate of that of its arms that fails more */
const seesFailures = (test, most) => metricOfTest(test) !== 'failure_rate' || most > Math.abs(test.threshold);

/** @type {(test: Claim['tests'][number], stages: string) => string} */
const noFailuresText = ({ threshold }, stages) =>
  `it cannot be read: over ${stages}, all that is VALID in every run, no arm is known to fail more than ${percent(Math.abs(threshold))}`;

/**
 * A second look that is on record has its difference alone. An arm fails at least as much as the two differ.
 * @type {(test: Claim['tests'][number], known: SecondTest[]) => SecondTest | null}
 */
function knownLook(test, known) {
  const look = known.find(({ label, over }) => label === test.label && over !== null && over !== WHOLE_LOAD);
  if (!look || look.estimate === null || look.over === null) return null;
  if (look.scale === 'difference' && !seesFailures(test, Math.abs(look.estimate))) return unjudged(test, noFailuresText(test, look.over));
  return { ...look, ...resided(look, test) };
}

/** @param {Run[]} runs */
const soundText = (runs) =>
  runs.every(({ result }) => result.validity.verdict === 'VALID') ? 'the runs that are VALID' : 'the runs of which no doubt can move it';

/** @type {(test: Claim['tests'][number], runs: Run[]) => number} */
const blocksOf = (test, runs) => (test.kind === 'compare' ? pairsOf(runs, test.base, test.other).length : runs.length);
/** @param {Run} run  one analysed before stages had a verdict has none */
const hasSuspectStage = ({ result }) => result.validity.stages?.some(({ verdict }) => verdict !== 'VALID') ?? false;

/** @param {Run[]} runs @returns {import('../../record/result.js').Stage[]} VALID in every one of them */
function stagesInCommon(runs) {
  return runs[0].result.stages.filter((stage) => runs.every(({ result }) => isValidStage(result, stageKey(stage))));
}

/** @type {(result: import('../../record/result.js').Result, key: string) => boolean} */
function isValidStage({ validity, stages }, key) {
  const judged = validity.stages?.find((stage) => stageKey(stage) === key);
  if (judged) return judged.verdict === 'VALID';
  return validity.verdict === 'VALID' && stages.some((stage) => stageKey(stage) === key);
}

/** `the stages to 100 and 500 users`. @param {import('../../record/result.js').Stage[]} stages */
function stagesText(stages) {
  const targets = stages.map(({ target }) => count(target));
  const last = targets.pop();
  return `the ${targets.length > 0 ? 'stages' : 'stage'} to ${targets.length > 0 ? `${targets.join(', ')} and ` : ''}${last} ${stages[0].unit}`;
}

/** @type {(test: Claim['tests'][number], why: string) => SecondTest} */
const unjudged = (test, why) => ({
  ...judgeTest(test, []),
  blocks: 0,
  estimate: null,
  low: null,
  high: null,
  verdict: 'INCONCLUSIVE',
  over: null,
  why,
});
