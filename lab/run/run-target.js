/**
 * One run of a target under one load, from the preflight to the teardown. Leaves `manifest.json` and `raw/` in the run's folder, whatever
 * happens on the way, and nothing of the stack.
 *
 * @typedef {import('../docker/containers.js').Service} Service
 * @typedef {import('../docker/system.js').System} System
 * @typedef {import('../docker/run-folder.js').RunFolder} RunFolder
 * @typedef {import('../options/fault-plan.js').PlannedFault} PlannedFault
 *
 * @typedef {object} Target        a system under test, before anything of it is made
 * @property {string} project      Compose's name of the run
 * @property {string} group        folder below reports/ that the run's folder is made in
 * @property {Pick<Parameters<typeof preflight>[0], 'leastCompose' | 'disk' | 'published' | 'users'>} needs  of the machine
 * @property {'refuse' | 'allow'} busy
 * @property {boolean} capture     what passes its networks is recorded
 * @property {boolean} dashboard   k6's own page, while the load runs
 * @property {readonly PlannedFault[]} faults  put in while the load goes on
 * @property {import('../options/settings.js').ImageMode} imageMode
 * @property {(around: Around) => Promise<import('../docker/images.js').Images>} images  gets those that it needs
 * @property {(given: { run: RunFolder, images: import('../docker/images.js').Images, scratch: string } & Around) => Promise<Ready>} prepare
 *   makes the run's folder; scratch: folder that is removed after the run
 * @property {() => Promise<void>} close  when its stack is gone, or never was there
 *
 * @typedef {{ say: (text: string) => void, signal: AbortSignal }} Around
 *
 * @typedef {object} Ready         a target of which a run can be made
 * @property {System} system       its stack
 * @property {System} down         by which the stack is taken down
 * @property {System} loadSystem   the stack with its generators
 * @property {string[]} [generators]  Compose's names of them; the driver's own one unless given
 * @property {import('../load/drivers.js').Driver} driver
 * @property {Record<string, string>} env  that Compose reads
 * @property {string | null} generatorImage  null where a service of the stack makes the load
 * @property {Record<string, string>} built  ids of images that were built for it, by service
 * @property {import('../../k6/lib/shapes.js').Shape} shape
 * @property {readonly string[]} liftedTiers  whose quotas are lifted for the warm-up
 * @property {Record<string, unknown>} facts  of the manifest
 * @property {(whenCreated: (() => Promise<void>) | undefined) => Promise<Up>} bringUp  whenCreated: its networks and containers are there, and
 *   nothing has started
 *
 * @typedef {object} Up            a target whose stack is up
 * @property {Service[]} stack
 * @property {string[]} notes      a sentence for each thing that is worth knowing
 * @property {Record<string, unknown>} facts  of the manifest, that were learned by then
 * @property {import('./describe-services.js').Way | null} way  of requests; null: as the tiers of its services say
 * @property {(services: Service[]) => Service[][]} stopOrder  groups that stop together, one after the other
 * @property {() => Promise<void>} probe  asks what the load will ask, one request after the other, where the networks are recorded
 * @property {<T>(drive: (signal: AbortSignal) => Promise<T>) => Promise<T>} driven  drives a load, and ends it where it makes no sense
 * @property {() => string[]} notesAfter  a sentence for each thing that is known when the load has ended
 *
 * @typedef {object} Injection     of a fault, by the self-test; it is not recorded, unless the target says so
 * @property {(during: During) => Promise<void>} [whenUp]  before the load
 * @property {(beganS: number, during: During) => Promise<void>} duringLoad  given the moment the load begins
 *
 * @typedef {object} During
 * @property {Service[]} stack
 * @property {import('../../k6/lib/shapes.js').Shape} shape  of the load
 * @property {System} system
 * @property {AbortSignal} signal
 * @property {AbortSignal} [over]  aborts when the load has ended
 *
 * @typedef {object} RunOptions
 * @property {import('../cli/progress.js').Progress} progress
 * @property {AbortSignal} signal  aborts when the user interrupts
 * @property {Injection} [injection]
 * @property {import('./recorded-run.js').Watcher} [watcher]  who shows it while it goes on, and where
 * @property {typeof import('./capture/run-capture.js').captureOf} [captureOf]  makes what records its networks, where the target wants that
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDuration } from '../../k6/lib/shapes.js';
import { RAW } from '../base/paths.js';
import { nameRunFolder } from '../docker/run-folder.js';
import { makeScratch, noteRun } from '../docker/scratch.js';
import { collect } from './collect.js';
import { openBalancer, readVersions } from './components.js';
import { describeEdges, describeServices } from './describe-services.js';
import { drainQueue } from './drain.js';
import { checkPutting, putFaults } from './faults/put-faults.js';
import { beginManifest } from './manifest.js';
import { preflight } from './preflight.js';
import { pagesOf, recordRun, watchLoad } from './recorded-run.js';
import { liftQuotas } from './warm-up-quotas.js';

/** @type {Injection} */
const NO_INJECTION = { duringLoad: async () => {} };

/**
 * @param {Target} target
 * @param {RunOptions} options
 * @returns {Promise<{ folder: string, interrupted: boolean, images: Record<string, string> }>} the run's folder, and the ids of images that
 *   were built for it, by service; interrupted runs keep what was measured
 * @throws {import('../base/errors.js').NotReadyError} when the files, the machine or the stack are not ready
 */
export async function runTarget(target, { progress, signal, injection = NO_INJECTION, watcher, captureOf = async () => null }) {
  const around = { say: progress.say, signal };
  const checks = await preflight({ ...target.needs, project: target.project, busy: target.busy, ...around });
  for (const warning of checks.warnings) progress.say(`note: ${warning}`);
  const images = await target.images(around);
  const run = nameRunFolder(target.group);
  const scratch = await makeScratch('run');
  /** @type {import('./capture/capture.js').Capture | null} */
  let capture = null;
  try {
    await noteRun(scratch, run.folder);
    const ready = await target.prepare({ run, images, scratch, ...around });
    capture = await captureOf({
      isWanted: target.capture,
      project: target.project,
      loadS: loadDuration(ready.shape),
      ...{ images: target.imageMode, ...around },
    });
    const manifest = await beginManifest(checks, { run: run.id, ...ready.facts, images_mode: images.mode });
    const { down, env, built } = ready;
    const recorded = await recordRun({ down, env, folder: run.folder, manifest, progress, signal }, () =>
      measure({ target, ready, run, manifest, progress, signal, injection, watcher, capture }),
    );
    return { ...recorded, images: built };
  } finally {
    await capture?.clear();
    await target.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * @param {Required<Pick<RunOptions, 'progress' | 'signal' | 'injection'>> & Pick<RunOptions, 'watcher'> & { target: Target, ready: Ready, run: RunFolder, manifest: import('./recorded-run.js').Manifest, capture: import('./capture/capture.js').Capture | null }} options
 */
async function measure({ target, ready, run, manifest, progress, signal, injection, watcher, capture }) {
  const { system, loadSystem, generators, driver, env, shape } = ready;
  const { folder, rawFolder, writtenFolder } = run;
  progress.say('bringing the stack up');
  const up = await ready.bringUp(capture?.begin);
  const { stack, way } = up;
  Object.assign(manifest, up.facts);
  manifest.warnings = [.../** @type {string[]} */ (manifest.warnings), ...up.notes];
  const over = new AbortController();
  const during = { stack, shape, system, signal, over: over.signal };
  if (capture !== null) await up.probe();
  await checkPutting(target.faults, stack);
  await injection.whenUp?.(during);
  let injected = Promise.resolve();
  let put = Promise.resolve();
  const bringQuotasBack = await liftQuotas(stack, ready.liftedTiers);
  const balancer = openBalancer(stack, rawFolder);
  const onSettled = async () => {
    await bringQuotasBack();
    await balancer.read();
    put = putFaults(target.faults, manifest, { signal, over: over.signal, system });
    injected = injection.duringLoad(Number(manifest.load_began_s), during);
    // Awaited below; a failure before that must not be an unhandled one.
    injected.catch(() => {});
  };
  await watchLoad({
    ...{ system, stack, rawFolder, manifest, progress, watcher },
    describe: (services) => ({ services: describeServices(services), ...describeEdges(services, way) }),
    load: async (when) => {
      const [versions, table] = await Promise.all([
        readVersions(system, stack, ready.generatorImage),
        balancer.keepConf(),
        balancer.read(),
      ]);
      manifest.versions = versions;
      if (table?.slots) watcher?.limit(table.name, table.slots);
      progress.say(`load: ${shape.title}${pagesOf(watcher, target.dashboard ? driver.livePage : '')}`);
      const driven = { system: loadSystem, generators, env, stack, shape, rawFolder, writtenFolder, progress };
      const generated = await up.driven((until) => driver.drive({ ...driven, ...when, signal: until, onSettled }));
      if (generated.length > 1) manifest.generators = generated;
      else if (generated.length > 0) manifest.generator_exit_code = generated[0].exit_code;
      over.abort();
      await Promise.all([injected, put]);
      manifest.load_ended_s = Date.now() / 1000;
      await balancer.read();
      const drained = await drainQueue(stack, { say: progress.say, signal });
      if (drained !== null) manifest.drained = drained;
      const outages = system.deployment?.outages ?? [];
      if (outages.length > 0) manifest.outages = outages;
    },
    collect: async (services) => {
      await capture?.stop();
      const missing = await collect({ system, services, groups: up.stopOrder(services), folder });
      await balancer.close();
      await capture?.write(join(rawFolder, `${RAW.wire}.gz`));
      return [...(capture?.notes ?? []), ...missing, ...up.notesAfter()];
    },
  });
}
