/**
 * What the lab costs: an architecture measured by the whole lab, against the published app under bare Compose and bare k6. The
 * arms of a block take turns at being first, because the machine changes with time; the ratio of each block is the sample.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { shapes } from '../k6/shapes.js';
import { LEAST_RATIO, measuredOf, overheadVerdict, ratioOf } from './analyse/overhead.js';
import { calibrationFor } from './calibrate.js';
import { scenarioOf } from './define/architectures.js';
import { refuseAllBut } from './define/effects.js';
import { EXIT } from './define/errors.js';
import { RAW, RECORD, REPORTS } from './define/paths.js';
import { shapeOf } from './define/scenarios.js';
import { readSettings, whole } from './define/settings.js';
import { measureBare } from './measure/bare-run.js';
import { readCommit } from './measure/components.js';
import { ensureImages } from './measure/images.js';
import { takeLock } from './measure/lock.js';
import { describeMachine } from './measure/machine.js';
import { createProgress } from './measure/progress.js';
import { measureRun } from './measure/run.js';

const PAIRS = 8;
const PAIRS_MOST = 100;
const ARCHITECTURE = 'a';
const GROUP = 'bench-overhead';
const FILE = join(REPORTS, `${GROUP}.json`);

/** What each arm is made of; null: the whole lab. @type {Record<string, { title: string, parts: import('./measure/bare-run.js').Parts | null }>} */
const ARMS = {
  lab: { title: 'the whole lab', parts: null },
  plain: { title: 'the published app, bare k6', parts: { app: 'plain', generator: 'plain' } },
};
/** Only with PARTS=1. What the whole lab costs beyond `unobserved` are its observers. @type {typeof ARMS} */
const PARTS = {
  app: { title: 'the lab’s app, bare k6', parts: { app: 'lab', generator: 'plain' } },
  generator: { title: 'the published app, the lab’s k6 scenario', parts: { app: 'plain', generator: 'lab' } },
  unobserved: { title: 'the lab’s app and k6 scenario, no observers', parts: { app: 'lab', generator: 'lab' } },
};
const BASE = 'plain';
/** The published app and the bare k6 know no delay and no rate: an arm that had them would be compared with one that has not. */
const TAKEN = ['LOAD', 'BUDGET', 'THINK', 'INTEGRITY', 'REPEATS', 'PARTS'];

/** @typedef {import('./analyse/overhead.js').Measured} Measured */

/**
 * @param {Record<string, string | undefined>} env  LOAD and BUDGET as for a run, `hold` and `none` when not given; REPEATS: pairs;
 *   PARTS=1: what each part costs too
 * @param {AbortSignal} signal
 * @returns {Promise<number>} exit code
 */
export async function benchOverhead(env, signal) {
  refuseAllBut('bench-overhead', TAKEN, env);
  const settings = readSettings(ARCHITECTURE, { ...env, LOAD: env.LOAD || 'hold', BUDGET: env.BUDGET || 'none' });
  const pairs = whole('REPEATS', env.REPEATS, 1, PAIRS_MOST) ?? PAIRS;
  const arms = whole('PARTS', env.PARTS, 0, 1) === 1 ? { ...ARMS, ...PARTS } : ARMS;
  const release = takeLock();
  const progress = createProgress(process.stdout);
  try {
    const images = await ensureImages({ mode: settings.images, scenario: scenarioOf(ARCHITECTURE), say: progress.say, signal });
    const calibration = await calibrationFor({ settings, progress, signal });
    const measure = newMeasure({ settings, images, calibration, progress, signal });
    const about = {
      date: new Date().toISOString(),
      machine: await describeMachine(),
      git: await readCommit(),
      images_mode: images.mode,
      ...{ architecture: ARCHITECTURE, load: settings.load, budget: settings.budget, integrity: settings.integrity },
      pairs_wanted: pairs,
      least_ratio: LEAST_RATIO,
      arms: Object.fromEntries(Object.entries(arms).map(([id, { title }]) => [id, title])),
    };
    /** @type {Record<string, Measured>[]} */
    const blocks = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      /** @type {Record<string, Measured>} */
      const block = {};
      for (const arm of orderOf(Object.keys(arms), pair)) block[arm] = await measure(arms[arm].parts);
      blocks.push(block);
      progress.say(`pair ${pair + 1} of ${pairs}: ${blockLine(block)}`);
      // After each pair, so that an interruption loses one at the most.
      await writeFile(FILE, `${JSON.stringify({ ...about, pairs: blocks, ratios: ratiosOf(blocks) }, null, 2)}\n`);
    }
    const ratios = ratiosOf(blocks);
    for (const [arm, ratio] of Object.entries(ratios)) progress.say(ratioLine(arms[arm].title, ratio));
    progress.say(`LOAD=${settings.load} BUDGET=${settings.budget}: ${overheadVerdict(ratios.lab)}; ${relative(process.cwd(), FILE)}`);
    return ratios.lab.median >= LEAST_RATIO ? EXIT.done : EXIT.thresholdNotMet;
  } finally {
    release();
  }
}

/** @param {Omit<Parameters<typeof measureBare>[0], 'parts'> & { progress: import('./measure/progress.js').Progress }} options */
function newMeasure({ settings, images, calibration, progress, signal }) {
  const shape = shapes[shapeOf(scenarioOf(ARCHITECTURE), settings.load)](settings.variables);
  /** @param {import('./measure/bare-run.js').Parts | null} parts @returns {Promise<Measured>} */
  return async (parts) => {
    const summary = parts ? await measureBare({ parts, settings, images, calibration, signal }) : await byLab();
    signal.throwIfAborted();
    return measuredOf(summary, shape);
  };

  async function byLab() {
    const { folder } = await measureRun({ settings, progress, signal, calibration, group: GROUP });
    signal.throwIfAborted();
    return JSON.parse(await readFile(join(folder, RECORD.raw, RAW.k6Summary), 'utf8'));
  }
}

/** Each arm is first as often as any other. @param {string[]} arms @param {number} pair */
export const orderOf = (arms, pair) => arms.map((_, index) => arms[(index + pair) % arms.length]);

/** @param {Record<string, Measured>[]} blocks */
const ratiosOf = (blocks) =>
  Object.fromEntries(
    Object.keys(blocks[0])
      .filter((arm) => arm !== BASE)
      .map((arm) => [arm, ratioOf(blocks, arm, BASE)]),
  );

/** @param {Record<string, Measured>} block */
function blockLine(block) {
  const base = block[BASE].goodput_rps;
  return Object.entries(block)
    .map(([arm, { goodput_rps: rps, failed }]) => {
      const failures = failed > 0 ? `, ${failed} failed` : '';
      return `${arm} ${rps.toFixed(0)} rps${failures}${arm === BASE ? '' : ` (${(rps / base).toFixed(3)})`}`;
    })
    .join('; ');
}

/** @param {string} title @param {import('./analyse/overhead.js').Ratio} ratio */
function ratioLine(title, { median, low, high, n }) {
  const interval =
    low === null || high === null ? 'no interval with fewer than 6 pairs' : `95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}`;
  return `${title}: ${median.toFixed(3)} of the published app's good answers a second (median of ${n} pairs, ${interval})`;
}
