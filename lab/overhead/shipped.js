/**
 * What the lab costs on an architecture that it brings along, against the published app. With CAPTURE=1 what recording the wire costs, on
 * an architecture of several hops, against the same without it.
 */
import { shapes } from '../../k6/shapes.js';
import { measuredOf } from '../analyse/overhead.js';
import { calibrationFor } from '../calibrate.js';
import { captureOf } from '../capture/run-capture.js';
import { acceptedBy, readOption, refuseAllBut } from '../define/accepted-options.js';
import { scenarioOf } from '../define/architectures.js';
import { shapeOf } from '../define/scenarios.js';
import { readSettings } from '../define/settings.js';
import { measureBare } from '../measure/bare-run.js';
import { ensureImages } from '../measure/images.js';
import { measureRun } from '../measure/run.js';
import { benchOverhead, CAPTURE, CAPTURE_ARMS, GROUP, readSummary, WHOLE } from './bench.js';

const ARCHITECTURE = 'a';
/** Of several hops, and with room in every table: what fails would not be held against what is served. */
const CAPTURED_ARCHITECTURE = '2a-slots';
/** @typedef {Record<string, { title: string, parts: import('../measure/bare-run.js').Parts | null }>} Arms  parts: null for the whole lab */

/** @type {Arms} */
const ARMS = {
  lab: { title: 'the whole lab', parts: null },
  plain: { title: 'the published app, bare k6', parts: { app: 'plain', generator: 'plain' } },
};
/** Only with PARTS=1. What the whole lab costs beyond `unobserved` are its observers. @type {Arms} */
const PARTS = {
  app: { title: 'the lab’s app, bare k6', parts: { app: 'lab', generator: 'plain' } },
  generator: { title: 'the published app, the lab’s k6 scenario', parts: { app: 'plain', generator: 'lab' } },
  unobserved: { title: 'the lab’s app and k6 scenario, no observers', parts: { app: 'lab', generator: 'lab' } },
};
/** The published app and the bare k6 know no delay and no rate: an arm that had them would be compared with one that has not. */
const TAKEN = acceptedBy('bench-overhead');

/** @typedef {Record<string, string | undefined>} Env */

/**
 * @param {Env} env  LOAD and BUDGET as for a run, `hold` and `none` when not given; REPEATS: pairs; PARTS=1: what each part costs too
 * @param {import('../reporter.js').Around} around
 * @returns {Promise<number>} exit code
 */
export async function benchShipped(env, around) {
  refuseAllBut('bench-overhead', TAKEN, env);
  const ofCapture = readOption('CAPTURE', env);
  if (ofCapture)
    refuseAllBut(
      'bench-overhead with CAPTURE=1',
      TAKEN.filter((name) => name !== 'PARTS'),
      env,
    );
  return benchOverhead(ofCapture ? captureSubject(env) : shippedSubject(env), env, around);
}

/** @param {string} architecture @param {Env} env */
const settingsFor = (architecture, env) => readSettings(architecture, { ...env, LOAD: env.LOAD || 'hold', BUDGET: env.BUDGET || 'none' });

/** @param {Env} env @returns {import('./bench.js').Subject} */
function captureSubject(env) {
  const settings = settingsFor(CAPTURED_ARCHITECTURE, env);
  const { load, budget, integrity } = settings;
  return {
    ...{ ...CAPTURE, arms: CAPTURE_ARMS },
    conditions: `${CAPTURED_ARCHITECTURE}, LOAD=${load} BUDGET=${budget}`,
    prepare: async ({ progress, signal }) => {
      const images = await ensureImages({ mode: settings.images, architectures: [CAPTURED_ARCHITECTURE], say: progress.say, signal });
      const calibration = await calibrationFor({ settings, progress, signal });
      const shape = shapes[shapeOf(scenarioOf(CAPTURED_ARCHITECTURE), load)](settings.variables);
      return {
        about: { images_mode: images.mode, architecture: CAPTURED_ARCHITECTURE, load, budget, integrity },
        measure: async (arm) => {
          const capture = arm === CAPTURE.judged;
          const { folder } = await measureRun({
            settings: { ...settings, capture },
            progress,
            signal,
            calibration,
            group: GROUP,
            captureOf,
          });
          signal.throwIfAborted();
          return measuredOf(await readSummary(folder), shape);
        },
      };
    },
  };
}

/** @param {Env} env @returns {import('./bench.js').Subject} */
function shippedSubject(env) {
  const settings = settingsFor(ARCHITECTURE, env);
  const arms = readOption('PARTS', env) ? { ...ARMS, ...PARTS } : ARMS;
  const { load, budget, integrity } = settings;
  return {
    ...WHOLE,
    arms: Object.fromEntries(Object.entries(arms).map(([id, { title }]) => [id, title])),
    conditions: `LOAD=${load} BUDGET=${budget}`,
    prepare: async ({ progress, signal }) => {
      const images = await ensureImages({ mode: settings.images, architectures: [ARCHITECTURE], say: progress.say, signal });
      const calibration = await calibrationFor({ settings, progress, signal });
      const shape = shapes[shapeOf(scenarioOf(ARCHITECTURE), load)](settings.variables);
      const byLab = async () => {
        const { folder } = await measureRun({ settings, progress, signal, calibration, group: GROUP });
        signal.throwIfAborted();
        return readSummary(folder);
      };
      return {
        about: { images_mode: images.mode, architecture: ARCHITECTURE, load, budget, integrity },
        measure: async (arm) => {
          const { parts } = arms[arm];
          const summary =
            parts === null ? await byLab() : await measureBare({ parts, settings, images, calibration, say: progress.say, signal });
          return measuredOf(summary, shape);
        },
      };
    },
  };
}
