/**
 * A load without the lab: `docker compose up` and k6, nothing that observes. App and generator are each the published one in its
 * plainest form, or the lab's own, so that what each of the lab's parts costs can be told.
 */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { architectures, profileOf, scenarioOf } from '../define/architectures.js';
import { quotaVariables } from '../define/budgets.js';
import { conditionsOf } from '../define/calibration.js';
import { RAW, RECORD } from '../define/paths.js';
import { readPrivate } from '../define/private-file.js';
import { scriptOf, shapeOf, shapes } from '../define/scenarios.js';
import { runBareLoad } from './bare-load.js';
import { describeMachine } from './describe-machine.js';
import { makeScratch } from './scratch.js';
import { bringUp, takeDown } from './stack.js';
import { architectureSystem, labSystem } from './system.js';

const WORLD_WRITABLE = 0o777;
/** Its folder is called like its profile. */
const PLAIN = 'plain';
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
 * @throws {import('../define/errors.js').RunFailedError} when k6 fails, or does not end in time
 */
export async function measureBare({ parts, settings, images, calibration, signal }) {
  const scenario = scenarioOf(settings.architecture);
  const stack = parts.app === 'plain' ? PLAIN : settings.architecture;
  const shapeId = shapeOf(scenario, settings.load);
  const { quotas, think_time_s: thinkTimeS } = conditionsOf(settings, (await describeMachine()).cores, calibration);
  const thinkTime = thinkTimeS === null ? '' : String(thinkTimeS);
  const shape = shapes[shapeId]({ ...settings.variables, THINK_TIME_S: thinkTime });
  const scratch = await makeScratch('bare');
  // The folder around it is the lab's alone.
  const folder = join(scratch, RECORD.raw);
  await mkdir(folder);
  await chmod(folder, WORLD_WRITABLE);
  const env = {
    ...images.variables,
    ...quotaVariables(settings.budget, quotas),
    ...settings.variables,
    RAW_FOLDER: folder,
    RUN_ID: 'bare',
    ...scriptOf(scenario),
    SHAPE: shapeId,
    THINK_TIME_S: thinkTime,
    TARGET: architectures[settings.architecture].entry ?? '',
    INTEGRITY: settings.integrity ? '1' : '',
    K6_WEB_DASHBOARD: 'false',
  };
  try {
    await bringUp({ system: architectureSystem(stack, [parts.app === 'plain' ? stack : profileOf(stack)]), env, signal });
    const [profile, generator] = GENERATORS[parts.generator];
    await runBareLoad({ system: architectureSystem(stack, [profile]), generator, env, shape, signal });
    return JSON.parse(String(readPrivate(join(folder, RAW.k6Summary)) ?? ''));
  } finally {
    await takeDown(env, labSystem());
    await rm(scratch, { recursive: true, force: true });
  }
}
