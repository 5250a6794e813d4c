/**
 * Makes the runs of a plan: what each arm is asked, and what all of them share, the load of a doubletake.yaml or what follows from a calibration.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 * @typedef {import('../../options/accepted-options.js').Arm} Arm
 * @typedef {import('../../options/settings.js').Settings} Settings
 *
 * @typedef {object} Runner  whatever the runs have in common is settled before the first, and looked at before each
 * @property {() => Promise<void>} prepare  before the first run: gets what all of them need, and settles in the plan what they share
 * @property {(arm: Arm) => Promise<import('../systems.js').Measurable>} systemOf  of one run
 * @property {() => Promise<void>} close    after the last, however it ended
 */

import { NotReadyError } from '../../base/errors.js';
import { readIfThere } from '../../base/files.js';
import { readProject } from '../../catalog/project-file.js';
import { PROJECT_FILE } from '../../catalog/project-schema.js';
import { ensureImages } from '../../docker/images.js';
import { conditionsOf, isPaced, needsCalibration } from '../../options/calibration.js';
import { readSettings } from '../../options/settings.js';
import { readProjectSettings } from '../../run/attach/commands.js';
import { loadFingerprint } from '../../run/attach/open-view.js';
import { openCheckouts } from '../../target/revision.js';
import { projectOfSide } from '../../target/run-options.js';
import { calibrationFor } from '../calibrate.js';
import { ASKED, COMPARE } from '../plan.js';
import { measurableArchitecture, measurableFolder } from '../systems.js';
import { loadUnder } from './experiment-file.js';

/**
 * @param {{ plan: Plan, progress: import('../../cli/reporter.js').Progress, signal: AbortSignal }} options
 * @returns {Runner}
 */
export function runnerOf({ plan, progress, signal }) {
  const folder = process.cwd();
  const checkouts = openCheckouts(folder);
  const readSame = async () => {
    const project = await readProject(folder, plan.experiment === COMPARE ? ASKED.compare : ASKED.experiment);
    refuseOtherLoads(plan, (load) => loadFingerprint(projectUnder(project, plan, load), readIfThere, folder));
    return project;
  };
  /** @type {(arm: Arm, resolved: import('../../options/accepted-options.js').Resolved) => Promise<import('../systems.js').Measurable>} */
  const inFolder = async (arm, resolved) => {
    const project = projectOfSide(projectUnder(await readSame(), plan, arm.load ?? plan.load), resolved);
    const place = resolved.commit === null ? { folder, root: folder } : await checkouts.at(resolved.commit);
    const settings = projectSettingsOf(folder, plan, arm);
    return measurableFolder({ folder, project, settings, arm: { arm, ...place, kept: imagesOf(plan, arm.id) } });
  };
  return {
    prepare: async () => {
      const named = plan.arms.filter(({ resolved }) => resolved === undefined).map(({ architecture }) => architecture);
      if (named.length < plan.arms.length) await readSame();
      if (named.length === 0) return;
      await ensureImages({ mode: plan.images, architectures: named, say: progress.say, signal });
      await fixConditions(plan, (settings) => calibrationFor({ settings, progress, signal }));
    },
    systemOf: async (arm) =>
      arm.resolved ? inFolder(arm, arm.resolved) : measurableArchitecture(settingsOf(plan, arm.id), { calibration: plan.calibration }),
    close: async () => {
      for (const left of await checkouts.close()) progress.say(`still there: ${left}; a container wrote into it; remove it by hand`);
    },
  };
}

/** @type {(project: Project, plan: Pick<Plan, 'loads'>, load: string) => Project} */
const projectUnder = (project, { loads = {} }, load) => ({ ...project, load: loadUnder(project.load, load, loads[load].change) });

/**
 * @param {Pick<Plan, 'loads'>} plan
 * @param {(load: string) => string} fingerprintOf  what doubletake.yaml and the files of a load are now
 * @throws {NotReadyError}
 */
export function refuseOtherLoads({ loads = {} }, fingerprintOf) {
  if (Object.entries(loads).every(([load, { fingerprint }]) => fingerprintOf(load) === fingerprint)) return;
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

/** What all runs of a plan have of the command line. @param {Plan} plan */
const sharedBy = ({ images, seed, busy, variables }) => ({ IMAGES: images, SEED: String(seed), BUSY: busy, ...variables });

/** @type {(folder: string, plan: Plan, arm: Arm) => import('../../run/attach/project-target.js').ProjectSettings} */
export const projectSettingsOf = (folder, plan, { resolved }) => ({
  ...readProjectSettings(folder, { ...sharedBy(plan), ...resolved?.options }, plan.allow_data === true),
  command: plan.command,
});

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
    ...sharedBy(plan),
    ...(isThinking ? { THINK: String(Math.round(Number(plan.think_time_s) * 1000)) } : {}),
    ...arm.variables,
  });
}
