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
 * @property {boolean} allowData   the user has said that what a run could harm may be harmed
 * @property {string} command      that repeats the run
 * @property {'none'} budget
 * @property {string} [group]     folder below reports/ that the run's folder is made in; the system's unless given
 *
 * @typedef {object} ProjectOptions
 * @property {string} folder       of doubletake.yaml, absolute
 * @property {Project} project
 * @property {ProjectSettings} settings
 * @property {import('../measure/progress.js').Progress} progress
 * @property {AbortSignal} signal  aborts when the user interrupts
 * @property {import('./injection.js').Injection} [injection]  a fault to put in
 *
 * @typedef {import('./own-script.js').OwnScript} OwnScript
 * @typedef {import('./checked-system.js').CheckedSystem} CheckedSystem
 * @typedef {import('../measure/run-folder.js').RunFolder} RunFolder
 * @typedef {import('../measure/system.js').System} System
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { readK6Version } from '../measure/components.js';
import { readImageFile } from '../measure/container-file.js';
import { labelOf } from '../measure/containers.js';
import { drivers } from '../measure/drivers.js';
import { ensureGenerator } from '../measure/images.js';
import { preflight } from '../measure/preflight.js';
import { recordRun, watchLoad } from '../measure/recorded-run.js';
import { nameRunFolder } from '../measure/run-folder.js';
import { bringUp } from '../measure/stack.js';
import { labelledSystem, ownSystem } from '../measure/system.js';
import { readProductVersions, sampleContainers } from './ask-adapters.js';
import { checkSystem } from './checked-system.js';
import { collectOwn } from './collect-own.js';
import { copiesOf, removeCopies } from './configurations.js';
import { describeContainers, describeEdges } from './describe.js';
import { generatorFor } from './generator.js';
import { becauseOf, NO_INJECTION } from './injection.js';
import { GENERATOR, LEAST_COMPOSE, overlayText, PAGE_PORT, rawFoldersOf } from './overlay.js';
import { ownImages } from './own-images.js';
import { beginManifest } from './own-manifest.js';
import { makeOwnRecord } from './own-record.js';
import { prepareScript } from './own-script.js';
import { prepareImages } from './prepare-images.js';
import { GENERATOR_NAME } from './taken-names.js';

/** For a user's services to become healthy; migrations of a database are among them. */
const UP_LIMIT_MS = 300_000;
const PAGE_HOST = '127.0.0.1';

/**
 * @param {ProjectOptions} options
 * @returns {Promise<{ folder: string, interrupted: boolean }>} the run's folder; interrupted runs keep what was measured
 * @throws {import('../define/errors.js').NotReadyError} when the files, the machine or the stack are not ready
 * @throws {import('../define/errors.js').NotInjectedError} when a fault keeps the system from coming up, or cannot be put in
 */
export async function measureProject({ folder, project, settings, progress, signal, injection = NO_INJECTION }) {
  const { say } = progress;
  const checked = injection.change(await checkSystem({ folder, project, allowData: settings.allowData }));
  for (const note of checked.notes) say(`note: ${note}`);
  const checks = await preflight({
    leastCompose: LEAST_COMPOSE,
    disk: folder,
    published: async () => [{ service: GENERATOR_NAME, port: PAGE_PORT, host: PAGE_HOST }],
    busy: settings.busy,
    say,
    signal,
  });
  for (const warning of checks.warnings) say(`note: ${warning}`);
  const images = await ensureGenerator({ mode: settings.images, say, signal });
  const run = nameRunFolder(settings.group ?? settings.name);
  const scratch = await mkdtemp(join(os.tmpdir(), 'doubletake-run-'));
  try {
    const script = await scriptOf({ checked, folder, project, image: images.variables.K6_IMAGE, scratch, say });
    // Not in the record: it has what the user's commands and the adapters' settings have.
    const overlay = join(scratch, 'overlay.yaml');
    await writeFile(overlay, await overlayFor({ checked, folder, project, settings, run, image: images.variables.K6_IMAGE, script }));
    const system = ownSystem({ project: checked.runProject, folder, files: [...project.compose, overlay] });
    await prepareImages({ system, models: checked.models, say, signal });
    await becauseOf(injection, makeRecord({ checked, folder, run, system, say }));
    const manifest = await beginManifest({ checked, project, settings, run, checks, imagesMode: images.mode, fault: injection.fault });
    const down = labelledSystem(checked.runProject);
    return await recordRun({ down, env: {}, folder: run.folder, manifest, progress, signal }, () =>
      measure({ checked, project, system, image: images.variables.K6_IMAGE, run, manifest, progress, signal, injection }),
    );
  } finally {
    await removeCopies(checked.originals, run.rawFolder);
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * @param {{ checked: CheckedSystem, folder: string, project: Project, settings: ProjectSettings, run: RunFolder, image: string, script: OwnScript | null }} options
 */
async function overlayFor({ checked: { models, parts, load, users, thinkTimeS }, folder, project, settings, run, image, script }) {
  const { seed } = settings;
  const generator = await generatorFor({ image, target: project.entry, shape: load, users, thinkTimeS, seed, user: run.user, script });
  return overlayText({ models, project, parts, run: { rawFolder: run.rawFolder, images: ownImages(models, folder), generator } });
}

/**
 * The shape of the load is then what k6 says of the script.
 * @param {{ checked: CheckedSystem, folder: string, project: Project, image: string, scratch: string, say: (text: string) => void }} options
 * @returns {Promise<OwnScript | null>} null where the load is no script
 */
async function scriptOf({ checked, folder, project, image, scratch, say }) {
  if (project.load.script === undefined) return null;
  // Its copies are mounted into a container whose user is another.
  await chmod(scratch, 0o755);
  const label = labelOf(labelledSystem(checked.runProject));
  const script = await prepareScript({ folder, script: project.load.script, image, label, scratch });
  for (const note of script.notes) say(`note: ${note}`);
  checked.shape = script.shape;
  return script;
}

/**
 * What is wrong with a configuration is told before there is a folder.
 * @param {{ checked: CheckedSystem, folder: string, run: RunFolder, system: System, say: (text: string) => void }} options
 */
async function makeRecord({ checked: { models, parts, requests, originals }, folder, run, system, say }) {
  const built = ownImages(models, folder);
  const imageOf = (/** @type {string} */ name) => built[name] ?? models.find(({ service }) => service === name)?.image ?? '';
  const copies = await copiesOf(originals, ({ service, path }) => readImageFile(system, imageOf(service), path));
  for (const { service, changes } of copies) for (const change of changes) say(`changed in ${service} for this run: ${change}`);
  const services = models.map(({ service }) => service);
  await makeOwnRecord(run, { services, folders: rawFoldersOf(parts, run.rawFolder), requests, copies });
}

/**
 * @param {object} options
 * @param {CheckedSystem} options.checked
 * @param {Project} options.project
 * @param {System} options.system
 * @param {string} options.image  of the generator
 * @param {RunFolder} options.run
 * @param {import('../measure/recorded-run.js').Manifest} options.manifest
 * @param {import('../measure/progress.js').Progress} options.progress
 * @param {AbortSignal} options.signal
 * @param {import('./injection.js').Injection} options.injection
 */
async function measure({ checked: { models, shape }, project, system, image, run, manifest, progress, signal, injection }) {
  const { rawFolder, folder } = run;
  progress.say('bringing the stack up');
  const services = models.filter(({ replicas }) => replicas > 0).map(({ service }) => service);
  const stack = await becauseOf(injection, bringUp({ system, services, env: {}, limitMs: UP_LIMIT_MS, signal }));
  const during = { stack, shape, system, signal };
  await injection.whenUp(during);
  /** @type {Promise<void>} */
  let injected = Promise.resolve();
  let closeSamples = async () => {};
  await watchLoad({
    system,
    stack,
    rawFolder,
    manifest,
    progress,
    describe: (containers) => ({ services: describeContainers(containers, project), edges: describeEdges(containers, project) }),
    observe: async (containers) => {
      const { stop, close } = await sampleContainers(containers, project, rawFolder);
      closeSamples = close;
      return [stop];
    },
    load: async (when) => {
      const versions = await readProductVersions(stack, project);
      manifest.versions = { ...versions, k6: await readK6Version(system, image) };
      progress.say(`load: ${shape.title}${drivers.k6.livePage}`);
      const onSettled = async () => {
        injected = injection.duringLoad(Number(manifest.load_began_s), during);
        // Awaited below; a failure before that must not be an unhandled one.
        injected.catch(() => {});
      };
      await drivers.k6.drive({ system, generator: GENERATOR, env: {}, stack, shape, rawFolder, progress, signal, ...when, onSettled });
      await injected;
      manifest.load_ended_s = Date.now() / 1000;
    },
    collect: async (containers) => {
      const missing = await collectOwn({ system, containers, project, folder });
      for (const sentence of missing) progress.say(`note: ${sentence}`);
      manifest.warnings = [.../** @type {string[]} */ (manifest.warnings), ...missing];
      await closeSamples();
    },
  });
}
