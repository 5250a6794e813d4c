/**
 * What makes the runs of a plan: its arms are shipped architectures, or a user's own system and what is run in its place. Whatever the runs
 * have in common is settled before the first, and looked at before each.
 *
 * @typedef {object} Runner
 * @property {() => Promise<void>} prepare  before the first run: gets what all of them need, and settles in the plan what they share
 * @property {(arm: string, progress: Progress) => Promise<Made>} measure  one run
 * @property {() => Promise<void>} close    after the last, however it ended
 *
 * @typedef {object} Made
 * @property {string} folder        of the run
 * @property {boolean} interrupted
 * @property {import('../plan.js').Attempt['images']} [images]
 *
 * @typedef {object} RunnerOptions
 * @property {Plan} plan
 * @property {Progress} progress
 * @property {AbortSignal} signal
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../../options/arms.js').Arm} Arm
 * @typedef {import('../../options/arms.js').OwnArm} OwnArm
 * @typedef {import('../../cli/progress.js').Progress} Progress
 */

import { NotReadyError } from '../../base/errors.js';
import { EXPERIMENT_RECORD } from '../../base/paths.js';
import { PROJECT_FILE } from '../../catalog/project-schema.js';
import { ensureImages } from '../../docker/images.js';
import { readIfThere } from '../../run/attach/checked-system.js';
import { readProject } from '../../run/attach/commands.js';
import { loadFingerprint } from '../../run/attach/fingerprint.js';
import { measureProject } from '../../run/attach/measure.js';
import { captureOf } from '../../run/capture/run-capture.js';
import { measureRun } from '../../run/run.js';
import { openCheckouts } from '../../target/revision.js';
import { budgetText, readRunOptions } from '../../target/run-options.js';
import { projectOfSide } from '../../target/side-project.js';
import { calibrationFor } from '../calibrate.js';
import { settingsOf, settleConditions } from './conditions.js';
import { loadUnder } from './experiment-file.js';
import { COMPARE } from './judge.js';
import { ASKED } from './own-plan.js';

/** @param {RunnerOptions} options @returns {Runner} */
export function runnerOf(options) {
  const { id, own } = options.plan;
  // The folder below reports/ in which each run has its own.
  const group = `${id}/${EXPERIMENT_RECORD.runs}`;
  return own ? folderRunner(options, group) : architectureRunner(options, group);
}

/** @type {(options: RunnerOptions, group: string) => Runner} */
const architectureRunner = ({ plan, progress, signal }, group) => ({
  prepare: async () => {
    const architectures = plan.arms.map(({ architecture }) => architecture);
    await ensureImages({ mode: plan.images, architectures, say: progress.say, signal });
    await settleConditions(plan, (settings) => calibrationFor({ settings, progress, signal }));
  },
  measure: (arm, quiet) =>
    measureRun({ settings: settingsOf(plan, arm), progress: quiet, signal, calibration: plan.calibration, group, captureOf }),
  close: async () => {},
});

/** In the folder of a doubletake.yaml. @type {(options: RunnerOptions, group: string) => Runner} */
function folderRunner({ plan, progress, signal }, group) {
  const folder = process.cwd();
  const checkouts = openCheckouts(folder);
  const said = /** @type {Set<string>} */ (new Set());
  const readSame = async () => {
    const project = await readProject(folder, plan.experiment === COMPARE ? ASKED.compare : ASKED.experiment);
    refuseOtherLoads(plan, (load) => loadFingerprint(projectUnder(project, plan, load), readIfThere, folder));
    return project;
  };
  return {
    prepare: async () => {
      await readSame();
    },
    measure: async (id, quiet) => {
      const arm = /** @type {Arm} */ (plan.arms.find((candidate) => candidate.id === id));
      const own = /** @type {OwnArm} */ (arm.own);
      const project = projectOfSide(projectUnder(await readSame(), plan, arm.load ?? plan.load), own);
      const place = own.commit === null ? { folder, root: folder } : await checkouts.at(own.commit);
      const side = { arm, ...place, group, kept: imagesOf(plan, id) };
      return measureProject({ folder, project, settings: ownSettingsOf(plan, arm), side, progress: sayingOnce(quiet, said), signal });
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
export const ownSettingsOf = ({ own, seed, images, busy = 'refuse', variables, command }, { architecture: name, own: side }) => {
  const options = readRunOptions({ ...variables, ...side?.options });
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
