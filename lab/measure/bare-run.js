/**
 * The same stack and the same k6 script without the lab: `docker compose up`, `k6 run`, nothing that observes. What the lab
 * itself costs is measured against this.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { GRACEFUL_STOP_S, loadDuration, loadStart, shapes } from '../../k6/shapes.js';
import { architectures, profileOf, scenarioOf } from '../define/architectures.js';
import { GENERATOR_CPU_SHARES, quotaVariables } from '../define/budgets.js';
import { conditionsOf } from '../define/calibration.js';
import { PROJECT, RAW, ROOT } from '../define/paths.js';
import { shapeOf } from '../define/scenarios.js';
import { bringUp, takeDown } from './stack.js';

const WORLD_WRITABLE = 0o777;
const PREPARE_LIMIT_S = 180;

/**
 * @param {object} options
 * @param {import('../define/settings.js').Settings} options.settings
 * @param {import('./images.js').Images} options.images
 * @param {import('../define/calibration.js').Calibration | null} options.calibration
 * @param {AbortSignal} options.signal
 * @returns {Promise<number>} requests a second over the load's stages
 */
export async function measureBare({ settings, images, calibration, signal }) {
  const scenario = scenarioOf(settings.architecture);
  const shapeId = shapeOf(scenario, settings.load);
  const { quotas, think_time_s: thinkTimeS } = conditionsOf(settings, os.availableParallelism(), calibration);
  const thinkTime = thinkTimeS === null ? '' : String(thinkTimeS);
  const shape = shapes[shapeId]({ ...settings.variables, THINK_TIME_S: thinkTime });
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-bare-'));
  await chmod(folder, WORLD_WRITABLE);
  const env = { ...images.variables, ...quotaVariables(quotas), RAW_FOLDER: folder, RUN_ID: 'bare' };
  try {
    await bringUp({ profiles: [profileOf(settings.architecture)], env, signal });
    const given = {
      TARGET: architectures[settings.architecture].entry ?? '',
      SHAPE: shapeId,
      THINK_TIME_S: thinkTime,
      RECORD_FOLDER: '/raw',
      K6_LOG_OUTPUT: 'none',
    };
    const variables = Object.entries(given).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const mounts = ['--volume', `${join(ROOT, 'k6')}:/scripts:ro`, '--volume', `${folder}:/raw`];
    await execa(
      'docker',
      [
        'run',
        '--rm',
        // As compose.yaml gives it: what is compared is the lab, and not who gets the cores first.
        '--cpu-shares',
        String(GENERATOR_CPU_SHARES),
        '--network',
        `${PROJECT}_lab`,
        ...mounts,
        ...variables,
        images.variables.K6_IMAGE,
        'run',
        '--quiet',
        `/scripts/scenarios/${scenario}.js`,
      ],
      { timeout: (PREPARE_LIMIT_S + loadStart(shape) + loadDuration(shape) + GRACEFUL_STOP_S) * 1000, cancelSignal: signal },
    );
    const summary = JSON.parse(await readFile(join(folder, RAW.k6Summary), 'utf8'));
    return requestsPerSecond(summary, shape);
  } finally {
    await takeDown(env);
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {any} summary of k6
 * @param {import('../../k6/shapes.js').Shape} shape
 */
function requestsPerSecond(summary, shape) {
  const { values } = summary.metrics.lab_finished;
  return values.count / Math.max(loadDuration(shape), summary.state.testRunDurationMs / 1000 - loadStart(shape));
}
