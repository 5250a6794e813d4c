/**
 * Makes the runs of a plan whose arms are two sides of a user's own system, in the folder of its doubletake.yaml. Whatever the two have
 * in common, and each side by itself, has to be what it was when the plan was made: that is looked at before each run.
 *
 * @typedef {import('../define/plan.js').Plan} Plan
 * @typedef {import('../define/arms.js').Arm} Arm
 * @typedef {import('../define/arms.js').OwnArm} OwnArm
 * @typedef {import('../measure/progress.js').Progress} Progress
 */
import { readIfThere } from '../attach/checked-system.js';
import { readProject } from '../attach/commands.js';
import { loadFingerprint } from '../attach/fingerprint.js';
import { measureProject } from '../attach/measure.js';
import { PROJECT_FILE } from '../attach/project-schema.js';
import { openCheckouts } from '../attach/revision.js';
import { budgetText, readRunOptions } from '../attach/run-options.js';
import { projectOfSide } from '../attach/side-project.js';
import { NotReadyError } from '../define/errors.js';
import { ASKED } from './own-plan.js';

/**
 * @param {import('./runner.js').RunnerOptions} options
 * @param {string} group  folder below reports/ that each run's folder is made in
 * @returns {import('./runner.js').Runner}
 */
export function ownRunner({ plan, progress, signal }, group) {
  const folder = process.cwd();
  const checkouts = openCheckouts(folder);
  const said = /** @type {Set<string>} */ (new Set());
  const readSame = async () => {
    const project = await readProject(folder, ASKED);
    refuseOtherLoad(plan, loadFingerprint(project, readIfThere, folder));
    return project;
  };
  return {
    prepare: async () => {
      await readSame();
    },
    measure: async (id, quiet) => {
      const arm = /** @type {Arm} */ (plan.arms.find((candidate) => candidate.id === id));
      const own = /** @type {OwnArm} */ (arm.own);
      const project = projectOfSide(await readSame(), own);
      const place = own.commit === null ? { folder, root: folder } : await checkouts.at(own.commit);
      const side = { arm, ...place, group, kept: imagesOf(plan, id) };
      return measureProject({ folder, project, settings: ownSettingsOf(plan, arm), side, progress: sayingOnce(quiet, said), signal });
    },
    close: async () => {
      for (const left of await checkouts.close()) progress.say(`still there: ${left}; a container wrote into it; remove it by hand`);
    },
  };
}

/**
 * @param {Plan} plan
 * @param {string} found  fingerprint of doubletake.yaml and its load
 * @throws {NotReadyError}
 */
export function refuseOtherLoad({ own }, found) {
  if (found === own?.fingerprint) return;
  throw new NotReadyError(
    `${PROJECT_FILE}: expected it and the files of its load as they were when the comparison began; found others.`,
    'take back what was changed in them, or begin a new comparison.',
  );
}

/**
 * What was built for the runs of an arm so far.
 * @param {Pick<Plan, 'attempts'>} plan
 * @param {string} arm
 */
export const imagesOf = ({ attempts }, arm) => attempts.findLast((attempt) => attempt.arm === arm)?.images ?? {};

/** @type {(plan: Plan, arm: Arm) => import('../attach/measure.js').ProjectSettings} */
export const ownSettingsOf = ({ own, seed, images, busy = 'refuse', variables, command }, { architecture: name, own: side }) => {
  const options = readRunOptions({ ...variables, ...side?.options });
  return {
    name,
    seed,
    images,
    busy,
    dashboard: false,
    faults: [],
    allowData: own?.allow_data ?? false,
    options,
    budget: budgetText(options.budget),
    command,
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
