/**
 * A stored baseline: the runs of one arm of an earlier experiment, compared with an arm that is measured now.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../../options/arms.js').Arm} Arm
 */

import { cp, lstat, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { EXPERIMENT_RECORD, RECORD, REPORTS } from '../../base/paths.js';

/**
 * @param {Plan} stored
 * @param {string} wanted  arm
 * @param {string} path    of the baseline, for the error
 * @returns {Arm} under a label that says that it was measured at another time
 * @throws {NotReadyError} naming the arms that there are
 */
export function chooseBase(stored, wanted, path) {
  const arm = stored.arms.find(({ id }) => id === wanted);
  if (arm && stored.attempts.some((attempt) => attempt.arm === wanted)) return { ...arm, id: `${arm.id} (baseline)` };
  const arms = [...new Set(stored.attempts.map((attempt) => attempt.arm))];
  throw new NotReadyError(
    `BASELINE: expected runs of ${wanted} in ${path}; found runs of ${arms.join(', ') || 'nothing'}.`,
    'name one of these arms: A=...',
  );
}

/**
 * Copies the baseline's results and reports, so that the comparison stands when the baseline is gone.
 * @param {object} options
 * @param {Plan} options.plan    of the new comparison
 * @param {Plan} options.stored
 * @param {string} options.path  of the baseline's folder
 * @param {Arm} options.base
 * @returns {Promise<import('../plan.js').Baseline>}
 * @throws {NotReadyError} when a run of it is not there
 */
export async function takeBaseline({ plan, stored, path, base }) {
  const source = stored.arms.find((arm) => base.id === `${arm.id} (baseline)`);
  const wanted = stored.attempts.filter(({ arm }) => arm === source?.id);
  for (const { run } of wanted) await refuseMissing(join(path, EXPERIMENT_RECORD.runs, basename(run)));
  const attempts = [];
  for (const attempt of wanted) {
    const name = basename(attempt.run);
    const run = `${plan.id}/${EXPERIMENT_RECORD.baseline}/${name}`;
    await mkdir(join(REPORTS, run), { recursive: true });
    for (const file of [RECORD.result, RECORD.report]) await cp(join(path, EXPERIMENT_RECORD.runs, name, file), join(REPORTS, run, file));
    attempts.push({ ...attempt, arm: base.id, run });
  }
  const { cpu_model: model, cores } = stored.machine;
  const same = plan.machine.cpu_model === model && plan.machine.cores === cores;
  if (!same)
    plan.notes.push(`the baseline was measured on another machine (${cores} cores ${model}): nothing can be concluded from a difference`);
  return { arm: base.id, from: stored.id, started: stored.started, same_machine: same, attempts };
}

/** @param {string} run folder */
async function refuseMissing(run) {
  for (const file of [RECORD.result, RECORD.report])
    if (!(await lstat(join(run, file)).catch(() => null)))
      throw new NotReadyError(
        `BASELINE: expected all runs with their results and reports; found no ${file} in ${run}.`,
        'an excerpt cannot serve as a baseline; use the folder that it was made from.',
      );
}
