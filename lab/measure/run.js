/**
 * One run: one architecture under one load, once. Leaves `manifest.json` and `raw/` in the run's folder, whatever happens
 * on the way, and nothing of the stack.
 */
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shapes } from '../../k6/shapes.js';
import { architectures, profileOf, scenarioOf } from '../define/architectures.js';
import { CPU_PERIOD_US, quotaVariables } from '../define/budgets.js';
import { conditionsOf, takesCalibration } from '../define/calibration.js';
import { MANIFEST_SCHEMA_VERSION, newFolderName, RAW, RECORD, REPORTS } from '../define/paths.js';
import { scenarios, shapeOf } from '../define/scenarios.js';
import { commandOf } from '../define/settings.js';
import { collect } from './collect.js';
import { keepBalancerConf, readBalancerStatus, readCommit, readImages, readVersions } from './components.js';
import { drivers } from './drivers.js';
import { ensureImages } from './images.js';
import { describeMachine } from './machine.js';
import { observeContainers } from './observe-containers.js';
import { observeEvents } from './observe-events.js';
import { observeKernel } from './observe-kernel.js';
import { preflight } from './preflight.js';
import { RecordFile } from './record-file.js';
import { bringUp, takeDown } from './stack.js';

/** The profile of what observes MongoDB, on in every run that has it. */
const OBSERVE_PROFILE = 'observe';
/** Containers run as this user when the lab runs as root, as the lab's own user otherwise: both can write raw/. */
const UNPRIVILEGED_ID = 10_001;

/**
 * @typedef {object} RunOptions
 * @property {import('../define/settings.js').Settings} settings
 * @property {import('./progress.js').Progress} progress
 * @property {AbortSignal} signal  aborts when the user interrupts
 * @property {import('../define/calibration.js').Calibration | null} [calibration]  of this machine; for a budget or a load that
 *   follows from it
 * @property {string} [group]  folder below reports/ that the run's folder is made in; the architecture's unless given
 * @property {Injection} [injection] a fault to put in; it reaches the containers alone and is not recorded
 *
 * @typedef {object} Injection
 * @property {Record<string, string>} variables  for Compose
 * @property {(beganS: number, signal: AbortSignal) => Promise<void>} duringLoad  given the moment the load begins
 */

/**
 * @param {RunOptions} options
 * @returns {Promise<{ folder: string, interrupted: boolean }>} the run's folder; interrupted runs keep what was measured
 * @throws {import('../define/errors.js').NotReadyError} when the machine or the stack is not ready
 */
export async function measureRun({ settings, progress, signal, calibration = null, group = settings.architecture, injection }) {
  const scenario = scenarios[scenarioOf(settings.architecture)];
  const driver = drivers[scenario.driver];
  const profiles = [profileOf(settings.architecture), ...(scenario.written ? [OBSERVE_PROFILE] : [])];
  const checks = await preflight({ profiles: [...profiles, ...driver.profiles], busy: settings.busy, say: progress.say, signal });
  for (const warning of checks.warnings) progress.say(`note: ${warning}`);
  const images = await ensureImages({ mode: settings.images, scenario: scenarioOf(settings.architecture), say: progress.say, signal });

  const machine = await describeMachine();
  const { quotas, think_time_s: thinkTimeS } = conditionsOf(settings, machine.cores, calibration);
  const run = await createRun(settings, group, thinkTimeS);
  const env = { ...images.variables, ...quotaVariables(quotas), ...run.variables, ...injection?.variables };
  /** @type {Record<string, unknown>} */
  const manifest = {
    schema: MANIFEST_SCHEMA_VERSION,
    run: run.id,
    architecture: settings.architecture,
    load: settings.load,
    shape: run.shape,
    scenario: scenarioOf(settings.architecture),
    variables: settings.variables,
    budget: settings.budget,
    quotas_cores: quotas,
    cpu_period_us: CPU_PERIOD_US,
    ...(calibration !== null && takesCalibration(settings) ? { calibration } : {}),
    // Of a load that sets it; the scenario's own otherwise.
    ...(thinkTimeS === null ? {} : { think_time_s: thinkTimeS }),
    seed: settings.seed,
    integrity: settings.integrity,
    delay_ms: settings.delay,
    command: commandOf(settings),
    images_mode: images.mode,
    machine: { ...machine, engine: checks.engine, compose: checks.compose, busy_share_before: checks.busy_share },
    git: await readCommit(),
    warnings: checks.warnings,
    interrupted: false,
    started: new Date().toISOString(),
  };
  try {
    await measure({ driver, profiles, env, run, manifest, progress, signal, injection });
  } catch (error) {
    if (!signal.aborted) throw error;
    manifest.interrupted = true;
  } finally {
    progress.done();
    manifest.ended = new Date().toISOString();
    try {
      await writeFile(join(run.folder, RECORD.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
    } finally {
      progress.say('taking the stack down');
      const left = await takeDown(env);
      if (left.length > 0) progress.say(`still there: ${left.join(', ')}; "make clean" tries again`);
    }
  }
  return { folder: run.folder, interrupted: signal.aborted };
}

/** @type {(settings: import('../define/settings.js').Settings, group: string, thinkTimeS: number | null) => Promise<{ id: string, folder: string, rawFolder: string, shape: import('../../k6/shapes.js').Shape, variables: Record<string, string> }>} */
async function createRun(settings, group, thinkTimeS) {
  const id = `${group}/${newFolderName()}`;
  const folder = join(REPORTS, id);
  const rawFolder = join(folder, RECORD.raw);
  await mkdir(rawFolder, { recursive: true });
  const own = process.getuid?.() ?? UNPRIVILEGED_ID;
  const user = own === 0 ? UNPRIVILEGED_ID : own;
  if (own === 0) await chown(rawFolder, user, user);
  const scenario = scenarioOf(settings.architecture);
  const shape = shapeOf(scenario, settings.load);
  const ofShape = {
    RATE: settings.rate === null ? '' : String(settings.rate),
    THINK_TIME_S: thinkTimeS === null ? '' : String(thinkTimeS),
  };
  return {
    id,
    folder,
    rawFolder,
    shape: shapes[shape]({ ...settings.variables, ...ofShape }),
    variables: {
      ...settings.variables,
      ...scenarios[scenario].written?.observer,
      RUN_ID: id,
      RAW_FOLDER: rawFolder,
      LAB_USER: `${user}:${user}`,
      SCENARIO: scenario,
      SHAPE: shape,
      ...ofShape,
      INTEGRITY: settings.integrity ? '1' : '',
      EXTRA_DELAY_MS: String(settings.delay),
      TARGET: architectures[settings.architecture].entry ?? '',
    },
  };
}

/**
 * @param {object} options
 * @param {import('./drivers.js').Driver} options.driver
 * @param {string[]} options.profiles
 * @param {Record<string, string>} options.env
 * @param {Awaited<ReturnType<typeof createRun>>} options.run
 * @param {Record<string, unknown>} options.manifest filled while the run goes on, so that an interrupted one has it too
 * @param {import('./progress.js').Progress} options.progress
 * @param {AbortSignal} options.signal
 * @param {Injection} [options.injection]
 */
async function measure({ driver, profiles, env, run, manifest, progress, signal, injection }) {
  progress.say(`bringing the stack up (${profiles[0]})`);
  const stack = await bringUp({ profiles, env, signal });
  const file = (/** @type {string} */ name) => new RecordFile(join(run.rawFolder, name));
  const records = {
    containers: file(RAW.containers),
    kernel: file(RAW.kernel),
    host: file(RAW.host),
    balancer: file(RAW.balancerStatus),
    events: file(RAW.events),
  };
  /** @type {(() => void)[]} */
  const observers = [];
  let services = stack;
  let injected = /** @type {Promise<void> | null} */ (null);
  const recordBalancer = async () => {
    const status = await readBalancerStatus(stack);
    if (status) records.balancer.write(status);
  };
  try {
    manifest.versions = await readVersions(stack, await driver.image(profiles, env));
    await keepBalancerConf(stack, run.rawFolder);
    progress.say(`load: ${run.shape.title}${driver.livePage}`);
    await recordBalancer();
    await driver.drive({
      profiles,
      env,
      stack,
      shape: run.shape,
      rawFolder: run.rawFolder,
      progress,
      signal,
      onReady: async (all) => {
        services = all;
        manifest.services = describeServices(services);
        manifest.images = await readImages(services);
        observers.push(
          observeKernel(services, records),
          await observeContainers(services, records.containers),
          await observeEvents(services, records.events),
        );
      },
      onWarmupBegan: (began, loadBegins) => {
        manifest.warmup_began_s = began;
        manifest.load_began_s = loadBegins;
      },
      onSettled: async () => {
        await recordBalancer();
        injected = injection?.duringLoad(Number(manifest.load_began_s), signal) ?? null;
        // Awaited below; a failure before that must not be an unhandled one.
        injected?.catch(() => {});
      },
    });
    await injected;
    manifest.load_ended_s = Date.now() / 1000;
    await recordBalancer();
  } finally {
    progress.done();
    for (const stop of observers) stop();
    progress.say('collecting the record');
    await collect(services, run.folder);
    await Promise.all(Object.values(records).map((record) => record.close()));
  }
}

/** @param {import('./docker.js').Service[]} services */
function describeServices(services) {
  return services
    .map(({ service, name, tier, address, cpuQuotaCores }) => ({ service, name, tier, address, cpu_quota_cores: cpuQuotaCores }))
    .sort((one, other) => one.name.localeCompare(other.name));
}
