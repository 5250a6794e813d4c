/**
 * Plans of the architectures that the lab brings along: from the tables, or from A and B, and the command line's variables.
 */

import { cp, lstat, mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { formatCommand, oneOf, shellWord } from '../../base/format-command.js';
import { EXPERIMENT_RECORD, RECORD, REPORTS } from '../../base/paths.js';
import { scenarioOf } from '../../catalog/architectures.js';
import { DEFAULT_BUDGET, EXPERIMENT_BUDGET, isComputed } from '../../catalog/budgets.js';
import { claimsOf } from '../../catalog/claims.js';
import { experiments } from '../../catalog/experiments.js';
import { scenarios } from '../../catalog/scenarios.js';
import { acceptedBy, acceptedForAll, FOR_ALL_ARMS, readArm, refuseAllBut, tellApart } from '../../options/accepted-options.js';
import { readSettings } from '../../options/settings.js';
import { COMPARE, loadsOf } from '../plan.js';
import { comparisonOf, makePlan, readPlan } from './read-plan.js';

/**
 * A stored baseline: the runs of one arm of an earlier experiment, compared with an arm that is measured now.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../../options/accepted-options.js').Arm} Arm
 */

/**
 * @param {Plan} stored
 * @param {string} wanted  arm
 * @param {string} path    of the baseline, for the error
 * @returns {Arm} under a label that says that it was measured at another time
 * @throws {NotReadyError} naming the arms that there are
 */
function chooseBase(stored, wanted, path) {
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
async function takeBaseline({ plan, stored, path, base }) {
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

/** @typedef {import('./read-plan.js').Env} Env */

/**
 * @param {Env} env  A, B, and what every experiment takes
 * @returns {Promise<import('../plan.js').Plan>}
 * @throws {NotReadyError} naming the variable at fault
 */
export async function planComparison(env) {
  if (env.BASELINE) return planAgainstBaseline(env, env.BASELINE);
  const arms = tellApart(readArm('A', env.A), readArm('B', env.B));
  const table = comparisonOf(arms, scenarios[scenarioOf(arms[0].architecture)].load);
  return planArchitectures(COMPARE, table, env, [`A=${shellWord(env.A)}`, `B=${shellWord(env.B)}`]);
}

/** @param {Env} env @param {string} path of the baseline's folder @returns {Promise<import('../plan.js').Plan>} */
async function planAgainstBaseline(env, path) {
  const arm = readArm('B', env.B);
  const stored = await readPlan('BASELINE', path);
  if (stored.loads)
    throw new NotReadyError(
      `BASELINE: expected runs of shipped architectures; ${path} has those of a system of its own.`,
      'compare two variants of it with "doubletake compare --a ... --b ..." in its folder.',
    );
  const base = chooseBase(stored, env.A || arm.id, path);
  refuseDifferentScenarios([base, arm]);
  const given = { ...env, LOAD: env.LOAD || stored.load, BUDGET: env.BUDGET || stored.budget };
  const named = env.A ? [`A=${shellWord(env.A)}`] : [];
  const plan = await planArchitectures(
    COMPARE,
    {
      title: `${arm.id} against a baseline`,
      question: `Is ${arm.id} what it was?`,
      load: stored.load,
      arms: [arm],
      pairs: [[base.id, arm.id]],
    },
    given,
    [...named, `B=${shellWord(env.B)}`, `BASELINE=${shellWord(path)}`],
  );
  for (const key of /** @type {const} */ (['load', 'budget']))
    if (plan[key] !== stored[key])
      throw new NotReadyError(
        `BASELINE: expected ${key.toUpperCase()}=${stored[key]}, as the baseline was measured; found ${plan[key]}.`,
        `leave ${key.toUpperCase()} out, or measure another baseline.`,
      );
  if (isComputed(plan.budget) && !stored.calibration)
    throw new NotReadyError(
      `BASELINE: expected one that kept its calibration, so that B gets the same quotas; ${path} was measured by a version of the lab that made none.`,
      'measure another baseline.',
    );
  // What the baseline had; a calibration of today would give B other quotas.
  const conditions = stored.calibration !== undefined ? { calibration: stored.calibration, think_time_s: stored.think_time_s } : {};
  return { ...plan, ...conditions, arms: [base, arm], baseline: await takeBaseline({ plan, stored, path: resolve(path), base }) };
}

/**
 * @param {string} id   key of the experiments table
 * @param {Env} env     ARMS, LOAD, BUDGET, REPEATS, SEED, IMAGES
 * @returns {Promise<import('../plan.js').Plan>}
 * @throws {NotReadyError} naming the variable at fault
 */
export const planExperiment = (id, env) =>
  planArchitectures(
    id,
    experiments[oneOf('experiment', id, Object.keys(experiments))],
    env,
    env.ARMS ? [`ARMS=${shellWord(env.ARMS)}`] : [],
  );

/** words: of the command, which are this one's own. @type {(id: string, table: import('../../catalog/experiments.js').Experiment, env: Env, words: string[]) => Promise<import('../plan.js').Plan>} */
async function planArchitectures(id, table, env, words) {
  if (env.EXPECT)
    throw new NotReadyError(
      `EXPECT: expected a single run to hold to thresholds; found ${id === COMPARE ? 'a comparison' : 'an experiment'}.`,
      'leave it out; to hold an architecture to what it was, compare it with a BASELINE.',
    );
  if (env.ARMS && id === COMPARE)
    throw new NotReadyError(
      'ARMS: expected an experiment, of which it leaves arms out; found a comparison.',
      'leave it out; the arms of a comparison are A and B.',
    );
  const claims = (/** @type {number} */ cores) => claimsOf(id, cores);
  return makePlan({ experiment: id, table, claims, settle: (experiment, given) => settle({ id, experiment, words }, given, env) }, env);
}

/**
 * Every arm is checked before anything is measured.
 * @param {{ id: string, experiment: import('../../catalog/experiments.js').Experiment, words: string[] }} asked
 * @param {Env} seeded
 * @param {Env} env  as it was given
 * @returns {import('./read-plan.js').Settled}
 */
function settle({ id, experiment, words }, seeded, env) {
  const given = {
    ...seeded,
    LOAD: env.LOAD || experiment.load,
    BUDGET: env.BUDGET || (id === COMPARE ? DEFAULT_BUDGET : (experiment.budget ?? EXPERIMENT_BUDGET)),
  };
  refuseDifferentScenarios(experiment.arms);
  const [settings] = experiment.arms.map((arm) =>
    readSettings(arm.architecture, { ...given, LOAD: arm.load ?? given.LOAD, ...arm.variables }),
  );
  const { load, seed, images, busy } = settings;
  const budget = given.BUDGET;
  const takenForAll = FOR_ALL_ARMS.filter((name) => experiment.arms.some((arm) => isTaken(arm, name)));
  // A plan that is resumed is read, and not made.
  const ofPlan = acceptedBy(id === COMPARE ? COMPARE : 'experiment').filter((name) => !['RESUME', ...FOR_ALL_ARMS].includes(name));
  const what = id === COMPARE ? 'any arm of this comparison' : `any arm of the experiment ${id}`;
  refuseAllBut(what, [...ofPlan, ...takenForAll], env);
  const variables = Object.fromEntries(takenForAll.flatMap((name) => (env[name] ? [[name, String(env[name])]] : [])));
  const variablesGiven = [
    ...words,
    ...(loadsOf({ ...experiment, load }).length === 1 ? [`LOAD=${load}`] : []),
    `BUDGET=${budget}`,
    ...Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`),
  ];
  return {
    ...{ load, budget, seed, images, busy, variables },
    commandWith: (repeats) =>
      formatCommand(id === COMPARE ? [COMPARE] : ['experiment', id], [...variablesGiven, `REPEATS=${repeats}`, `SEED=${seed}`]),
  };
}

/** Whether it changes the arm when it is given for all of them. @type {(arm: import('../../options/accepted-options.js').Arm, name: string) => boolean} */
const isTaken = ({ architecture, variables = {} }, name) => variables[name] === undefined && acceptedForAll(architecture).includes(name);

/** What is asked of one arm must be what is asked of the other. @param {import('../../options/accepted-options.js').Arm[]} arms */
function refuseDifferentScenarios([base, ...others]) {
  const other = others.find(({ architecture }) => scenarioOf(architecture) !== scenarioOf(base.architecture));
  if (!other) return;
  const requests = [base, other].map(({ id, architecture }) => `${id}: "${scenarios[scenarioOf(architecture)].request}"`);
  throw new NotReadyError(
    `A and B: expected architectures that take the same requests; found ${requests.join(', ')}.`,
    'compare architectures of one scenario.',
  );
}
