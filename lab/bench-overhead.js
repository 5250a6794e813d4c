/**
 * What the lab costs: throughput of an architecture run by the lab, against the same stack and script run bare. Pairs are
 * alternated, because the machine changes with time; the ratio of each pair is the sample.
 */

import { median } from './analyse/numbers.js';
import { analyseRun } from './analyse/result.js';
import { calibrationFor } from './calibrate.js';
import { scenarioOf } from './define/architectures.js';
import { EXIT } from './define/errors.js';
import { readSettings } from './define/settings.js';
import { measureBare } from './measure/bare-run.js';
import { ensureImages } from './measure/images.js';
import { takeLock } from './measure/lock.js';
import { createProgress } from './measure/progress.js';
import { measureRun } from './measure/run.js';

const PAIRS = 5;
const ARCHITECTURE = 'a';
/** The lab may cost 3 % of the throughput. */
const LEAST_RATIO = 0.97;

/**
 * @param {Record<string, string | undefined>} env  LOAD and BUDGET as for a run; `smoke` and `none` when not given
 * @param {AbortSignal} signal
 * @returns {Promise<number>} exit code
 */
export async function benchOverhead(env, signal) {
  const settings = readSettings(ARCHITECTURE, { ...env, LOAD: env.LOAD || 'smoke', BUDGET: env.BUDGET || 'none' });
  const release = takeLock();
  const progress = createProgress(process.stdout);
  try {
    const images = await ensureImages({ mode: settings.images, scenario: scenarioOf(ARCHITECTURE), say: progress.say, signal });
    const calibration = await calibrationFor({ settings, progress, signal });
    const byLab = async () => {
      const { folder } = await measureRun({ settings, progress, signal, calibration });
      signal.throwIfAborted();
      return (await analyseRun(folder)).metrics.throughput_rps;
    };
    const bare = () => measureBare({ settings, images, calibration, signal });
    const ratios = [];
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const labFirst = pair % 2 === 0;
      const first = labFirst ? await byLab() : await bare();
      const second = labFirst ? await bare() : await byLab();
      const [lab, without] = labFirst ? [first, second] : [second, first];
      ratios.push(lab / without);
      progress.say(
        `pair ${pair + 1} of ${PAIRS}: lab ${lab.toFixed(0)} rps, bare ${without.toFixed(0)} rps, ratio ${(lab / without).toFixed(3)}`,
      );
    }
    const middle = median(ratios) ?? 0;
    const range = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
    process.stdout.write(
      `median ratio ${middle.toFixed(3)} (${range}, ${PAIRS} pairs, LOAD=${settings.load} BUDGET=${settings.budget}); at least ${LEAST_RATIO} is wanted\n`,
    );
    return middle >= LEAST_RATIO ? EXIT.done : EXIT.thresholdNotMet;
  } finally {
    release();
  }
}
