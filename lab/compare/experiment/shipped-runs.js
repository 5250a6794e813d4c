/**
 * Makes the runs of a plan of architectures: what each is asked, and the quotas and the think time that all of them share.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../../options/settings.js').Settings} Settings
 */
import { NotReadyError } from '../../base/errors.js';
import { ensureImages } from '../../docker/images.js';
import { conditionsOf, isPaced, needsCalibration } from '../../options/calibration.js';
import { readSettings } from '../../options/settings.js';
import { calibrationFor } from '../calibrate.js';
import { measurableArchitecture } from '../systems.js';

/** @type {(options: { plan: Plan } & import('../planned-systems.js').Around) => import('../planned-systems.js').Runner} */
export const shippedRunner = ({ plan, progress, signal }) => ({
  prepare: async () => {
    const architectures = plan.arms.map(({ architecture }) => architecture);
    await ensureImages({ mode: plan.images, architectures, say: progress.say, signal });
    await fixConditions(plan, (settings) => calibrationFor({ settings, progress, signal }));
  },
  systemOf: async ({ id }) => measurableArchitecture(settingsOf(plan, id), { calibration: plan.calibration }),
  close: async () => {},
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
    IMAGES: plan.images,
    SEED: String(plan.seed),
    BUSY: plan.busy,
    ...plan.variables,
    ...(isThinking ? { THINK: String(Math.round(Number(plan.think_time_s) * 1000)) } : {}),
    ...arm.variables,
  });
}
