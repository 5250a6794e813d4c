/**
 * A user's own system, under its own Compose files and a project name of its own, as a target of a run.
 *
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 *
 * @typedef {object} ProjectSettings
 * @property {string} name         the system's, which its runs lie under
 * @property {number} seed
 * @property {import('../../options/settings.js').ImageMode} images  where the generator's comes from
 * @property {'refuse' | 'allow'} busy
 * @property {boolean} dashboard    k6's own page, while the load runs
 * @property {boolean} [capture]    what passes its networks is recorded, unless doubletake.yaml says otherwise; true unless given
 * @property {boolean} allowData   the user has said that what a run could harm may be harmed
 * @property {readonly import('../../options/fault-plan.js').PlannedFault[]} faults  put in while the load goes on
 * @property {string} command      that repeats the run
 * @property {string} budget       cores by service in words
 * @property {import('../../target/run-options.js').RunOptions} options  what is given in the place of what doubletake.yaml says
 * @property {MeasuredRun} [measured]  where the rate was asked for as a share
 *
 * @typedef {object} MeasuredRun    of what it served a rate is a share
 * @property {number} rate         requests a second, what the share comes to
 * @property {string} share        what it is a share of, in words
 * @property {string} said         a sentence
 * @property {string} shown        its folder, as it would be typed
 * @property {import('../components.js').RunImage[]} images  of its containers
 *
 * @typedef {object} ProjectRun
 * @property {string} folder       of doubletake.yaml, absolute
 * @property {Project} project
 * @property {ProjectSettings} settings
 * @property {ArmCheckout | null} [arm]  of a comparison; null for a run of the folder as it is
 * @property {string} [group]      folder below reports/ that the run's folder is made in; the system's unless given
 * @property {import('../run-target.js').Injection} [injection]  a fault to put in
 *
 * @typedef {object} ArmCheckout
 * @property {import('../../options/accepted-options.js').Arm} arm
 * @property {string} folder       of its Compose files, absolute
 * @property {string} root         that holds all of its revision; of no revision it is that folder
 * @property {Record<string, string>} kept  ids of the images that were built for its runs so far, by service
 *
 * @typedef {import('../../load/user-script.js').UserScript} UserScript
 * @typedef {import('./checked-system.js').CheckedSystem} CheckedSystem
 * @typedef {import('../../docker/scratch.js').RunFolder} RunFolder
 * @typedef {import('../run-target.js').Target} Target
 * @typedef {import('../../docker/containers.js').System} System
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDuration } from '../../../k6/lib/shapes.js';
import { NotInjectedError, NotReadyError } from '../../base/errors.js';
import { GENERATOR_NAME, RAW } from '../../base/paths.js';
import { entryUrls } from '../../catalog/project-schema.js';
import { LISTED } from '../../catalog/scenarios.js';
import { readImageFile } from '../../docker/ask-container.js';
import { containerNames, labelledSystem } from '../../docker/containers.js';
import { ensureGenerator, imageEnvironment } from '../../docker/images.js';
import { FileTail } from '../../docker/scratch.js';
import { drivers } from '../../load/drivers.js';
import { refusalOfScript, unlessAllFail } from '../../load/first-requests.js';
import { projectGeneratorFor } from '../../load/generator.js';
import { scriptOfProject } from '../../load/user-script.js';
import { checkFaults } from '../../options/fault-plan.js';
import { copiesOf, describeRequest, describeSystem, describeTiers, wayOf, writeCopies } from '../../target/describe.js';
import { makeProjectRecord, projectImages, writeRequests } from '../../target/generators.js';
import { GENERATOR, generatorServices, overlayText, PAGE_PORT, rawFoldersOf } from '../../target/overlay.js';
import { partOf } from '../../target/project-schema.js';
import { NO_INJECTION } from '../run-target.js';
import { checkSystem, systemOf } from './checked-system.js';
import { probeListed } from './failing-load.js';
import { FILES, openView, refusedNotes } from './open-view.js';
import { withFault } from './planned-faults.js';
import { bringUpStack, prepareImages, refuseOtherImages } from './prepare-images.js';
import { openStoredIds } from './stored-ids.js';

/**
 * What an image sets in the environment of its containers. A variable that the overlay gives takes the place of the image's own, so that an
 * adapter which adds to one has to know what is there; and an image is only known when it is built or pulled.
 *
 * @typedef {import('../../target/compose-model.js').AttachedService} AttachedService
 * @typedef {import('../../adapters/contract.js').OverlayPart} OverlayPart
 */

/**
 * @param {{ models: AttachedService[], project: import('../../catalog/project-schema.js').Project, parts: Record<string, OverlayPart> }} checked
 * @param {(model: AttachedService) => Promise<Record<string, string>>} environmentOf  its image's
 * @returns {Promise<Record<string, OverlayPart>>} the parts, those that give variables with what the images have of them
 */
export async function withImageEnvironment({ models, project, parts }, environmentOf) {
  const reported = await Promise.all(
    models
      .filter(({ service }) => parts[service]?.environment)
      .map(async (model) => {
        const environment = { ...(await environmentOf(model)), ...model.environment };
        return [model.service, { ...parts[model.service], environment: partOf({ ...model, environment }, project).environment }];
      }),
  );
  return { ...parts, ...Object.fromEntries(reported) };
}

/**
 * What is not ready though it was without the fault is so because of it.
 * @template T
 * @param {Pick<import('../run-target.js').Injection, 'fault'>} injection
 * @param {Promise<T>} prepared
 * @returns {Promise<T>}
 * @throws {NotInjectedError}
 */
export async function becauseOf({ fault }, prepared) {
  try {
    return await prepared;
  } catch (error) {
    if (fault === null || !(error instanceof NotReadyError)) throw error;
    throw new NotInjectedError(`the system does not come up with it: ${error.message.split('\n')[0]}`);
  }
}

const PAGE_HOST = '127.0.0.1';
/** Of the scratch folder. */
const COPIES = 'copies';
/** Of a load that is a script of the user's own. */
const SCRIPT_SCENARIO = 'script';

/**
 * @param {ProjectRun} given
 * @param {(text: string) => void} say
 * @returns {Promise<Target>}
 * @throws {import('../../base/errors.js').NotReadyError} when the files are at fault
 * @throws {import('../../base/errors.js').NotInjectedError} when a fault cannot be put in
 */
export async function projectTarget({ folder, project, settings, arm = null, group = settings.name, injection = NO_INJECTION }, say) {
  const checked = withFault(
    await checkSystem({ folder, project, arm, allowData: settings.allowData, options: settings.options }),
    injection.put,
  );
  const durationS = project.load.script === undefined ? loadDuration(checked.shape) : Number.POSITIVE_INFINITY;
  checkFaults(settings.faults, { services: namesOf(checked.models), durationS });
  for (const note of checked.notes) say(`note: ${note}`);
  /** @type {import('../../docker/http-answer.js').EngineView | null} */
  let view = null;
  const given = { folder, project, settings, arm, injection, checked };
  return {
    project: checked.runProject,
    group,
    needs: {
      disk: folder,
      published: async () => (settings.dashboard ? [{ service: GENERATOR_NAME, port: PAGE_PORT, host: PAGE_HOST }] : []),
      ...(settings.options.users === null ? {} : { users: settings.options.users }),
    },
    busy: settings.busy,
    capture: settings.capture !== false && project.capture !== 'off',
    dashboard: settings.dashboard,
    faults: settings.faults,
    injection,
    imageMode: settings.images,
    images: (around) => ensureGenerator({ mode: settings.images, ...around }),
    prepare: async ({ run, images, scratch, ...around }) => {
      // Of the engine, that services have in the place of its socket.
      view = await openView(checked.copy.view, scratch);
      const image = images.variables.K6_IMAGE;
      const { system, script, built } = await prepareSystem(given, { run, image, scratch, ...around });
      return {
        system,
        down: labelledSystem(checked.runProject),
        loadSystem: system,
        generators: generatorServices(checked.generators),
        driver: drivers.k6,
        env: {},
        generatorImage: image,
        built,
        shape: checked.shape,
        liftedTiers: [],
        facts: factsOf(given),
        bringUp: async (whenCreated) => {
          const up = await bringUpProject(given, { run, system, image, scratch, script, whenCreated, ...around });
          return { ...up, notesAfter: () => [...refusedNotes(checked.copy.view, view), ...up.notesAfter()] };
        },
      };
    },
    close: async () => view?.close(),
  };
}

/**
 * @typedef {Required<Omit<ProjectRun, 'group'>> & { checked: CheckedSystem }} Given
 * @typedef {{ run: RunFolder, image: string, scratch: string, say: (text: string) => void, signal: AbortSignal }} Around  image: of the generator
 */

/**
 * Makes the overlay, the images and the run's folder.
 * @type {(given: Given, around: Around) => Promise<{ system: System, script: UserScript | null, built: Record<string, string> }>}
 */
async function prepareSystem({ folder, project, settings, arm, injection, checked }, { run, image, scratch, say, signal }) {
  const { runProject, supplies } = checked;
  const copiesFolder = join(scratch, COPIES);
  const names = projectImages(checked.models, folder, arm?.arm.id);
  const script = await scriptOfProject({ project, folder, runProject, image, scratch, say });
  // It is then what k6 says of the script.
  if (script) {
    checked.shape = script.shape;
    checkFaults(settings.faults, { services: namesOf(checked.models), durationS: loadDuration(checked.shape) });
  }
  // Not in the record: it has what the user's commands and the adapters' settings have.
  const overlay = join(scratch, 'overlay.yaml');
  const generator = await projectGeneratorFor({ checked, project, settings, run, image, script });
  const writeOverlay = () => {
    const { models, parts, copy } = checked;
    const changes = copy.changes(join(scratch, FILES));
    const cpus = settings.options.budget ?? {};
    return writeFile(
      overlay,
      overlayText({ models, project, parts, run: { ...run, copiesFolder, images: names, cpus, generator, changes } }),
    );
  };
  await writeOverlay();
  const system = systemOf({ project: runProject, folder, files: [...project.compose, overlay], arm, supplies });
  const built = await prepareImages({ system, models: checked.models, names, kept: arm?.kept, say, signal });
  if (settings.measured) await refuseOtherImages(settings.measured);
  // They are there now, and so is what they set themselves.
  checked.parts = await withImageEnvironment({ ...checked, project }, ({ service, image: own }) => imageEnvironment(names[service] ?? own));
  await writeOverlay();
  await becauseOf(injection, makeRecord({ checked, names, run, copiesFolder, system, say }));
  return { system, script, built };
}

/** What the figures of its containers will be called. @param {CheckedSystem['models']} models */
const namesOf = (models) =>
  containerNames(
    models.flatMap(({ service, replicas }) => Array.from({ length: replicas }, (_, index) => ({ name: service, number: index + 1 }))),
  );

/**
 * What is wrong with a configuration is reported before there is a folder.
 * @param {{ checked: CheckedSystem, names: Record<string, string>, run: RunFolder, copiesFolder: string, system: System, say: (text: string) => void }} options
 */
async function makeRecord({ checked: { models, parts, requests, originals, generators }, names, run, copiesFolder, system, say }) {
  const imageOf = (/** @type {string} */ name) => names[name] ?? models.find(({ service }) => service === name)?.image ?? '';
  const copies = await copiesOf(originals, ({ service, path }) => readImageFile(system, imageOf(service), path));
  for (const { service, changes } of copies) for (const change of changes) say(`changed in ${service} for this run: ${change}`);
  const services = models.map(({ service }) => service);
  await writeCopies(copies, copiesFolder);
  await writeRequests(join(copiesFolder, GENERATOR), requests);
  await makeProjectRecord(run, { services, generators, folders: rawFoldersOf(parts, { ...run, copiesFolder }) });
}

/** @param {Given} given @returns {import('../run-target.js').RunFacts} */
const factsOf = ({ project, settings, arm, checked }) => ({
  architecture: settings.name,
  system: {
    ...describeSystem(project, { isFollowed: true, requests: checked.requests, proposal: checked.proposal, arm: arm?.arm }),
    fingerprints: checked.fingerprints,
  },
  target: entryUrls(project)[0],
  load: checked.load,
  shape: checked.shape,
  scenario: project.load.script === undefined ? LISTED : SCRIPT_SCENARIO,
  variables: checked.shape.unit === 'users' && project.load.script === undefined ? { USERS: String(checked.users) } : {},
  budget: settings.budget,
  quotas_cores: settings.options.budget ?? {},
  ...(project.load.script === undefined
    ? { think_time_s: checked.shape.model === 'open' ? 0 : checked.thinkTimeS }
    : { script: project.load.script }),
  ...(checked.client === null ? {} : { client: checked.client }),
  seed: settings.seed,
  integrity: settings.options.integrity,
  delay_ms: 0,
  command: settings.command,
});

/** @type {(given: Given, around: Around & { system: System, script: UserScript | null, whenCreated?: () => Promise<void> }) => Promise<import('../run-target.js').Up>} */
async function bringUpProject(given, { run, system, image, scratch, script, whenCreated, say, signal }) {
  const { project, settings, injection, checked } = given;
  // With a fault in it a system may fail whatever it is asked.
  const mayFail = injection.fault !== null;
  const up = await becauseOf(injection, bringUpStack({ checked, project, system, image, scratch, mayFail, whenCreated, say, signal }));
  const { stack, notes, requests, project: own } = up;
  checked.requests = requests;
  await writeRequests(join(scratch, COPIES, GENERATOR), requests);
  const how = settings.options.integrity ? project.integrity : undefined;
  const stored = await openStoredIds({ stack, how, mark: checked.mark, rawFolder: run.rawFolder, say, signal });
  const isJudged = script?.isKnownAtOnce === true && !mayFail && settings.faults.length === 0;
  return {
    stack,
    notes: [...checked.differs, ...notes, ...(settings.measured ? [settings.measured.said] : [])],
    facts: { system: { ...factsOf(given).system, ...describeTiers(own), requests: requests.map(describeRequest) } },
    way: wayOf(own),
    whenDriven: stored.whenDriven,
    notesAfter: () => stored.notes,
    probe: () => probeListed({ checked, project, containers: stack, signal }),
    driven: (drive) =>
      isJudged ? unlessAllFail({ ...firstOf({ checked, project, writtenFolder: run.writtenFolder }), signal }, drive) : drive(signal),
  };
}

/** How the first requests of a script are looked at. @param {{ checked: CheckedSystem, project: Project, writtenFolder: string }} options */
function firstOf({ checked: { loadLine: line }, project, writtenFolder }) {
  const { load } = project;
  const tail = new FileTail(join(writtenFolder, RAW.k6Log));
  /** @type {Parameters<typeof unlessAllFail>[0]['refuse']} */
  const refuse = (failed) => refusalOfScript({ failed, script: String(load.script), line, entry: entryUrls(project)[0] });
  return { read: () => tail.read(), refuse };
}
