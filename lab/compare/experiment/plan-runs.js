/**
 * Makes the runs of a plan: what each arm is asked, and what all of them share, the load of a doubletake.yaml or what follows from a calibration.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 * @typedef {import('../../options/accepted-options.js').Arm} Arm
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
import { readProjectSettings } from '../../run/attach/commands.js';
import { loadFingerprint } from '../../run/attach/open-view.js';
import { openCheckouts } from '../../target/revision.js';
import { projectOfSide } from '../../target/run-options.js';
import { calibrationFor, fixConditions, settingsOf } from '../calibrate.js';
import { ASKED, COMPARE, givenToAll, imagesOf } from '../plan.js';
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
function refuseOtherLoads({ loads = {} }, fingerprintOf) {
  if (Object.entries(loads).every(([load, { fingerprint }]) => fingerprintOf(load) === fingerprint)) return;
  throw new NotReadyError(
    `${PROJECT_FILE}: expected it and the files of its load as they were before the first run; found others.`,
    'take back what was changed in them, or begin anew.',
  );
}

/** @type {(folder: string, plan: Plan, arm: Arm) => import('../../run/attach/project-target.js').ProjectSettings} */
export const projectSettingsOf = (folder, plan, { resolved }) => ({
  ...readProjectSettings(folder, { ...givenToAll(plan), ...resolved?.options }, plan.allow_data === true),
  command: plan.command,
});
