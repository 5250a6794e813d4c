/**
 * A claim judged a second time, without what was SUSPECT. Its verdict has to survive that: a figure measured while the
 * generator, or the machine, was in doubt decides nothing by itself.
 *
 * For each test that rests on an arm with SUSPECT runs: these are left out, and their blocks with them. Where too few blocks
 * are left, only stages that were VALID in every run of its arms are read; a SUSPECT run whose doubt lies in no stage in
 * particular is left out then too. Tests whose arms have no SUSPECT run are made as before.
 *
 * @typedef {import('../../define/claims.js').Claim} Claim
 * @typedef {import('../../define/experiment-result.js').ClaimTest} ClaimTest
 * @typedef {import('../../define/experiment-result.js').WithoutSuspect} WithoutSuspect
 * @typedef {import('../comparison/runs.js').Run} Run
 */
import { armsOfTest } from '../../define/claim-arms.js';
import { LEAST_BLOCKS } from '../../define/comparison.js';
import { countingRuns, pairsOf } from '../comparison/runs.js';
import { count } from '../words.js';
import { WHOLE_LOAD } from './doubt-sentences.js';
import { overStages, stageKey } from './readings.js';
import { joinVerdicts, judgeTest } from './tests.js';

/**
 * @typedef {WithoutSuspect['tests'][number]} SecondTest
 * @typedef {(test: Claim['tests'][number], runs: Run[]) => ClaimTest} Judge
 */

/**
 * @param {Claim} claim
 * @param {Run[]} runs of the experiment
 * @param {Judge} [judge]  how a test is made where all of the load counts
 * @returns {WithoutSuspect}
 */
export function judgeWithoutSuspect(claim, runs, judge = judgeTest) {
  const tests = claim.tests.map((test) => judgeAgain(test, runs, judge));
  return { verdict: joinVerdicts(tests.map(({ verdict }) => verdict)), tests };
}

/** @type {(test: Claim['tests'][number], runs: Run[], judge: Judge) => SecondTest} */
function judgeAgain(test, runs, judge) {
  const arms = armsOfTest(test);
  const own = arms.flatMap((arm) => [...countingRuns(runs, arm).values()]);
  if (!own.some(isSuspect)) return { ...judge(test, runs), over: WHOLE_LOAD };
  const valid = own.filter((run) => !isSuspect(run));
  if (blocksOf(test, valid) >= LEAST_BLOCKS) return { ...judge(test, valid), over: 'the runs that are VALID' };
  const kept = own.filter((run) => !isSuspect(run) || hasSuspectStage(run));
  const blocks = blocksOf(test, kept);
  if (blocks < LEAST_BLOCKS)
    return unjudged(test, `${count(blocks)} of its blocks ${blocks === 1 ? 'is' : 'are'} left, and a verdict needs ${LEAST_BLOCKS}`);
  const stages = stagesInCommon(kept);
  if (stages.length === 0) return unjudged(test, 'no stage is VALID in every run');
  const judged = judgeTest(test, kept, overStages(stages.map(stageKey)));
  if (judged.estimate === null)
    return unjudged(test, `it has no figure over ${stagesText(stages)}, the stages that are VALID in every run`);
  return { ...judged, over: stagesText(stages) };
}

/** @type {(test: Claim['tests'][number], runs: Run[]) => number} */
const blocksOf = (test, runs) => (test.kind === 'compare' ? pairsOf(runs, test.base, test.other).length : runs.length);
/** @param {Run} run */
const isSuspect = ({ result }) => result.validity.verdict === 'SUSPECT';
/** @param {Run} run  one analysed before stages had a verdict has none */
const hasSuspectStage = ({ result }) => result.validity.stages?.some(({ verdict }) => verdict !== 'VALID') ?? false;

/** @param {Run[]} runs @returns {import('../../define/result.js').Stage[]} VALID in every one of them */
function stagesInCommon(runs) {
  return runs[0].result.stages.filter((stage) => runs.every(({ result }) => isValidStage(result, stageKey(stage))));
}

/** @type {(result: import('../../define/result.js').Result, key: string) => boolean} */
function isValidStage({ validity, stages }, key) {
  const judged = validity.stages?.find((stage) => stageKey(stage) === key);
  if (judged) return judged.verdict === 'VALID';
  return validity.verdict === 'VALID' && stages.some((stage) => stageKey(stage) === key);
}

/** `the stages to 100 and 500 users`. @param {import('../../define/result.js').Stage[]} stages */
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
