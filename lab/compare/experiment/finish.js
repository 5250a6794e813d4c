/**
 * Judges an experiment from the plan and the results in its folder, and writes what its readers see.
 */
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { EXPERIMENT_RECORD, RECORD } from '../../base/paths.js';
import { writeWhole } from '../../base/whole-file.js';
import { LEAST_BLOCKS } from '../../record/comparison.js';
import { samplesOf } from '../comparison/runs.js';
import { isValid } from '../comparison/without-suspect.js';
import { judgePlan } from './judge.js';
import { writeRecords } from './write-records.js';

/**
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../comparison/runs.js').Run} Run
 */

/**
 * @param {string} folder of the experiment
 * @param {Plan} plan
 * @returns {Promise<{ sentence: string, page: string, verdict: 'held' | 'worse' | 'not judged', result: ExperimentResult | Comparison, blocksWanted: number, invalid: Invalid }>}
 *   the finding, the page to open, whether a comparison's second arm held against the first, all that the page shows, how many blocks
 *   more a comparison wants for a verdict, and which of its runs decide nothing
 */
export async function finishExperiment(folder, plan) {
  const runs = await readRuns(folder, plan);
  const judged = judgePlan(plan, runs, { isKept: () => true, hasIndex: true });
  await writeRecords(folder, recordsOf(judged));
  if (judged.control?.control) await writeControl(folder, plan, judged.control);
  const { experiment } = judged;
  if (experiment)
    return {
      sentence: experiment.headline,
      page: join(folder, EXPERIMENT_RECORD.page),
      verdict: 'held',
      result: experiment,
      blocksWanted: 0,
      invalid: invalidOf(plan, runs),
    };
  const [{ comparison }] = judged.comparisons;
  const page = join(folder, EXPERIMENT_RECORD.comparisonPage);
  const { sentence, word } = comparison.verdict;
  return {
    sentence,
    page,
    verdict: heldOf(plan, comparison),
    result: comparison,
    blocksWanted: word === 'INCONCLUSIVE' ? blocksWanted(plan, runs) : 0,
    invalid: invalidOf(plan, runs),
  };
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

/** @type {(plan: Plan, comparison: Comparison) => 'held' | 'worse' | 'not judged'} */
function heldOf(plan, { blocks, metrics }) {
  if (blocks.complete < blocks.least || plan.baseline?.same_machine === false) return 'not judged';
  return metrics.some(({ verdict }) => verdict === 'worse') ? 'worse' : 'held';
}

/**
 * @param {string} folder
 * @param {Plan} plan
 * @returns {Promise<Run[]>}
 * @throws {NotReadyError} when the result of a run is not there
 */
export async function readRuns(folder, plan) {
  return Promise.all(
    [...(plan.baseline?.attempts ?? []), ...plan.attempts].map(async (attempt) => {
      const path = join(folder, attempt.run.slice(plan.id.length + 1), RECORD.result);
      const text = await readFile(path, 'utf8').catch(() => null);
      if (text !== null) return { attempt, result: JSON.parse(text) };
      throw new NotReadyError(
        `Expected the result of every run of the experiment; found no ${path}.`,
        'an excerpt cannot be judged again; use the folder that it was made from.',
      );
    }),
  );
}

/**
 * @param {Pick<import('./judge.js').Judged, 'comparisons' | 'experiment'>} judged
 * @returns {import('../../record/excerpt-file.js').Records}
 */
export const recordsOf = ({ comparisons, experiment }) => ({
  ...(experiment && { [EXPERIMENT_RECORD.result]: experiment }),
  ...Object.fromEntries(comparisons.map(({ comparison, folder }) => [posix.join(folder, EXPERIMENT_RECORD.comparison), comparison])),
});

/** Leaves what later comparisons on this machine need to know. @param {string} folder @param {Plan} plan @param {Comparison} comparison */
async function writeControl(folder, { load, budget, machine, variables, arms, own }, { base, control }) {
  const arm = arms.find(({ id }) => id === base.id);
  await writeWhole(
    join(folder, EXPERIMENT_RECORD.control),
    `${JSON.stringify({ load, budget, machine, variables, fingerprint: own?.loads[load].fingerprint, arm, control }, null, 2)}\n`,
  );
}
