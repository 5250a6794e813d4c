/**
 * Makes the runs of a plan whose arms are shipped architectures.
 */
import { calibrationFor } from '../calibrate.js';
import { captureOf } from '../capture/run-capture.js';
import { ensureImages } from '../measure/images.js';
import { measureRun } from '../measure/run.js';
import { settingsOf, settleConditions } from './conditions.js';

/**
 * @param {import('./runner.js').RunnerOptions} options
 * @param {string} group  folder below reports/ that each run's folder is made in
 * @returns {import('./runner.js').Runner}
 */
export const shippedRunner = ({ plan, progress, signal }, group) => ({
  prepare: async () => {
    const architectures = plan.arms.map(({ architecture }) => architecture);
    await ensureImages({ mode: plan.images, architectures, say: progress.say, signal });
    await settleConditions(plan, (settings) => calibrationFor({ settings, progress, signal }));
  },
  measure: (arm, quiet) =>
    measureRun({ settings: settingsOf(plan, arm), progress: quiet, signal, calibration: plan.calibration, group, captureOf }),
  close: async () => {},
});
