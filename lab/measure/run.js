/**
 * One run: one architecture under one load, once. Leaves `manifest.json` and `raw/` in the run's folder, whatever happens
 * on the way, and nothing of the stack.
 */
import { join } from 'node:path';
import { loadDuration, shapeOfRun } from '../../k6/lib/shapes.js';
import { architectures, profileOf, scenarioOf } from '../define/architectures.js';
import { liftedIn, periodOf, quotaVariables } from '../define/budgets.js';
import { conditionsOf, takesCalibration } from '../define/calibration.js';
import { checkHosts } from '../define/fault-plan.js';
import { RAW, REPORTS } from '../define/paths.js';
import { scenarios, scriptOf, shapeOf, shapes } from '../define/scenarios.js';
import { clientEnvironment, commandOf } from '../define/settings.js';
import { databasesIn, tiersIn } from '../define/shipped-services.js';
import { collect } from './collect.js';
import { balancerTotals, keepBalancerConf, readVersions } from './components.js';
import { readConfig } from './compose.js';
import { describeMachine } from './describe-machine.js';
import { describeEdges, describeServices } from './describe-services.js';
import { drainQueue } from './drain.js';
import { drivers } from './drivers.js';
import { prepareGenerators } from './generators.js';
import { ensureImages } from './images.js';
import { beginManifest } from './manifest.js';
import { preflight, publishedPorts } from './preflight.js';
import { checkPutting, putFaults } from './put-faults.js';
import { RecordFile } from './record-file.js';
import { pagesOf, recordRun, watchLoad } from './recorded-run.js';
import { makeRunFolder, nameRunFolder } from './run-folder.js';
import { bringUp } from './stack.js';
import { architectureSystem } from './system.js';
import { liftQuotas } from './warm-up-quotas.js';

/** The profile of what observes the database, on in every run that has one to observe. */
const OBSERVE_PROFILE = 'observe';
/** A Swarm gives its containers no period of their own: Docker's. */
const SWARM_PERIOD_US = 100_000;
/**
 * Seconds without load after the warm-up, where a queue keeps what it took then: it is worked off before the load begins. In 7 runs it
 * took 2.4 s at most. The lab's own choice.
 */
const QUEUE_SETTLES_S = 10;
/** Compose takes `required: false` in depends_on from here on. */
export const LEAST_COMPOSE = '2.20';

/**
 * @typedef {object} RunOptions
 * @property {import('../define/settings.js').Settings} settings
 * @property {import('./progress.js').Progress} progress
 * @property {AbortSignal} signal  aborts when the user interrupts
 * @property {import('../define/calibration.js').Calibration | null} [calibration]  of this machine; for a budget or a load that
 *   follows from it
 * @property {string} [group]  folder below reports/ that the run's folder is made in; the architecture's unless given
 * @property {Injection} [injection] a fault to put in; it reaches the containers alone and is not recorded
 * @property {import('./recorded-run.js').Watcher} [watcher]  who shows it while it goes on, and where
 * @property {Hosts} [hosts]  that it runs on; this machine alone unless given
 * @property {typeof import('../capture/run-capture.js').captureOf} [captureOf]  makes what records its networks, where the settings want that
 *
 * @typedef {import('./system.js').Deployment & { prepare: (given: { system: import('./system.js').System, env: Record<string, string> }) => Promise<object[]>,
 *   names: string[], outages: object[] }} Hosts  prepare: before anything is made, gives what each is; outages: of them, while they were watched
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
export async function measureRun({
  settings,
  progress,
  signal,
  calibration = null,
  group = settings.architecture,
  injection,
  hosts,
  watcher,
  captureOf = async () => null,
}) {
  const scenario = scenarios[scenarioOf(settings.architecture)];
  const driver = drivers[scenario.driver];
  const profiles = [profileOf(settings.architecture), ...(scenario.written ? [OBSERVE_PROFILE] : [])];
  const systemWith = (/** @type {string[]} */ wanted, /** @type {string[]} */ files = []) => ({
    ...architectureSystem(settings.architecture, wanted, files),
    ...(hosts ? { deployment: hosts } : {}),
  });
  const withGenerator = systemWith([...profiles, ...driver.profiles]);
  if (hosts) checkHosts(settings.faults, hosts.names);
  const checks = await preflight({
    project: withGenerator.project,
    leastCompose: LEAST_COMPOSE,
    disk: REPORTS,
    // On a Swarm nothing is.
    published: async () => (hosts ? [] : publishedPorts(await readConfig(withGenerator, {}))),
    busy: settings.busy,
    ...(settings.users === null ? {} : { users: settings.users }),
    say: progress.say,
    signal,
  });
  for (const warning of checks.warnings) progress.say(`note: ${warning}`);
  const images = await ensureImages({ mode: settings.images, architectures: [settings.architecture], say: progress.say, signal });

  const hostFacts = await hosts?.prepare({ system: withGenerator, env: images.variables });
  const { quotas, think_time_s: thinkTimeS, rate_rps: rate } = conditionsOf(settings, (await describeMachine()).cores, calibration);
  const run = await createRun(settings, group, { thinkTimeS, rate: rate ?? settings.rate });
  /** @type {Record<string, string>} */
  const ofHosts = hosts ? { RAW_FOLDER: '' } : {};
  const env = { ...images.variables, ...quotaVariables(settings.budget, quotas), ...run.variables, ...ofHosts, ...injection?.variables };
  const manifest = await beginManifest(checks, {
    run: run.id,
    architecture: settings.architecture,
    load: settings.load,
    shape: run.shape,
    scenario: scenarioOf(settings.architecture),
    variables: settings.variables,
    budget: settings.budget,
    quotas_cores: quotas,
    cpu_period_us: hosts ? SWARM_PERIOD_US : periodOf(settings.budget),
    quotas_lifted_in_warmup: liftedIn(settings.budget),
    ...(calibration !== null && takesCalibration(settings) ? { calibration } : {}),
    // Of a load that sets it; the scenario's own otherwise.
    ...(thinkTimeS === null ? {} : { think_time_s: thinkTimeS }),
    seed: settings.seed,
    integrity: settings.integrity,
    delay_ms: settings.delay,
    ...(settings.client === null ? {} : { client: settings.client }),
    command: commandOf(settings),
    images_mode: images.mode,
    ...(hostFacts ? { hosts: hostFacts } : {}),
  });
  const capture = await captureOf({
    isWanted: settings.capture,
    project: withGenerator.project,
    loadS: loadDuration(run.shape),
    ...{ images: settings.images, say: progress.say, signal },
  });
  try {
    return await recordRun({ down: systemWith([]), env, folder: run.folder, manifest, progress, signal }, () =>
      measure({ driver, profiles, systemWith, env, run, settings, manifest, progress, signal, injection, hosts, watcher, capture }),
    );
  } finally {
    await capture?.clear();
  }
}

/** @typedef {import('./run-folder.js').RunFolder & { shape: import('../../k6/lib/shapes.js').Shape, variables: Record<string, string> }} Run */

/** @type {(settings: import('../define/settings.js').Settings, group: string, conditions: { thinkTimeS: number | null, rate: number | null }) => Promise<Run>} */
async function createRun(settings, group, { thinkTimeS, rate }) {
  const run = nameRunFolder(group);
  await makeRunFolder(run);
  const scenario = scenarioOf(settings.architecture);
  const shape = shapeOf(scenario, settings.load);
  const ofShape = {
    RATE: rate === null ? '' : String(rate),
    THINK_TIME_S: thinkTimeS === null ? '' : String(thinkTimeS),
    USERS: settings.users === null ? '' : String(settings.users),
    SETTLE_S: tiersIn(settings.architecture).includes('queue') ? String(QUEUE_SETTLES_S) : '',
  };
  return {
    ...run,
    // What the generator makes its own of.
    shape: shapeOfRun({ ...settings.variables, ...ofShape, ...clientEnvironment(settings.client), SHAPE: shape }, shapes),
    variables: {
      ...settings.variables,
      ...scenarios[scenario].written?.observer,
      DATABASES: databasesIn(settings.architecture).join(','),
      RUN_ID: run.id,
      // Not where the lab writes: a container may put there what it likes.
      RAW_FOLDER: run.writtenFolder,
      LAB_USER: run.user,
      ...scriptOf(scenario),
      SHAPE: shape,
      ...ofShape,
      ...clientEnvironment(settings.client),
      SEED: String(settings.seed),
      INTEGRITY: settings.integrity ? '1' : '',
      K6_WEB_DASHBOARD: String(settings.dashboard),
      EXTRA_DELAY_MS: String(settings.delay),
      TARGET: architectures[settings.architecture].entry ?? '',
    },
  };
}

/**
 * @param {object} options
 * @param {import('./drivers.js').Driver} options.driver
 * @param {string[]} options.profiles
 * @param {(profiles: string[], files?: string[]) => import('./system.js').System} options.systemWith
 * @param {Record<string, string>} options.env
 * @param {Run} options.run
 * @param {import('../define/settings.js').Settings} options.settings
 * @param {import('./recorded-run.js').Manifest} options.manifest
 * @param {import('./progress.js').Progress} options.progress
 * @param {AbortSignal} options.signal
 * @param {Injection} [options.injection]
 * @param {Hosts} [options.hosts]
 * @param {RunOptions['watcher']} [options.watcher]
 * @param {import('../capture/capture.js').Capture | null} options.capture
 */
async function measure({
  driver,
  profiles,
  systemWith,
  env,
  run,
  settings,
  manifest,
  progress,
  signal,
  injection,
  hosts,
  watcher,
  capture,
}) {
  progress.say(`bringing the stack up (${profiles[0]})`);
  const system = systemWith(profiles);
  const withGenerator = systemWith([...profiles, ...driver.profiles]);
  const parts = await generatorParts(settings, run);
  const loadSystem = parts ? systemWith([...profiles, ...parts.profiles], [parts.file]) : withGenerator;
  // A stack of a Swarm is deployed as a whole, and the generators are started later.
  const stack = await bringUp({ system: hosts ? loadSystem : system, env, whenCreated: capture?.begin, signal });
  await checkPutting(settings.faults, stack);
  const totals = balancerTotals(stack);
  const balancer = totals && new RecordFile(join(run.rawFolder, totals.file));
  const recordBalancer = async () => {
    const told = await totals?.ask();
    if (told) balancer?.write(told);
  };
  let injected = /** @type {Promise<void> | null} */ (null);
  let put = Promise.resolve();
  const over = new AbortController();
  const bringQuotasBack = await liftQuotas(stack, liftedIn(settings.budget));
  const onSettled = async () => {
    await bringQuotasBack();
    await recordBalancer();
    put = putFaults(settings.faults, manifest, { signal, over: over.signal, system });
    injected = injection?.duringLoad(Number(manifest.load_began_s), signal) ?? null;
    // Awaited below; a failure before that must not be an unhandled one.
    injected?.catch(() => {});
  };
  await watchLoad({
    system,
    stack,
    rawFolder: run.rawFolder,
    manifest,
    progress,
    watcher,
    describe: (services) => ({ services: describeServices(services), ...describeEdges(settings.architecture) }),
    load: async (when) => {
      const [versions, table] = await Promise.all([
        readVersions(system, stack, driver.image(env)),
        keepBalancerConf(stack, run.rawFolder),
        recordBalancer(),
      ]);
      manifest.versions = versions;
      if (table?.slots) watcher?.limit(table.name, table.slots);
      progress.say(`load: ${run.shape.title}${pagesOf(watcher, settings.dashboard ? driver.livePage : '')}`);
      const { shape, rawFolder, writtenFolder } = run;
      const driven = { system: loadSystem, generators: parts?.services, env, stack, shape, rawFolder, writtenFolder, progress, signal };
      const generated = await driver.drive({ ...driven, ...when, onSettled });
      if (parts) manifest.generators = generated;
      else if (generated.length > 0) manifest.generator_exit_code = generated[0].exit_code;
      over.abort();
      await Promise.all([injected, put]);
      manifest.load_ended_s = Date.now() / 1000;
      await recordBalancer();
      const drained = await drainQueue(stack, { say: progress.say, signal });
      if (drained !== null) manifest.drained = drained;
      if (hosts && hosts.outages.length > 0) manifest.outages = hosts.outages;
    },
    collect: async (services) => {
      await capture?.stop();
      const missing = await collect(system, services, run.folder);
      await balancer?.close();
      await capture?.write(join(run.rawFolder, `${RAW.wire}.gz`));
      return [...(capture?.notes ?? []), ...missing];
    },
  });
}

/** Of a load that several generators make. @type {(settings: import('../define/settings.js').Settings, run: Run) => Promise<Awaited<ReturnType<typeof prepareGenerators>> | null>} */
const generatorParts = async ({ architecture, generators: count }, { rawFolder, writtenFolder }) =>
  count === 1 ? null : prepareGenerators({ count, scenario: scenarioOf(architecture), rawFolder, writtenFolder });
