/**
 * Makes the runs of a plan of a user's own system, and of what is run in its place.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../plan.js').ProjectPlan} ProjectPlan
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 * @typedef {import('../../options/accepted-options.js').Arm} Arm
 * @typedef {import('../../options/accepted-options.js').ProjectArm} ProjectArm
 */
import { NotReadyError } from '../../base/errors.js';
import { PROJECT_FILE } from '../../catalog/project-schema.js';
import { readIfThere } from '../../run/attach/checked-system.js';
import { readProject } from '../../run/attach/commands.js';
import { loadFingerprint } from '../../run/attach/open-view.js';
import { openCheckouts } from '../../target/revision.js';
import { budgetText, projectOfSide, readRunOptions } from '../../target/run-options.js';
import { COMPARE } from '../plan.js';
import { measurableFolder } from '../systems.js';
import { loadUnder } from './experiment-file.js';

/** What each command asks of a folder. */
export const ASKED = {
  [COMPARE]: { command: COMPARE, or: 'two architectures' },
  experiment: { command: 'experiment', or: 'the id of an experiment of the lab' },
};

/**
 * In the folder of a doubletake.yaml.
 * @param {{ plan: Plan, own: ProjectPlan } & import('../planned-systems.js').Around} options
 * @returns {import('../planned-systems.js').Runner}
 */
export function projectRunner({ plan, own, progress }) {
  const folder = process.cwd();
  const checkouts = openCheckouts(folder);
  const readSame = async () => {
    const project = await readProject(folder, plan.experiment === COMPARE ? ASKED.compare : ASKED.experiment);
    refuseOtherLoads(own, (load) => loadFingerprint(projectUnder(project, own, load), readIfThere, folder));
    return project;
  };
  return {
    prepare: async () => {
      await readSame();
    },
    systemOf: async (arm) => {
      const side = /** @type {ProjectArm} */ (arm.own);
      const project = projectOfSide(projectUnder(await readSame(), own, arm.load ?? plan.load), side);
      const place = side.commit === null ? { folder, root: folder } : await checkouts.at(side.commit);
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

/** @type {(project: Project, own: Pick<ProjectPlan, 'loads'>, load: string) => Project} */
const projectUnder = (project, { loads }, load) => ({ ...project, load: loadUnder(project.load, load, loads[load].change) });

/**
 * @param {Pick<ProjectPlan, 'loads'>} own
 * @param {(load: string) => string} fingerprintOf  what doubletake.yaml and the files of a load are now
 * @throws {NotReadyError}
 */
export function refuseOtherLoads({ loads }, fingerprintOf) {
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
