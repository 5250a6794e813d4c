/**
 * Finds the A/A control that was measured last on this machine under the same load and budget: what two identical
 * architectures were seen to differ by, which no comparison here may call a difference.
 */

import { EXPERIMENT_RECORD } from '../../base/paths.js';
import { isSameSystem } from '../../options/arms.js';
import { readRecords } from '../../report/reports.js';

/**
 * @param {object} wanted
 * @param {string} wanted.load
 * @param {string} wanted.budget
 * @param {Record<string, string>} wanted.variables  for all arms
 * @param {{ cpu_model: string, cores: number }} wanted.machine
 * @param {import('../../options/arms.js').Arm[]} wanted.arms  one of them is what the control was made of
 * @param {string} [wanted.fingerprint]  of the load, where that is a user's own
 * @returns {Promise<import('../../record/comparison.js').Control | null>}
 */
export async function findControl(wanted) {
  const found = (await readRecords(EXPERIMENT_RECORD.control)).map(({ record }) => record);
  return newestFitting(found, wanted);
}

/**
 * @param {any[]} records of controls, in any order
 * @param {Parameters<typeof findControl>[0]} wanted
 * @returns {import('../../record/comparison.js').Control | null}
 */
export function newestFitting(records, { load, budget, variables, machine, arms, fingerprint }) {
  const fitting = records.filter(
    (record) =>
      record.load === load &&
      record.budget === budget &&
      record.fingerprint === fingerprint &&
      record.machine.cpu_model === machine.cpu_model &&
      record.machine.cores === machine.cores &&
      JSON.stringify(record.variables) === JSON.stringify(variables) &&
      arms.some((arm) => isSameSystem(arm, record.arm)),
  );
  return fitting.sort((one, other) => other.control.started.localeCompare(one.control.started))[0]?.control ?? null;
}
