/**
 * Makes the plan of a new experiment from the tables and the front door's variables, or takes up one that was interrupted.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readArm, tellApart } from '../define/arms.js';
import { claimsOf } from '../define/claims.js';
import { LEAST_BLOCKS } from '../define/comparison.js';
import { NotReadyError } from '../define/errors.js';
import { experiments } from '../define/experiments.js';
import { newFolderName, RECORD } from '../define/paths.js';
import { PLAN_SCHEMA_VERSION } from '../define/plan.js';
import { oneOf, readSettings, whole } from '../define/settings.js';
import { readCommit } from '../measure/components.js';
import { describeMachine } from '../measure/machine.js';
import { chooseBase, takeBaseline } from './baseline.js';
import { findControl } from './control.js';
import { COMPARE } from './judge.js';
import { hashOf, remainingOf, scheduleOf } from './plan.js';

/** @typedef {Record<string, string | undefined>} Env */

const REPEATS_MOST = 100;

/**
 * @param {Env} env  A, B, and what every experiment takes
 * @returns {Promise<import('../define/plan.js').Plan>}
 * @throws {NotReadyError} naming the variable at fault
 */
export async function planComparison(env) {
  if (env.BASELINE) return planAgainstBaseline(env, env.BASELINE);
  const arms = tellApart(readArm('A', env.A), readArm('B', env.B));
  const [base, other] = arms.map(({ id }) => id);
  return makePlan(
    COMPARE,
    { title: `${base} against ${other}`, question: `Is ${other} better than ${base}?`, load: 'ramp', arms, pairs: [[base, other]] },
    env,
    [`A=${shellWord(env.A)}`, `B=${shellWord(env.B)}`],
  );
}

/** @param {Env} env @param {string} path of the baseline's folder @returns {Promise<import('../define/plan.js').Plan>} */
async function planAgainstBaseline(env, path) {
  const arm = readArm('B', env.B);
  const stored = await readPlan('BASELINE', path);
  const base = chooseBase(stored, env.A || arm.id, path);
  const given = { ...env, LOAD: env.LOAD || stored.load, BUDGET: env.BUDGET || stored.budget };
  const named = env.A ? [`A=${shellWord(env.A)}`] : [];
  const plan = await makePlan(
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
  return { ...plan, arms: [base, arm], baseline: await takeBaseline({ plan, stored, path: resolve(path), base }) };
}

/**
 * @param {string} id   key of the experiments table
 * @param {Env} env     LOAD, BUDGET, REPEATS, SEED, IMAGES
 * @returns {Promise<import('../define/plan.js').Plan>}
 * @throws {NotReadyError} naming the variable at fault
 */
export const planExperiment = (id, env) => makePlan(id, experiments[oneOf('experiment', id, Object.keys(experiments))], env, []);

/**
 * @param {string} name  of the variable that holds the path, for errors
 * @param {string} path  of the experiment's folder
 * @returns {Promise<import('../define/plan.js').Plan>}
 * @throws {NotReadyError} when there is no plan
 */
export async function readPlan(name, path) {
  const text = await readFile(join(resolve(path), RECORD.manifest), 'utf8').catch(() => null);
  const plan = text === null ? null : JSON.parse(text);
  if (plan?.schedule) return plan;
  throw new NotReadyError(
    `${name}: expected the folder of an experiment or a comparison; found ${text === null ? 'no manifest.json' : 'the manifest of a single run'} in ${path}.`,
    'give the folder that was named when it began, such as reports/compare/...',
  );
}

/**
 * @param {string} path of the experiment's folder
 * @returns {Promise<import('../define/plan.js').Plan>} of which runs are missing
 * @throws {NotReadyError} when there is no plan, or nothing to resume
 */
export async function planToResume(path) {
  const plan = await readPlan('RESUME', path);
  if (remainingOf(plan).length === 0)
    throw new NotReadyError(
      `RESUME: expected an interrupted experiment; ${path} has all its runs.`,
      `"make report RUN=${path}" judges it again.`,
    );
  const now = await readCommit();
  if (now?.commit !== plan.git?.commit) plan.notes.push(`resumed at commit ${now?.commit}, begun at ${plan.git?.commit}`);
  return plan;
}

/** @type {(id: string, experiment: import('../define/experiments.js').Experiment, env: Env, own: string[]) => Promise<import('../define/plan.js').Plan>} */
async function makePlan(id, experiment, env, own) {
  if (env.EXPECT)
    throw new NotReadyError(
      `EXPECT: expected a single run to hold to thresholds; found ${id === COMPARE ? 'a comparison' : 'an experiment'}.`,
      'leave it out; to hold an architecture to what it was, compare it with a BASELINE.',
    );
  const given = { ...env, LOAD: env.LOAD || experiment.load, BUDGET: env.BUDGET || experiment.budget };
  // Every arm is checked before anything is measured.
  const settings = experiment.arms.map((arm) => readSettings(arm.architecture, { ...given, ...arm.variables }))[0];
  const { load, seed, images } = settings;
  const budget = given.BUDGET || 'fair';
  const repeats = whole('REPEATS', env.REPEATS, 1, REPEATS_MOST) ?? LEAST_BLOCKS;
  const claims = claimsOf(id);
  const machine = await describeMachine();
  const variables = [...own, `LOAD=${load}`, `BUDGET=${budget}`, `REPEATS=${repeats}`, `SEED=${seed}`];
  return {
    schema: PLAN_SCHEMA_VERSION,
    id: `${id}/${newFolderName()}`,
    experiment: id,
    title: experiment.title,
    question: experiment.question,
    load,
    budget,
    repeats,
    seed,
    images,
    arms: experiment.arms,
    pairs: experiment.pairs,
    curve: experiment.curve ?? null,
    schedule: scheduleOf(
      experiment.arms.map((arm) => arm.id),
      repeats,
      seed,
    ),
    claims,
    claims_hash: hashOf(claims),
    control: await findControl({ load, budget, machine }),
    baseline: null,
    command: `make ${id === COMPARE ? COMPARE : `experiment-${id}`} ${variables.join(' ')}`,
    machine,
    git: await readCommit(),
    started: new Date().toISOString(),
    ended: null,
    attempts: [],
    notes: [],
  };
}

/** @param {string | undefined} text */
const shellWord = (text = '') => (/^[\w.:=,-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
