/**
 * Makes the runs of a plan, block by block, and keeps the plan up to date on disk after each, so that an interruption
 * loses one run at most.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NotReadyError } from '../../base/errors.js';
import { writeFileAtomic } from '../../base/files.js';
import { EXPERIMENT_RECORD, RECORD, REPORTS } from '../../base/paths.js';
import { PROJECT_FILE } from '../../catalog/project-schema.js';
import { ensureImages } from '../../docker/images.js';
import { conditionsOf, isPaced, needsCalibration, secondsOfRun } from '../../options/calibration.js';
import { readSettings } from '../../options/settings.js';
import { finishRun } from '../../report/reports.js';
import { readIfThere } from '../../run/attach/checked-system.js';
import { readProject } from '../../run/attach/commands.js';
import { loadFingerprint } from '../../run/attach/open-view.js';
import { openCheckouts } from '../../target/revision.js';
import { budgetText, projectOfSide, readRunOptions } from '../../target/run-options.js';
import { calibrationFor } from '../calibrate.js';
import { COMPARE, loadsOf, partUnder, shapeOfPlan } from '../plan.js';
import { measurableArchitecture, measurableFolder } from '../systems.js';
import { loadUnder } from './experiment-file.js';
import { ASKED } from './project-plan.js';
import { remainingOf } from './read-plan.js';

/*
 * What every run of a plan is asked, and the quotas and think time that all of them share.
 */

/** @typedef {import('../plan.js').Plan} Plan */
/** @typedef {import('../../options/settings.js').Settings} Settings */

/**
 * Settles what follows from a calibration before the first run, so that it is the same for all of them, resumed ones included.
 * @param {Plan} plan  its calibration and think time are set
 * @param {(settings: Settings) => Promise<import('../../options/calibration.js').Calibration | null>} calibrate  gives the one that
 *   settings need
 * @throws {NotReadyError} when its runs so far had quotas of which no calibration was kept
 */
export async function fixConditions(plan, calibrate) {
  if (plan.calibration !== undefined) return;
  const settings = plan.arms.map(({ id }) => settingsOf(plan, id));
  // A rate that is a share needs more of it than all others do.
  const asking = settings.find((each) => each.rate_share !== null) ?? settings.find(needsCalibration);
  if (asking && plan.attempts.length > 0)
    throw new NotReadyError(
      `RESUME: expected an experiment that kept its calibration; ${plan.id} was begun by a version of the lab that made none, under other quotas.`,
      'begin it anew.',
    );
  plan.calibration = asking ? await calibrate(asking) : null;
  // An arm may have a budget of its own; users who think longer in one arm would make another load of it.
  const paced = settings.find(isPaced);
  plan.think_time_s = paced ? conditionsOf({ ...paced, budget: plan.budget }, plan.machine.cores, plan.calibration).think_time_s : null;
}

/** @type {(plan: Plan, arm: string) => Settings} */
export function settingsOf(plan, id) {
  const arm = /** @type {import('../../options/accepted-options.js').Arm} */ (plan.arms.find((candidate) => candidate.id === id));
  const load = arm.load ?? plan.load;
  const isThinking = plan.think_time_s && isPaced({ architecture: arm.architecture, load });
  return readSettings(arm.architecture, {
    LOAD: load,
    BUDGET: plan.budget,
    IMAGES: plan.images,
    SEED: String(plan.seed),
    BUSY: plan.busy,
    ...plan.variables,
    ...(isThinking ? { THINK: String(Math.round(Number(plan.think_time_s) * 1000)) } : {}),
    ...arm.variables,
  });
}

/**
 * What makes the runs of a plan: its arms are shipped architectures, or a user's own system and what is run in its place. Whatever the runs
 * have in common is settled before the first, and looked at before each.
 *
 * @typedef {object} Runner
 * @property {() => Promise<void>} prepare  before the first run: gets what all of them need, and settles in the plan what they share
 * @property {(arm: Arm) => Promise<import('../systems.js').Measurable>} systemOf  of one run
 * @property {() => Promise<void>} close    after the last, however it ended
 *
 * @typedef {object} RunnerOptions
 * @property {Plan} plan
 * @property {Progress} progress
 * @property {AbortSignal} signal
 *
 * @typedef {import('../../options/accepted-options.js').Arm} Arm
 * @typedef {import('../../options/accepted-options.js').ProjectArm} ProjectArm
 * @typedef {import('../../cli/progress.js').Progress} Progress
 */

/** @param {RunnerOptions} options @returns {Runner} */
export const runnerOf = (options) => (options.plan.own ? folderRunner(options) : architectureRunner(options));

/** @type {(options: RunnerOptions) => Runner} */
const architectureRunner = ({ plan, progress, signal }) => ({
  prepare: async () => {
    const architectures = plan.arms.map(({ architecture }) => architecture);
    await ensureImages({ mode: plan.images, architectures, say: progress.say, signal });
    await fixConditions(plan, (settings) => calibrationFor({ settings, progress, signal }));
  },
  systemOf: async ({ id }) => measurableArchitecture(settingsOf(plan, id), { calibration: plan.calibration }),
  close: async () => {},
});

/** In the folder of a doubletake.yaml. @type {(options: RunnerOptions) => Runner} */
function folderRunner({ plan, progress }) {
  const folder = process.cwd();
  const checkouts = openCheckouts(folder);
  const readSame = async () => {
    const project = await readProject(folder, plan.experiment === COMPARE ? ASKED.compare : ASKED.experiment);
    refuseOtherLoads(plan, (load) => loadFingerprint(projectUnder(project, plan, load), readIfThere, folder));
    return project;
  };
  return {
    prepare: async () => {
      await readSame();
    },
    systemOf: async (arm) => {
      const own = /** @type {ProjectArm} */ (arm.own);
      const project = projectOfSide(projectUnder(await readSame(), plan, arm.load ?? plan.load), own);
      const place = own.commit === null ? { folder, root: folder } : await checkouts.at(own.commit);
      return measurableFolder({
        folder,
        project,
        settings: projectSettingsOf(plan, arm),
        arm: { arm, ...place, kept: imagesOf(plan, arm.id) },
      });
    },
    close: async () => {
      for (const left of await checkouts.close()) progress.say(`still there: ${left}; a container wrote into it; remove it by hand`);
    },
  };
}

/** @typedef {import('../../catalog/project-schema.js').Project} Project */

/** @type {(project: Project, plan: Pick<Plan, 'own'>, load: string) => Project} */
const projectUnder = (project, { own }, load) => ({ ...project, load: loadUnder(project.load, load, own?.loads[load].change ?? {}) });

/**
 * @param {Pick<Plan, 'own'>} plan
 * @param {(load: string) => string} fingerprintOf  what doubletake.yaml and the files of a load are now
 * @throws {NotReadyError}
 */
export function refuseOtherLoads({ own }, fingerprintOf) {
  if (Object.entries(own?.loads ?? {}).every(([load, { fingerprint }]) => fingerprintOf(load) === fingerprint)) return;
  throw new NotReadyError(
    `${PROJECT_FILE}: expected it and the files of its load as they were before the first run; found others.`,
    'take back what was changed in them, or begin anew.',
  );
}

/**
 * What was built for the runs of an arm so far.
 * @param {Pick<Plan, 'attempts'>} plan
 * @param {string} arm
 */
export const imagesOf = ({ attempts }, arm) => attempts.findLast((attempt) => attempt.arm === arm)?.images ?? {};

/** @type {(plan: Plan, arm: Arm) => import('../../run/attach/project-target.js').ProjectSettings} */
export const projectSettingsOf = ({ own, seed, images, busy = 'refuse', variables, command }, { architecture: name, own: arm }) => {
  const options = readRunOptions({ ...variables, ...arm?.options });
  return {
    ...{ name, seed, images, busy, command, options },
    dashboard: false,
    faults: [],
    allowData: own?.allow_data ?? false,
    budget: budgetText(options.budget),
  };
};

/**
 * What there is to say of the system is the same for each run.
 * @param {Progress} progress
 * @param {Set<string>} said  added to
 * @returns {Progress}
 */
export const sayingOnce = (progress, said) => ({
  ...progress,
  say: (text) => {
    if (!said.has(text)) progress.say(text);
    said.add(text);
  },
});

const MINUTE_S = 60;

/**
 * @param {object} options
 * @param {import('../plan.js').Plan} options.plan  its attempts are added to
 * @param {import('../../cli/progress.js').Progress} options.progress
 * @param {AbortSignal} options.signal
 * @returns {Promise<void>} when all runs are made, or the signal was given
 */
export async function runExperiment({ plan, progress, signal }) {
  await savePlan(plan);
  const runner = runnerOf({ plan, progress, signal });
  try {
    await runner.prepare();
    await savePlan(plan);
    await makeRuns({ plan, runner, progress, signal });
  } finally {
    await runner.close();
  }
}

/** @param {Parameters<typeof runExperiment>[0] & { runner: Runner }} options */
async function makeRuns({ plan, runner, progress, signal }) {
  // The folder below reports/ in which each run has its own.
  const group = `${plan.id}/${EXPERIMENT_RECORD.runs}`;
  const said = /** @type {Set<string>} */ (new Set());
  for (let next = remainingOf(plan)[0]; next && !signal.aborted; next = remainingOf(plan)[0]) {
    const { block, arm } = next;
    const left = remainingOf(plan).length;
    progress.say(
      `block ${block} of ${plan.repeats}, ${arm}: ${left} ${left === 1 ? 'run' : 'runs'} to go, about ${minutes(secondsLeft(plan))}`,
    );
    const began = performance.now();
    const system = await runner.systemOf(/** @type {Arm} */ (plan.arms.find(({ id }) => id === arm)));
    const { folder, interrupted, images } = await system.measure({ group, progress: sayingOnce(quietly(progress), said), signal });
    if (interrupted) return;
    const result = await finishRun(folder);
    const { verdict, reasons } = result.validity;
    plan.attempts.push({ block, arm, run: result.run, validity: verdict, took_s: (performance.now() - began) / 1000, images });
    await savePlan(plan);
    progress.say(`  ${verdict === 'VALID' ? '' : `${verdict} (${reasons.join('; ')}). `}${result.headline}`);
  }
}

/** @param {import('../plan.js').Plan} plan @returns {number} seconds that the remaining runs are likely to take */
export function secondsLeft(plan) {
  const remaining = remainingOf(plan);
  return loadsOf(plan)
    .map((load) => partUnder(plan, load))
    .reduce((sum, part) => sum + secondsOfEach(part) * remaining.filter(isOf(part)).length, 0);
}

/** Seconds that a run under one load takes: the mean of those that were made, or as planned. @param {import('../plan.js').Plan} part */
function secondsOfEach(part) {
  const made = part.attempts.filter(isOf(part)).map(({ took_s: took }) => took);
  if (made.length > 0) return made.reduce((sum, took) => sum + took, 0) / made.length;
  return secondsOfRun(shapeOfPlan(part));
}

/** @type {(part: import('../plan.js').Plan) => (run: { arm: string }) => boolean} */
const isOf =
  ({ arms }) =>
  ({ arm }) =>
    arms.some(({ id }) => id === arm);

/** @param {number} seconds */
export const minutes = (seconds) => (seconds < MINUTE_S ? 'a minute' : `${Math.ceil(seconds / MINUTE_S)} minutes`);

/**
 * Dozens of runs would bury the experiment's own lines; doubts are kept, and what may take minutes.
 * @param {import('../../cli/progress.js').Progress} progress
 * @returns {import('../../cli/progress.js').Progress}
 */
export const quietly = (progress) => ({
  ...progress,
  say: (text) => {
    if (/^(note:|still there:|building |pulling |the machine is )/.test(text)) progress.say(text);
  },
});

/** @param {import('../plan.js').Plan} plan */
export async function savePlan(plan) {
  const folder = join(REPORTS, plan.id);
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(join(folder, RECORD.manifest), `${JSON.stringify(plan, null, 2)}\n`);
}
