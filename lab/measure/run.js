/**
 * One run: one architecture under one load, once. Leaves `manifest.json` and `raw/` in the run's folder, whatever happens
 * on the way, and nothing of the stack.
 */
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadStart, shapes } from '../../k6/shapes.js';
import { architectures, profileOf } from '../define/architectures.js';
import { CPU_PERIOD_US, quotasOf, quotaVariables } from '../define/budgets.js';
import { loads } from '../define/loads.js';
import { newFolderName, RAW, RECORD, REPORTS } from '../define/paths.js';
import { commandOf } from '../define/settings.js';
import { collect } from './collect.js';
import { keepBalancerConf, readBalancerStatus, readCommit, readImages, readVersions } from './components.js';
import { readConfig } from './compose.js';
import { ensureImages } from './images.js';
import { runLoad } from './load.js';
import { describeMachine } from './machine.js';
import { observeContainers } from './observe-containers.js';
import { observeKernel } from './observe-kernel.js';
import { preflight } from './preflight.js';
import { RecordFile } from './record-file.js';
import { bringUp, takeDown } from './stack.js';

const MANIFEST_SCHEMA = 1;
/** The profile of what observes, on in every run. */
const OBSERVE_PROFILE = 'observe';
/** Containers run as this user when the lab runs as root, as the lab's own user otherwise: both can write raw/. */
const UNPRIVILEGED_ID = 10_001;

/**
 * @typedef {object} RunOptions
 * @property {import('../define/settings.js').Settings} settings
 * @property {import('./progress.js').Progress} progress
 * @property {AbortSignal} signal  aborts when the user interrupts
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
export async function measureRun({ settings, progress, signal, group = settings.architecture, injection }) {
  const profiles = [profileOf(settings.architecture), OBSERVE_PROFILE];
  const checks = await preflight({ profiles: [...profiles, 'load'], say: progress.say, signal });
  for (const warning of checks.warnings) progress.say(`note: ${warning}`);
  const images = await ensureImages({ mode: settings.images, say: progress.say, signal });

  const run = await createRun(settings, group);
  const machine = await describeMachine();
  const quotas = quotasOf(settings.budget, machine.cores);
  const env = { ...images.variables, ...quotaVariables(quotas), ...run.variables, ...injection?.variables };
  /** @type {Record<string, unknown>} */
  const manifest = {
    schema: MANIFEST_SCHEMA,
    run: run.id,
    architecture: settings.architecture,
    load: settings.load,
    shape: run.shape,
    scenario: loads[settings.load].scenario,
    budget: settings.budget,
    quotas_cores: quotas,
    cpu_period_us: CPU_PERIOD_US,
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
    await measure({ profiles, env, run, manifest, progress, signal, injection });
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

/** @param {import('../define/settings.js').Settings} settings @param {string} group */
async function createRun(settings, group) {
  const id = `${group}/${newFolderName()}`;
  const folder = join(REPORTS, id);
  const rawFolder = join(folder, RECORD.raw);
  await mkdir(rawFolder, { recursive: true });
  const own = process.getuid?.() ?? UNPRIVILEGED_ID;
  const user = own === 0 ? UNPRIVILEGED_ID : own;
  if (own === 0) await chown(rawFolder, user, user);
  const load = loads[settings.load];
  return {
    id,
    folder,
    rawFolder,
    shape: shapes[load.shape]({ RATE: settings.rate === null ? undefined : String(settings.rate) }),
    variables: {
      RUN_ID: id,
      RAW_FOLDER: rawFolder,
      LAB_USER: `${user}:${user}`,
      SCENARIO: load.scenario,
      SHAPE: load.shape,
      RATE: settings.rate === null ? '' : String(settings.rate),
      INTEGRITY: settings.integrity ? '1' : '',
      EXTRA_DELAY_MS: String(settings.delay),
      TARGET: architectures[settings.architecture].entry,
    },
  };
}

/**
 * @param {object} options
 * @param {string[]} options.profiles
 * @param {Record<string, string>} options.env
 * @param {Awaited<ReturnType<typeof createRun>>} options.run
 * @param {Record<string, unknown>} options.manifest filled while the run goes on, so that an interrupted one has it too
 * @param {import('./progress.js').Progress} options.progress
 * @param {AbortSignal} options.signal
 * @param {Injection} [options.injection]
 */
async function measure({ profiles, env, run, manifest, progress, signal, injection }) {
  progress.say(`bringing the stack up (${profiles[0]})`);
  const stack = await bringUp({ profiles, env, signal });
  const file = (/** @type {string} */ name) => new RecordFile(join(run.rawFolder, name));
  const records = { containers: file(RAW.containers), kernel: file(RAW.kernel), host: file(RAW.host), balancer: file(RAW.balancerStatus) };
  /** @type {(() => void)[]} */
  const observers = [];
  let services = stack;
  let injected = /** @type {Promise<void> | null} */ (null);
  try {
    manifest.versions = await readVersions(stack, await generatorImage(profiles, env));
    await keepBalancerConf(stack, run.rawFolder);
    const nodes = stack
      .filter(({ tier }) => tier === 'app')
      .map(({ name }) => name)
      .sort();
    progress.say(`load: ${run.shape.title}; k6's own live page is on http://127.0.0.1:5665`);
    const recordBalancer = async () => {
      const status = await readBalancerStatus(stack);
      if (status) records.balancer.write(status);
    };
    await recordBalancer();
    await runLoad({
      profiles,
      env: { ...env, NODES: nodes.join(',') },
      shape: run.shape,
      rawFolder: run.rawFolder,
      progress,
      signal,
      onCreated: async (generator) => {
        services = [...stack, generator];
        manifest.services = describeServices(services);
        manifest.images = await readImages(services);
        observers.push(observeKernel(services, records), await observeContainers(services, records.containers));
      },
      onWarmupBegan: (began) => {
        manifest.warmup_began_s = began;
        manifest.load_began_s = began + loadStart(run.shape);
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

/**
 * @param {string[]} profiles
 * @param {Record<string, string>} env
 */
async function generatorImage(profiles, env) {
  const { services } = await readConfig([...profiles, 'load'], env);
  return services.k6.image;
}
