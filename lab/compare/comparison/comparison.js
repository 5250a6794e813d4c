/**
 * Two arms of an experiment held against each other, block by block: from the plan and the results of its runs to
 * `compare.json`. Pure, and repeatable from disk at any time.
 *
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('./runs.js').Run} Run
 */

import { comparedMetrics, familyOf, metrics as table } from '../../catalog/metrics.js';
import { COMPARISON_SCHEMA_VERSION, LEAST_BLOCKS } from '../../record/comparison.js';
import { inUnit } from '../../stats/figure-words.js';
import { comparePaired } from '../../stats/paired.js';
import { compareUnpaired } from '../../stats/unpaired.js';
import { controlCommand, loadTitleOf, partUnder } from '../plan.js';
import { armOf } from './arm.js';
import { isControl, selfControlOf, unbiasedOf } from './control.js';
import { doubtsOf } from './doubt.js';
import { deltaOf, holdBack, judgeMetrics, measureMetric, NOISE_MOST, sentenceOf } from './metric.js';
import { rebuiltNotes } from './rebuilt.js';
import { leftOut, samplesOf } from './runs.js';
import { survivorshipOf } from './survivorship.js';
import { overallVerdict } from './verdict.js';
import { heldWithoutSuspect, isValid } from './without-suspect.js';

/**
 * @param {object} input
 * @param {Plan} input.plan
 * @param {Run[]} input.runs       of the whole experiment
 * @param {string} input.base      arm
 * @param {string} input.other     arm
 * @param {import('../../record/comparison.js').Control | null} input.control
 * @param {(run: string) => string | null} input.hrefOf
 * @param {Comparison['links']} input.links
 * @returns {Comparison}
 */
export function comparisonOf({ plan, runs, base, other, control, hrefOf, links }) {
  const names = { base, other };
  const load = plan.arms.find(({ id }) => id === base)?.load ?? plan.load;
  const comparable = plan.baseline?.same_machine !== false;
  const samples = samplesOf(plan, runs, base, other);
  const measured = measureAll(samples, control);
  // An A/A control is judged by the noise that it shows itself.
  const own = isControl(plan, base, other) ? selfControlOf(measured, plan) : null;
  const judge = (/** @type {Samples} */ some) =>
    holdBack(judgeMetrics(measureAll(some, own ? unbiasedOf(measured, own) : control), comparable), names);
  const valid = samplesOf(plan, runs.filter(isValid), base, other);
  const isInDoubt = [...samples.base, ...samples.other].some((run) => !isValid(run));
  const first = judge(samples);
  const judged = isInDoubt ? heldWithoutSuspect(first, { metrics: judge(valid), complete: valid.complete }) : first;
  const metrics = judged.map((metric) => ({ ...metric, sentence: sentenceOf(metric, names), failed_share: failedShareOf(metric, judged) }));
  const armFor = (/** @type {'base' | 'other'} */ side) =>
    armOf({
      arm: /** @type {import('../../options/arms.js').Arm} */ (plan.arms.find(({ id }) => id === names[side])),
      runs: runs.filter(({ attempt }) => attempt.arm === names[side]),
      counting: samples[side],
      hrefOf,
    });
  const arms = { base: armFor('base'), other: armFor('other') };
  return {
    schema: COMPARISON_SCHEMA_VERSION,
    id: plan.id,
    title: `${other} against ${base}`,
    load,
    load_title: loadTitleOf(partUnder(plan, load)),
    budget: plan.budget,
    seed: plan.seed,
    started: plan.started,
    ended: plan.ended ?? plan.started,
    command: plan.command,
    links,
    ...arms,
    paired: samples.paired,
    blocks: { wanted: plan.repeats, complete: samples.complete, least: LEAST_BLOCKS, left_out: leftOut(runs, [base, other]) },
    control: own ?? control,
    metrics,
    correction: correctionOf(metrics),
    survivorship: survivorshipOf(metrics, names),
    verdict: overallVerdict({ metrics, names, complete: samples.complete, doubts: doubtsOf(Object.values(arms)) }),
    notes: notesOf(plan, own ?? control),
    machine: machineOf(plan),
  };
}

/** @typedef {ReturnType<typeof samplesOf>} Samples */

/** @type {(samples: Samples, control: import('../../record/comparison.js').Control | null) => import('../../record/comparison.js').MetricComparison[]} */
function measureAll(samples, control) {
  const measured = comparedMetrics.map((metric) => {
    const [base, other] = [samples.base, samples.other].map((runs) => runs.map(({ result }) => metric.read(result)));
    return { metric, base, other };
  });
  // What no run has a figure for is not tested, and makes no other test stricter.
  const present = measured.filter(({ metric, base, other }) => metric.gate || [...base, ...other].some((value) => value !== null));
  return present.map(({ metric, base, other }) => {
    const compared = (samples.paired ? comparePaired : compareUnpaired)(base, other, metric.scale);
    return measureMetric({ metric, base, other, compared, delta: deltaOf(metric, control) });
  });
}

/** @type {(metric: import('../../record/comparison.js').MetricComparison, all: import('../../record/comparison.js').MetricComparison[]) => { base: number | null, other: number | null } | null} */
function failedShareOf({ id }, all) {
  if (!table.find((metric) => metric.id === id)?.of_successes) return null;
  const failures = all.find((metric) => metric.id === 'failure_rate');
  return { base: failures?.base.median ?? null, other: failures?.other.median ?? null };
}

/** @param {import('../../record/comparison.js').MetricComparison[]} metrics */
function correctionOf(metrics) {
  const sizeOf = (/** @type {string} */ family) => metrics.filter((metric) => familyOf(metric) === family).length;
  const own = sizeOf('own');
  const families = own === 0 ? 'two families' : 'three families';
  const ofScenario = own === 0 ? '' : `, and the ${own} of the scenario's own`;
  return `${metrics.length} metrics were tested, in ${families}: the ${sizeOf('gates')} gates${own === 0 ? ', and' : ','} the ${sizeOf('others')} others${ofScenario}. Within each family p is adjusted for their number (Holm 1979); better or worse needs an adjusted p below 0.05. The intervals are 95 % each, not adjusted.`;
}

/** @type {(plan: Plan, control: import('../../record/comparison.js').Control | null) => string[]} */
function notesOf(plan, control) {
  const notes = [...plan.notes, ...rebuiltNotes(plan)];
  if (plan.baseline)
    notes.push(
      `the baseline was measured at another time (${plan.baseline.started}): what the machine did between the two is inside the difference, and the interval does not know of it`,
    );
  if (!control)
    notes.push(
      `no A/A control has been measured for this load and budget, so the minimum delta (5 %) applies; measure one with: ${controlCommand(plan)}`,
    );
  const noisy = Object.entries(control?.noise ?? {}).filter(
    ([id, noise]) => noise > NOISE_MOST[table.find((metric) => metric.id === id)?.scale ?? 'ratio'],
  );
  for (const [id, noise] of noisy)
    notes.push(`the A/A control differs from itself by up to ${inUnit('share', noise)} on ${id}: this machine is too noisy to judge it`);
  return notes;
}

/** @param {Plan} plan */
export function machineOf({ machine }) {
  const { cores, cpu_model, os, memory_bytes } = machine;
  return { text: `${cores} cores ${cpu_model}, ${Math.round(memory_bytes / 2 ** 30)} GiB, ${os}`, cores, cpu_model, os, memory_bytes };
}
