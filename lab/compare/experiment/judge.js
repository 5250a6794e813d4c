/**
 * Judges all that a plan asks for from the results of its runs: its pairs, its claims, its curve.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../../record/types.js').Comparison} Comparison
 * @typedef {import('../comparison/runs.js').Run} Run
 */

import { mkdir } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { writeFileAtomic } from '../../base/files.js';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, RECORD } from '../../base/paths.js';
import { claimsOf } from '../../catalog/claims.js';
import { experiments } from '../../catalog/experiments.js';
import { readRecord } from '../../record/findings.js';
import { formatCompareMarkdown, renderCompare } from '../../report/compare.js';
import { formatExperimentMarkdown, renderExperiment } from '../../report/experiment.js';
import { renderReport } from '../../report/report.js';
import { renderCapacityPlan } from '../../report/stamp.js';
import { LEAST_BLOCKS } from '../../stats/ranks.js';
import { isControl, selfControlOf } from '../comparison/metric.js';
import { comparisonOf, isValid, samplesOf } from '../comparison/runs.js';
import { experimentOf } from '../experiment.js';
import { COMPARE } from '../plan.js';
import { systemsOf } from '../planned-systems.js';
import { notCarriedOverBy, readingsOf } from '../reread.js';

/** The list of everything, as seen from an experiment's folder. */
const INDEX = '../../index.html';

/**
 * @typedef {object} Judged
 * @property {{ comparison: Comparison, folder: string }[]} comparisons  with the folder of each, below the experiment's
 * @property {import('../../record/types.js').ExperimentResult | null} experiment  null for a comparison alone
 * @property {Comparison | null} control  the A/A control among them
 */

/**
 * @param {Plan} plan
 * @param {Run[]} runs
 * @param {object} around  what is there to be linked to
 * @param {(run: string) => boolean} around.isKept  a run's report
 * @param {boolean} around.hasIndex  the list of everything, two folders up
 * @returns {Judged}
 */
export function judgePlan(plan, runs, { isKept, hasIndex }) {
  const alone = plan.experiment === COMPARE;
  const up = alone ? '' : '../../';
  const links = { index: hasIndex ? `${up}${INDEX}` : null, experiment: alone ? null : `${up}${EXPERIMENT_RECORD.page}` };
  const hrefFrom = (/** @type {string} */ up) => (/** @type {string} */ run) =>
    isKept(run) ? `${up}${run.slice(plan.id.length + 1)}` : null;
  const compare = (/** @type {[string, string]} */ [base, other], /** @type {Plan['control']} */ control) =>
    comparisonOf({ plan, runs, base, other, control, hrefOf: hrefFrom(up), links });
  // A control among the pairs is judged first: the others' deltas know of its noise.
  const own = plan.pairs.find((pair) => isControl(plan, ...pair));
  const control = (own && selfControlOf(compare(own, null).metrics, plan)) ?? plan.control;
  const comparisons = plan.pairs.map((pair) => ({ comparison: compare(pair, control), folder: alone ? '' : pairFolder(...pair) }));
  const pairs = comparisons.map(({ comparison: { base, other, verdict }, folder }) => ({
    base: base.id,
    other: other.id,
    href: `${folder}/${EXPERIMENT_RECORD.comparisonPage}`,
    verdict,
  }));
  return {
    comparisons,
    experiment: alone ? null : experimentOf({ plan, runs, pairs, hrefOf: hrefFrom(''), index: hasIndex ? INDEX : null }),
    control: comparisons.find(({ comparison: { base, other } }) => isControl(plan, base.id, other.id))?.comparison ?? null,
  };
}

/** @param {string} base @param {string} other */
const pairFolder = (base, other) => `${EXPERIMENT_RECORD.pairs}/${`${base} vs ${other}`.replaceAll(/[^\w-]+/g, '-').replace(/-$/, '')}`;

/*
 * Of each arm of an experiment one run whose result is among its records: of an excerpt the typical one, which is all that was kept.
 */

/** @param {Pick<Plan, 'id'>} plan @param {string} run  folder below reports/ @returns {string} path of its result below the experiment's folder */
export const resultPath = ({ id }, run) => `${relative(id, run)}/${RECORD.result}`;

/**
 * @param {Pick<Plan, 'id' | 'attempts'> | null | undefined} plan
 * @param {import('../../record/findings.js').Records} records  of the experiment
 * @returns {import('../findings.js').KeptRun[]}
 */
export function keptRuns(plan, records) {
  /** @type {Map<string, import('../findings.js').KeptRun>} */
  const kept = new Map();
  for (const { arm, run, validity } of plan?.attempts ?? []) {
    const result = plan && validity !== 'INVALID' && records[resultPath(plan, run)];
    if (result && !kept.has(arm)) kept.set(arm, { arm, result });
  }
  return [...kept.values()];
}

/*
 * Which claims of a record are read otherwise today than they were registered: its page keeps what was registered, and says this first.
 */

/** @typedef {import('../reread.js').ReadOtherwise} ReadOtherwise */

/**
 * @param {import('../../record/types.js').ExperimentResult} result
 * @param {import('../../catalog/claims.js').Claim[]} [fixed]  its claims as they stood before the runs, where its manifest is there
 * @param {import('../findings.js').KeptRun[]} [kept]
 * @returns {ReadOtherwise[]} under its own load and budget alone; none where its experiment is in no table
 */
export function readOtherwise(result, fixed = [], kept = []) {
  if (!Object.hasOwn(experiments, result.experiment)) return [];
  const asked = { ...experiments[result.experiment], claims: claimsOf(result.experiment, result.machine.cores) };
  return readingsOf(result, fixed, asked).flatMap(({ judged, reading }) => {
    const claim = asked.claims.find(({ id }) => id === reading.id);
    const unlike = claim ? notCarriedOverBy(claim, reading.verdict, kept) : null;
    const verdict = unlike === null ? reading.verdict : 'DOES NOT CARRY OVER';
    const isSameClaim = reading.statement === judged.statement;
    if (verdict === judged.verdict && isSameClaim) return [];
    const statement = isSameClaim ? null : reading.statement;
    return [
      { id: reading.id, statement, verdict, registered: judged.verdict, sentence: reading.sentence, changed: unlike ?? reading.changed },
    ];
  });
}

/*
 * Writes the records of an experiment, and beside each the pages that its readers see.
 */

/**
 * What is made of a record, by its name: texts by theirs. beside: the names of all records in its folder; records: all of them, by path.
 * @type {Record<string, (record: any, beside: string[], records: import('../../record/findings.js').Records) => Record<string, string | Promise<string>>>}
 */
const PAGES = {
  [EXPERIMENT_RECORD.result]: (experiment, _, records) => {
    const otherwise = readOtherwise(experiment, records[RECORD.manifest]?.claims, keptRuns(records[RECORD.manifest], records));
    return {
      [EXPERIMENT_RECORD.markdown]: formatExperimentMarkdown(experiment, otherwise),
      [EXPERIMENT_RECORD.page]: renderExperiment(experiment, otherwise),
    };
  },
  [EXPERIMENT_RECORD.comparison]: (comparison) => ({
    [EXPERIMENT_RECORD.comparisonMarkdown]: formatCompareMarkdown(comparison),
    [EXPERIMENT_RECORD.comparisonPage]: renderCompare(comparison),
  }),
  [CAPACITY_RECORD.data]: (plan) => ({ [CAPACITY_RECORD.page]: renderCapacityPlan(plan) }),
  // Where a run's result is among the records, it is a copy: its raw record and the list of everything are elsewhere.
  [RECORD.result]: (result, beside) => ({ [RECORD.report]: renderReport(result, { files: beside, hasIndex: false }) }),
};

/**
 * @param {string} folder of the experiment
 * @param {import('../../record/findings.js').Records} records
 */
export async function writeRecords(folder, records) {
  const paths = Object.keys(records);
  for (const path of paths) {
    const place = join(folder, posix.dirname(path));
    const beside = paths.filter((other) => posix.dirname(other) === posix.dirname(path)).map((other) => posix.basename(other));
    await mkdir(place, { recursive: true });
    await writeFileAtomic(join(folder, path), `${JSON.stringify(records[path])}\n`);
    const pages = PAGES[posix.basename(path)]?.(records[path], beside, records) ?? {};
    for (const [name, text] of Object.entries(pages)) await writeFileAtomic(join(place, name), await text);
  }
}

/*
 * Judges an experiment from the plan and the results in its folder, and writes what its readers see.
 */

/**
 * @typedef {import('../../record/types.js').ExperimentResult} ExperimentResult
 */

/**
 * @param {string} folder of the experiment
 * @param {Plan} plan
 * @returns {Promise<{ sentence: string, page: string, verdict: 'held' | 'worse' | 'not judged', result: ExperimentResult | Comparison, blocksWanted: number, invalid: Invalid }>}
 *   the finding, the page to open, whether a comparison's second arm compared with the first, all that the page shows, how many blocks
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
      const path = posix.join(attempt.run.slice(plan.id.length + 1), RECORD.result);
      const result = await readRecord(folder, path);
      if (result !== null) return { attempt, result };
      throw new NotReadyError(
        `Expected the result of every run of the experiment; found no ${join(folder, path)}.`,
        'an excerpt cannot be judged again; use the folder that it was made from.',
      );
    }),
  );
}

/**
 * @param {Pick<Judged, 'comparisons' | 'experiment'>} judged
 * @returns {import('../../record/findings.js').Records}
 */
export const recordsOf = ({ comparisons, experiment }) => ({
  ...(experiment && { [EXPERIMENT_RECORD.result]: experiment }),
  ...Object.fromEntries(comparisons.map(({ comparison, folder }) => [posix.join(folder, EXPERIMENT_RECORD.comparison), comparison])),
});

/** Leaves what later comparisons on this machine need to know. @param {string} folder @param {Plan} plan @param {Comparison} comparison */
async function writeControl(folder, plan, { base, control }) {
  const { load, budget, machine, variables, arms } = plan;
  const arm = arms.find(({ id }) => id === base.id);
  await writeFileAtomic(
    join(folder, EXPERIMENT_RECORD.control),
    `${JSON.stringify({ load, budget, machine, variables, fingerprint: systemsOf(plan).fingerprint(load), arm, control }, null, 2)}\n`,
  );
}
