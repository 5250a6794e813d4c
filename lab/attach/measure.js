/**
 * One run of a user's own system, under its own Compose files and a project name of its own: the counterpart of measureRun. Leaves
 * `manifest.json` and `raw/` in the run's folder, and nothing of the stack.
 *
 * @typedef {import('./project-schema.js').Project} Project
 *
 * @typedef {object} ProjectSettings
 * @property {string} name         the system's, which its runs lie under
 * @property {number} seed
 * @property {import('../define/settings.js').ImageMode} images  where the generator's comes from
 * @property {'refuse' | 'allow'} busy
 * @property {boolean} dashboard    k6's own page, while the load runs
 * @property {boolean} [capture]    what passes its networks is recorded, unless doubletake.yaml says otherwise; true unless given
 * @property {boolean} allowData   the user has said that what a run could harm may be harmed
 * @property {readonly import('../define/fault-plan.js').PlannedFault[]} faults  put in while the load goes on
 * @property {string} command      that repeats the run
 * @property {string} budget       cores by service in words
 * @property {import('./run-options.js').RunOptions} options  what is given in the place of what doubletake.yaml says
 * @property {string} [group]     folder below reports/ that the run's folder is made in; the system's unless given
 *
 * @typedef {object} ProjectOptions
 * @property {string} folder       of doubletake.yaml, absolute
 * @property {Project} project
 * @property {ProjectSettings} settings
 * @property {SideRun | null} [side]  of a comparison; null for a run of the folder as it is
 * @property {import('../measure/progress.js').Progress} progress
 * @property {AbortSignal} signal  aborts when the user interrupts
 * @property {import('./injection.js').Injection} [injection]  a fault to put in
 * @property {import('../measure/recorded-run.js').Watcher} [watcher]  who shows it while it goes on, and where
 *
 * @typedef {object} SideRun
 * @property {import('../define/arms.js').Arm} arm
 * @property {string} folder       of its Compose files, absolute
 * @property {string} root         that holds all of its revision; of no revision it is that folder
 * @property {string} group        folder below reports/ that the run's folder is made in
 * @property {Record<string, string>} kept  ids of the images that were built for its runs so far, by service
 *
 * @typedef {import('./own-script.js').OwnScript} OwnScript
 * @typedef {import('./checked-system.js').CheckedSystem} CheckedSystem
 * @typedef {import('../measure/run-folder.js').RunFolder} RunFolder
 * @typedef {import('../measure/system.js').System} System
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDuration } from '../../k6/lib/shapes.js';
import { captureOf } from '../capture/run-capture.js';
import { checkFaults } from '../define/fault-plan.js';
import { GENERATOR_NAME, RAW } from '../define/paths.js';
import { readK6Version } from '../measure/components.js';
import { readImageFile } from '../measure/container-file.js';
import { containerNames } from '../measure/container-names.js';
import { drivers } from '../measure/drivers.js';
import { ensureGenerator, imageEnvironment } from '../measure/images.js';
import { preflight } from '../measure/preflight.js';
import { readProductVersions } from '../measure/products.js';
import { checkPutting, putFaults } from '../measure/put-faults.js';
import { pagesOf, recordRun, watchLoad } from '../measure/recorded-run.js';
import { nameRunFolder } from '../measure/run-folder.js';
import { makeScratch, noteRun } from '../measure/scratch.js';
import { labelledSystem } from '../measure/system.js';
import { FileTail } from '../measure/tail.js';
import { bringUpOwn } from './bring-up.js';
import { checkSystem, systemOf } from './checked-system.js';
import { collectOwn } from './collect-own.js';
import { copiesOf, writeCopies } from './configurations.js';
import { describeContainers, describeEdges, describeRequest, describeTiers } from './describe.js';
import { FILES } from './fill-folders.js';
import { refusalOfScript, unlessAllFail } from './first-requests.js';
import { ownGeneratorFor } from './generator.js';
import { withImageEnvironment } from './image-environment.js';
import { becauseOf, NO_INJECTION } from './injection.js';
import { openView, refusedNotes } from './open-view.js';
import { GENERATOR, generatorServices, LEAST_COMPOSE, overlayText, PAGE_PORT, rawFoldersOf } from './overlay.js';
import { ownImages } from './own-images.js';
import { ownManifest } from './own-manifest.js';
import { makeOwnRecord, writeRequests } from './own-record.js';
import { scriptOfProject } from './own-script.js';
import { prepareImages } from './prepare-images.js';
import { probeListed } from './probe.js';
import { entryUrls } from './project-schema.js';

const PAGE_HOST = '127.0.0.1';
/** Of the scratch folder. */
const COPIES = 'copies';

/**
 * @param {ProjectOptions} options
 * @returns {Promise<{ folder: string, interrupted: boolean, images: Record<string, string> }>} the run's folder, and the ids of the
 *   images that were built, by service; interrupted runs keep what was measured
 * @throws {import('../define/errors.js').NotReadyError} when the files, the machine or the stack are not ready
 * @throws {import('../define/errors.js').NotInjectedError} when a fault keeps the system from coming up, or cannot be put in
 */
export async function measureProject({ folder, project, settings, side = null, progress, signal, injection = NO_INJECTION, watcher }) {
  const { say } = progress;
  const checked = injection.change(await checkSystem({ folder, project, side, allowData: settings.allowData, options: settings.options }));
  for (const note of checked.notes) say(`note: ${note}`);
  const checks = await preflight({
    project: checked.runProject,
    leastCompose: LEAST_COMPOSE,
    disk: folder,
    published: async () => (settings.dashboard ? [{ service: GENERATOR_NAME, port: PAGE_PORT, host: PAGE_HOST }] : []),
    busy: settings.busy,
    ...(settings.options.users === null ? {} : { users: settings.options.users }),
    say,
    signal,
  });
  for (const warning of checks.warnings) say(`note: ${warning}`);
  const images = await ensureGenerator({ mode: settings.images, say, signal });
  /** @type {import('../capture/capture.js').Capture | null} */
  let capture = null;
  const names = ownImages(checked.models, folder, side?.arm.id);
  const run = nameRunFolder(side?.group ?? settings.group ?? settings.name);
  const scratch = await makeScratch('run');
  const copiesFolder = join(scratch, COPIES);
  /** @type {import('../measure/engine-view.js').EngineView | null} */
  let view = null;
  try {
    view = await openView(checked.copy.view, scratch);
    const { runProject } = checked;
    const script = await scriptOfProject({ project, folder, runProject, image: images.variables.K6_IMAGE, scratch, say });
    // It is then what k6 says of the script.
    if (script) checked.shape = script.shape;
    checkFaults(settings.faults, { services: namesOf(checked.models), durationS: loadDuration(checked.shape) });
    capture = await captureOf({
      isWanted: settings.capture !== false && project.capture !== 'off',
      project: checked.runProject,
      loadS: loadDuration(checked.shape),
      ...{ images: settings.images, say, signal },
    });
    // Not in the record: it has what the user's commands and the adapters' settings have.
    const overlay = join(scratch, 'overlay.yaml');
    const generator = await ownGeneratorFor({ checked, project, settings, run, image: images.variables.K6_IMAGE, script });
    const writeOverlay = () => {
      const { models, parts, copy } = checked;
      const changes = copy.changes(join(scratch, FILES));
      return writeFile(
        overlay,
        overlayText({
          models,
          project,
          parts,
          run: { ...run, copiesFolder, images: names, cpus: settings.options.budget ?? {}, generator, changes },
        }),
      );
    };
    await writeOverlay();
    const { supplies } = checked;
    const system = systemOf({ project: runProject, folder, files: [...project.compose, overlay], side, supplies });
    const built = await prepareImages({ system, models: checked.models, names, kept: side?.kept, say, signal });
    // They are there now, and so is what they set themselves.
    checked.parts = await withImageEnvironment({ ...checked, project }, ({ service, image }) => imageEnvironment(names[service] ?? image));
    await writeOverlay();
    await noteRun(scratch, run.folder);
    await becauseOf(injection, makeRecord({ checked, names, run, copiesFolder, system, say }));
    const manifest = await ownManifest({
      ...{ checked, project, settings, run, checks },
      ...{ arm: side?.arm, fault: injection.fault, imagesMode: images.mode },
    });
    const down = labelledSystem(runProject);
    const recorded = await recordRun({ down, env: {}, folder: run.folder, manifest, progress, signal }, () =>
      measure({
        ...{ checked, project, settings, system, image: images.variables.K6_IMAGE, scratch, script, run, manifest },
        ...{ progress, signal, injection, watcher, capture, view },
      }),
    );
    return { ...recorded, images: built };
  } finally {
    await capture?.clear();
    await view?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** What the figures of its containers will be called. @param {CheckedSystem['models']} models */
const namesOf = (models) =>
  containerNames(
    models.flatMap(({ service, replicas }) => Array.from({ length: replicas }, (_, index) => ({ name: service, number: index + 1 }))),
  );

/**
 * What is wrong with a configuration is told before there is a folder.
 * @param {{ checked: CheckedSystem, names: Record<string, string>, run: RunFolder, copiesFolder: string, system: System, say: (text: string) => void }} options
 */
async function makeRecord({ checked: { models, parts, requests, originals, generators }, names, run, copiesFolder, system, say }) {
  const imageOf = (/** @type {string} */ name) => names[name] ?? models.find(({ service }) => service === name)?.image ?? '';
  const copies = await copiesOf(originals, ({ service, path }) => readImageFile(system, imageOf(service), path));
  for (const { service, changes } of copies) for (const change of changes) say(`changed in ${service} for this run: ${change}`);
  const services = models.map(({ service }) => service);
  await writeCopies(copies, copiesFolder);
  await writeRequests(join(copiesFolder, GENERATOR), requests);
  await makeOwnRecord(run, { services, generators, folders: rawFoldersOf(parts, { ...run, copiesFolder }) });
}

/** How the first requests of a script are looked at. @param {{ checked: CheckedSystem, project: Project, writtenFolder: string }} options */
function firstOf({ checked: { loadLine: line }, project, writtenFolder }) {
  const { load } = project;
  const tail = new FileTail(join(writtenFolder, RAW.k6Log));
  /** @type {Parameters<typeof unlessAllFail>[0]['refuse']} */
  const refuse = (failed) => refusalOfScript({ failed, script: String(load.script), line, entry: entryUrls(project)[0] });
  return { read: () => tail.read(), refuse };
}

/**
 * @param {object} options
 * @param {CheckedSystem} options.checked
 * @param {Project} options.project
 * @param {ProjectSettings} options.settings
 * @param {System} options.system
 * @param {string} options.image  of the generator
 * @param {string} options.scratch  folder
 * @param {OwnScript | null} options.script  null where the load is no script
 * @param {RunFolder} options.run
 * @param {import('../measure/recorded-run.js').Manifest} options.manifest
 * @param {import('../measure/progress.js').Progress} options.progress
 * @param {AbortSignal} options.signal
 * @param {import('./injection.js').Injection} options.injection
 * @param {ProjectOptions['watcher']} [options.watcher]
 * @param {import('../capture/capture.js').Capture | null} options.capture
 * @param {import('../measure/engine-view.js').EngineView | null} options.view  of the engine, that services have in the place of its socket
 */
async function measure({
  checked,
  project,
  settings,
  system,
  image,
  scratch,
  script,
  run,
  manifest,
  progress,
  signal,
  injection,
  watcher,
  capture,
  view,
}) {
  const { rawFolder, writtenFolder, folder } = run;
  const { shape } = checked;
  progress.say('bringing the stack up');
  // With a fault in it a system may fail whatever it is asked.
  const mayFail = injection.fault !== null;
  const {
    stack,
    notes,
    requests,
    project: own,
  } = await becauseOf(
    injection,
    bringUpOwn({ checked, project, system, image, scratch, mayFail, whenCreated: capture?.begin, say: progress.say, signal }),
  );
  manifest.warnings = [.../** @type {string[]} */ (manifest.warnings), ...checked.differs, ...notes];
  checked.requests = requests;
  manifest.system = { .../** @type {object} */ (manifest.system), ...describeTiers(own), requests: requests.map(describeRequest) };
  await writeRequests(join(scratch, COPIES, GENERATOR), requests);
  const over = new AbortController();
  const during = { stack, shape, system, signal, over: over.signal };
  if (capture !== null) await probeListed({ checked, project, containers: stack, signal });
  await checkPutting(settings.faults, stack);
  await injection.whenUp(during);
  /** @type {Promise<void>} */
  let injected = Promise.resolve();
  let put = Promise.resolve();
  await watchLoad({
    system,
    stack,
    rawFolder,
    manifest,
    progress,
    watcher,
    describe: (containers) => ({ services: describeContainers(containers, own), edges: describeEdges(containers, own) }),
    load: async (when) => {
      const [versions, k6] = await Promise.all([readProductVersions(stack), readK6Version(system, image)]);
      manifest.versions = { ...versions, k6 };
      progress.say(`load: ${shape.title}${pagesOf(watcher, settings.dashboard ? drivers.k6.livePage : '')}`);
      const onSettled = async () => {
        put = putFaults(settings.faults, manifest, { signal, over: over.signal, system });
        injected = injection.duringLoad(Number(manifest.load_began_s), during);
        // Awaited below; a failure before that must not be an unhandled one.
        injected.catch(() => {});
      };
      const driven = {
        system,
        generators: generatorServices(checked.generators),
        env: {},
        stack,
        shape,
        rawFolder,
        writtenFolder,
        progress,
      };
      const drive = (/** @type {AbortSignal} */ until) => drivers.k6.drive({ ...driven, ...when, signal: until, onSettled });
      const isJudged = script?.isKnownAtOnce === true && !mayFail && settings.faults.length === 0;
      const generated = await (isJudged
        ? unlessAllFail({ ...firstOf({ checked, project, writtenFolder }), signal }, drive)
        : drive(signal));
      if (generated.length > 1) manifest.generators = generated;
      else manifest.generator_exit_code = generated[0].exit_code;
      over.abort();
      await Promise.all([injected, put]);
      manifest.load_ended_s = Date.now() / 1000;
    },
    collect: async (containers) => {
      await capture?.stop();
      const missing = await collectOwn({ system, containers, project, folder });
      await capture?.write(join(rawFolder, `${RAW.wire}.gz`));
      return [...(capture?.notes ?? []), ...missing, ...refusedNotes(checked.copy.view, view)];
    },
  });
}
