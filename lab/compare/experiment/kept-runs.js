/**
 * Of each arm of an experiment one run whose result is among its records: of an excerpt the typical one, which is all that was kept.
 */
import { relative } from 'node:path';
import { RECORD } from '../../base/paths.js';

/** @typedef {import('../plan.js').Plan} Plan */

/** @param {Pick<Plan, 'id'>} plan @param {string} run  folder below reports/ @returns {string} path of its result below the experiment's folder */
export const resultPath = ({ id }, run) => `${relative(id, run)}/${RECORD.result}`;

/**
 * @param {Pick<Plan, 'id' | 'attempts'> | null | undefined} plan
 * @param {import('../../record/excerpt-file.js').Records} records  of the experiment
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
