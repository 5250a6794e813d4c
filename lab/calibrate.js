/**
 * Measures what a request costs each tier here, and keeps the latest readings. A run that needs it takes the newest one that
 * fits this machine and these images, and measures it first where there is none.
 *
 * @typedef {import('./define/calibration.js').Calibration} Calibration
 */
import { mkdir, readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { capacityOf } from './define/budgets.js';
import {
  CALIBRATION,
  CALIBRATION_SCHEMA_VERSION,
  calibrationOf,
  conditionsOf,
  needsCalibration,
  READINGS_KEPT,
  whyUnfit,
} from './define/calibration.js';
import { refuseAllBut } from './define/effects.js';
import { EXIT, NotReadyError } from './define/errors.js';
import { CALIBRATION_FILE, REPORTS } from './define/paths.js';
import { readSettings } from './define/settings.js';
import { writeWhole } from './define/whole-file.js';
import { readCommit } from './measure/components.js';
import { ensureImages } from './measure/images.js';
import { takeLock } from './measure/lock.js';
import { describeMachine } from './measure/machine.js';
import { createProgress } from './measure/progress.js';
import { measureRun } from './measure/run.js';
import { formatCalibration } from './render/calibration.js';
import { finishRun, writeIndex } from './reports.js';

/** Its runs' folder below reports/. */
const GROUP = 'calibration';
/** Stack up, 6 s of warm-up, 12 s of load, stack down, as measured. */
const TAKES = 'about 40 s';

/**
 * @typedef {object} Asked
 * @property {import('./define/settings.js').Settings} settings  of the run that needs it
 * @property {import('./measure/progress.js').Progress} progress
 * @property {AbortSignal} signal
 */

/**
 * The calibration that a run takes its quotas and its think time from; measured now where none is there that fits. To be
 * called while the lock is held.
 * @param {Asked} asked
 * @returns {Promise<Calibration | null>} null when the run takes nothing from one
 * @throws {NotReadyError} when what was measured can be no calibration
 */
export async function calibrationFor({ settings, progress, signal }) {
  if (!needsCalibration(settings)) return null;
  const newest = (await readReadings()).at(-1) ?? null;
  const why = whyUnfit(newest, await describeHere(settings.images, progress, signal), Date.now());
  if (why === null) return newest;
  progress.say(`calibrating first, ${TAKES}: what a request costs each tier here (${why})`);
  return measureCalibration(settings, progress, signal);
}

/**
 * Measures it, and says how far the latest readings are apart and what follows from the newest.
 * @param {Record<string, string | undefined>} env  IMAGES, BUSY
 * @param {AbortSignal} signal
 * @returns {Promise<number>} exit code
 */
export async function calibrate(env, signal) {
  refuseAllBut('a calibration', [], env);
  const asked = calibrationSettings(env);
  const release = takeLock();
  const progress = createProgress(process.stdout);
  try {
    const newest = await measureCalibration(asked, progress, signal);
    await writeIndex();
    // Only those of one machine and one set of images can agree.
    const readings = (await readReadings()).filter((reading) => whyUnfit(reading, newest, Date.parse(newest.measured)) === null);
    process.stdout.write(formatCalibration({ readings, uses: usesOf(newest), file: relative(process.cwd(), CALIBRATION_FILE) }));
    return EXIT.done;
  } finally {
    release();
  }
}

/** @param {Record<string, string | undefined>} env */
const calibrationSettings = (env) =>
  readSettings(CALIBRATION.architecture, { IMAGES: env.IMAGES, BUSY: env.BUSY, LOAD: CALIBRATION.load, BUDGET: CALIBRATION.budget });

/** @type {(asked: Pick<import('./define/settings.js').Settings, 'images' | 'busy'>, progress: import('./measure/progress.js').Progress, signal: AbortSignal) => Promise<Calibration>} */
async function measureCalibration({ images, busy }, progress, signal) {
  const settings = calibrationSettings({ IMAGES: images, BUSY: busy });
  const here = await describeHere(images, progress, signal);
  const run = async () => {
    const { folder } = await measureRun({ settings, progress, signal, group: GROUP });
    signal.throwIfAborted();
    return finishRun(folder);
  };
  let result = await run();
  if (result.validity.verdict === 'INVALID') {
    progress.say(`calibrating once more: ${result.validity.reasons.join('; ')}`);
    result = await run();
  }
  const calibration = calibrationOf(result, here);
  if (calibration.validity !== 'VALID')
    progress.say(`note: the calibration is ${calibration.validity}: ${result.validity.reasons.join('; ')}`);
  await keep(calibration);
  return calibration;
}

/** @type {(mode: import('./define/settings.js').ImageMode, progress: import('./measure/progress.js').Progress, signal: AbortSignal) => Promise<import('./define/calibration.js').Here & { git: Calibration['git'] }>} */
async function describeHere(mode, { say }, signal) {
  const { variables } = await ensureImages({ mode, architectures: [CALIBRATION.architecture], say, signal });
  return { machine: await describeMachine(), images: variables, git: await readCommit() };
}

/** @returns {Promise<Calibration[]>} oldest first */
async function readReadings() {
  const text = await readFile(CALIBRATION_FILE, 'utf8').catch(() => null);
  if (text === null) return [];
  const { schema, readings } = JSON.parse(text);
  return schema === CALIBRATION_SCHEMA_VERSION ? readings : [];
}

/** @param {Calibration} calibration */
async function keep(calibration) {
  const readings = [...(await readReadings()), calibration].slice(-READINGS_KEPT);
  await mkdir(REPORTS, { recursive: true });
  await writeWhole(CALIBRATION_FILE, `${JSON.stringify({ schema: CALIBRATION_SCHEMA_VERSION, readings }, null, 2)}\n`);
}

/**
 * What each budget makes of it; a computed one that does not fit says so itself.
 * @param {Calibration} calibration
 * @returns {import('./render/calibration.js').Use[]}
 */
function usesOf(calibration) {
  const { cores } = calibration.machine;
  return ['none', 'fair', 'scale'].map((budget) => {
    try {
      const settings = readSettings(CALIBRATION.architecture, { LOAD: 'patient', BUDGET: budget });
      const { quotas, think_time_s } = conditionsOf(settings, cores, calibration);
      return { budget, quotas, think_time_s, capacity_rps: capacityOf({ quotas, cores, demandMs: calibration.demand_ms }), refusal: null };
    } catch (error) {
      if (!(error instanceof NotReadyError)) throw error;
      return { budget, quotas: {}, think_time_s: null, capacity_rps: null, refusal: error.message.split('\n')[0] };
    }
  });
}
