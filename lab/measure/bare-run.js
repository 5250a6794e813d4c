/**
 * A load without the lab: `docker compose up` and k6, nothing that observes. App and generator are each the published one in its
 * plainest form, or the lab's own, so that what each of the lab's parts costs can be told.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GRACEFUL_STOP_S, loadDuration, loadStart, shapes } from '../../k6/shapes.js';
import { architectures, profileOf, scenarioOf } from '../define/architectures.js';
import { quotaVariables } from '../define/budgets.js';
import { conditionsOf } from '../define/calibration.js';
import { RunFailedError } from '../define/errors.js';
import { RAW } from '../define/paths.js';
import { shapeOf } from '../define/scenarios.js';
import { docker, readLog } from './docker.js';
import { startGenerator } from './load.js';
import { bringUp, takeDown } from './stack.js';
import { architectureSystem } from './system.js';

const WORLD_WRITABLE = 0o777;
/** k6 prepares its users before the load and writes its summary after it. */
const AROUND_LOAD_LIMIT_S = 180;
const LAST_LINES = 15;
const PLAIN_PROFILE = 'plain';
/** Profile and service of Compose. */
const GENERATORS = { plain: ['plain-load', 'k6-plain'], lab: ['load', 'k6'] };

/** @typedef {{ app: 'plain' | 'lab', generator: 'plain' | 'lab' }} Parts */

/**
 * @param {object} options
 * @param {Parts} options.parts
 * @param {import('../define/settings.js').Settings} options.settings
 * @param {import('./images.js').Images} options.images
 * @param {import('../define/calibration.js').Calibration | null} options.calibration
 * @param {AbortSignal} options.signal
 * @returns {Promise<any>} k6's summary
 * @throws {RunFailedError} when k6 fails, or does not end in time
 */
export async function measureBare({ parts, settings, images, calibration, signal }) {
  const scenario = scenarioOf(settings.architecture);
  const shapeId = shapeOf(scenario, settings.load);
  const { quotas, think_time_s: thinkTimeS } = conditionsOf(settings, os.availableParallelism(), calibration);
  const thinkTime = thinkTimeS === null ? '' : String(thinkTimeS);
  const shape = shapes[shapeId]({ ...settings.variables, THINK_TIME_S: thinkTime });
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-bare-'));
  await chmod(folder, WORLD_WRITABLE);
  const env = {
    ...images.variables,
    ...quotaVariables(quotas),
    ...settings.variables,
    RAW_FOLDER: folder,
    RUN_ID: 'bare',
    SCENARIO: scenario,
    SHAPE: shapeId,
    THINK_TIME_S: thinkTime,
    TARGET: architectures[settings.architecture].entry ?? '',
    INTEGRITY: settings.integrity ? '1' : '',
  };
  try {
    const profile = parts.app === 'plain' ? PLAIN_PROFILE : profileOf(settings.architecture);
    await bringUp({ system: architectureSystem([profile]), env, signal });
    await generate({
      generator: GENERATORS[parts.generator],
      env,
      limitS: AROUND_LOAD_LIMIT_S + loadStart(shape) + loadDuration(shape) + GRACEFUL_STOP_S,
      signal,
    });
    return JSON.parse(await readFile(join(folder, RAW.k6Summary), 'utf8'));
  } finally {
    await takeDown(env, architectureSystem([]));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs k6 until it ends. @type {(options: { generator: string[], env: Record<string, string>, limitS: number, signal: AbortSignal }) => Promise<void>} */
async function generate({ generator: [profile, service], env, limitS, signal }) {
  const created = await startGenerator({ system: architectureSystem([profile]), generator: service, env, signal });
  const inTime = new AbortController();
  const overdue = wait(limitS * 1000, null, { signal: AbortSignal.any([signal, inTime.signal]) });
  try {
    const ended = await Promise.race([docker.getContainer(created.id).wait(), overdue]);
    if (ended?.StatusCode === 0) return;
    const how = ended === null ? `did not end in ${limitS} s` : `ended with exit code ${ended.StatusCode}`;
    throw new RunFailedError(`k6 ${how}; the last lines of its log:\n${await readLog(created.id, LAST_LINES)}`);
  } finally {
    // What is not waited for any more must not keep the lab from ending, nor be an unhandled rejection.
    overdue.catch(() => {});
    inTime.abort();
  }
}
