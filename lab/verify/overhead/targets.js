/**
 * The bench on whatever is asked for: with all of the lab against bare Compose and bare k6; with CAPTURE=1 what recording the wire costs,
 * against the same without it.
 *
 * @typedef {import('./bench.js').BenchTarget} BenchTarget
 * @typedef {import('../../compare/systems.js').BenchReady} BenchReady
 */

import { openBench } from '../../compare/systems.js';
import {
  benchOverhead,
  CAPTURE,
  CAPTURE_ARMS,
  GROUP,
  measuredOf,
  measuredOfScript,
  readSummary,
  refuseUnlike,
  summaryOfExport,
  WHOLE,
} from './bench.js';

const WHOLE_LAB = 'the whole lab';

/**
 * @param {string} folder  of doubletake.yaml, where there is one; else it is made on an architecture
 * @param {Record<string, string | undefined>} env  REPEATS: pairs; what else {@link openBench} takes
 * @param {{ allowData: boolean } & import('../../cli/reporter.js').Around} options
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} when the system cannot be measured, or not without the lab
 */
export const bench = async (folder, env, { allowData, ...around }) =>
  benchOverhead(targetOf(await openBench({ folder, allowData }, env)), env, around);

/** @param {import('../../compare/systems.js').Bench} bench @returns {BenchTarget} */
const targetOf = ({ ofCapture, without, conditions, prepare }) => ({
  ...(ofCapture ? CAPTURE : WHOLE),
  arms: ofCapture ? CAPTURE_ARMS : { [WHOLE.judged]: WHOLE_LAB, ...without },
  conditions,
  prepare: async (around) => {
    const { about, run, bare, ...load } = await prepare(around);
    if (load.script) refuseUnlike(load.script.script, load.script.name);
    return {
      about,
      measure: async (arm) => {
        if (!ofCapture && arm !== WHOLE.judged) return readLoad(load, await bare(arm), true);
        const { folder } = await run({ group: GROUP, ...(ofCapture && { capture: arm === CAPTURE.judged }) });
        around.signal.throwIfAborted();
        return readLoad(load, await readSummary(folder), false);
      },
    };
  },
});

/** @type {(load: Pick<BenchReady, 'shape' | 'script'>, summary: any, isBare: boolean) => import('./bench.js').Measured} what k6 counted */
function readLoad({ shape, script }, summary, isBare) {
  if (!script) return measuredOf(summary, shape);
  return measuredOfScript(isBare ? summaryOfExport(summary) : summary);
}
