/**
 * The manifest of a run of a user's system, as far as it is known before the run: the names are those of measureRun's.
 */
import { beginManifest } from '../measure/manifest.js';
import { describeArm, describeSystem } from './describe.js';
import { SCENARIO } from './generator.js';
import { entryUrls } from './project-schema.js';

/** Of a load that is a script of the user's own. */
const SCRIPT_SCENARIO = 'script';

/**
 * @param {object} options
 * @param {import('./checked-system.js').CheckedSystem} options.checked
 * @param {import('./project-schema.js').Project} options.project
 * @param {import('./measure.js').ProjectSettings} options.settings
 * @param {import('../define/arms.js').Arm} [options.arm]  of a comparison
 * @param {import('../measure/run-folder.js').RunFolder} options.run
 * @param {import('../measure/preflight.js').Preflight} options.checks
 * @param {string} options.imagesMode
 * @param {{ id: string, title: string } | null} options.fault  that is put in
 * @returns {Promise<import('../measure/recorded-run.js').Manifest>}
 */
export function ownManifest({ checked, project, settings, arm, run, checks, imagesMode, fault }) {
  return beginManifest(checks, {
    run: run.id,
    architecture: settings.name,
    system: { ...describeSystem(project, checked.requests, checked.proposal), ...(arm ? { arm: describeArm(arm) } : {}) },
    target: entryUrls(project)[0],
    load: checked.load,
    shape: checked.shape,
    scenario: project.load.script === undefined ? SCENARIO : SCRIPT_SCENARIO,
    variables: checked.shape.unit === 'users' && project.load.script === undefined ? { USERS: String(checked.users) } : {},
    budget: settings.budget,
    quotas_cores: settings.options.budget ?? {},
    ...(project.load.script === undefined
      ? { think_time_s: checked.shape.model === 'open' ? 0 : checked.thinkTimeS }
      : { script: project.load.script }),
    ...(checked.client === null ? {} : { client: checked.client }),
    seed: settings.seed,
    integrity: false,
    delay_ms: 0,
    command: settings.command,
    ...(fault === null ? {} : { fault }),
    images_mode: imagesMode,
  });
}
