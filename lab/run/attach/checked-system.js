/**
 * All that can be said of a user's system before anything is changed: what its files are, whether doubletake.yaml still fits them,
 * what a run could harm, and what it will send.
 *
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 * @typedef {import('../../target/compose-model.js').AttachedService} AttachedService
 * @typedef {import('./project-target.js').SideRun} SideRun
 * @typedef {import('../../target/supplied-config.js').Supplies} Supplies
 * @typedef {import('../../target/run-options.js').RunOptions} RunOptions
 *
 * @typedef {Checked & import('../../target/run-options.js').AskedLoad} CheckedSystem  the shape of a script is what k6 says of it, which is asked later
 *
 * @typedef {object} Checked
 * @property {string} runProject  Compose's name of the run
 * @property {AttachedService[]} models
 * @property {import('../../../k6/lib/request-list.js').ListedRequest[]} requests  of the load
 * @property {Record<string, string>} headers  that each is sent with; their values are for nobody but the generator
 * @property {Record<string, import('../../adapters/contract.js').OverlayPart>} parts  by service, what its adapter asks for
 * @property {import('../../target/configurations.js').Original[]} originals  of which changed copies are laid over the services' own
 * @property {number} loadLine    of doubletake.yaml, in which it is said where the load's requests come from
 * @property {Pick<import('../../target/own-copy.js').OwnCopy, 'config' | 'changes' | 'folders' | 'secrets'> & { view: import('../../target/engine-sockets.js').View | null }} copy
 *   what the run has in place of what is the user's; view: of the engine, null where no service needs it
 * @property {import('../../adapters/observed-system.js').Proposal} proposal  what init would write today
 * @property {string[]} notes     a sentence for each thing that is worth knowing, and no fault
 * @property {Pick<Supplies, 'flags' | 'env' | 'copies'>} [supplies]  what Compose is told beside the files
 * @property {string[]} differs   of these, in what the copy is another system than the user's
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { relaysSocket, writesRoutes } from '../../adapters/found-servers.js';
import { everyAdapter } from '../../adapters/registry.js';
import { NotReadyError } from '../../base/errors.js';
import { refuseExpansion } from '../../catalog/alias-expansion.js';
import { lineOfSource } from '../../catalog/project-file.js';
import { entryUrls, LOAD_DEFAULTS, PROJECT_FILE } from '../../catalog/project-schema.js';
import { listInUse } from '../../docker/containers.js';
import { newRunProject } from '../../docker/system.js';
import { refuseElsewhere, requestsOf } from '../../load/load-requests.js';
import { changed, together } from '../../target/compose-changes.js';
import { serviceModels } from '../../target/compose-model.js';
import { originalsOf } from '../../target/configurations.js';
import { dangersOf, refuseDangers } from '../../target/dangers.js';
import { entryServices, projectService } from '../../target/describe.js';
import { detectTiers, proposalOf } from '../../target/detect.js';
import { withDockerfiles } from '../../target/dockerfile.js';
import { aboutView, viewFor, withView } from '../../target/engine-sockets.js';
import { lookWith } from '../../target/folder-state.js';
import { aboutLeftOut, leftOut, withoutServices } from '../../target/left-out.js';
import { withNamedFiles } from '../../target/named-files.js';
import { ANYWHERE, copyOf } from '../../target/own-copy.js';
import { checkProject } from '../../target/project-check.js';
import { partOf } from '../../target/project-part.js';
import { askedLoad, checkBudget, NO_OPTIONS } from '../../target/run-options.js';
import { readSupplied, suppliedSystem } from '../../target/supplied-config.js';
import { refuseTakenNames } from '../../target/taken-names.js';
import { configFingerprint } from './fingerprint.js';
import { ownNameOf } from './open-view.js';

/** The load of a script of the user's own. */
const SCRIPT = 'script';

/**
 * @param {{ folder: string, project: Project, side: SideRun | null, allowData: boolean, options?: RunOptions }} options  folder: of doubletake.yaml
 * @returns {Promise<CheckedSystem>}
 * @throws {import('../../base/errors.js').NotReadyError} naming the first thing that keeps it from being run
 */
export async function checkSystem({ folder, project, side, allowData, options }) {
  const runProject = newRunProject();
  const cwd = side?.folder ?? folder;
  refuseExpansion(cwd, project.compose);
  const given = { project: runProject, folder: cwd, files: project.compose, env: side?.arm.variables };
  const { config, supplies, doubts } = await readSupplied(given, readIfThere);
  if (side) refuseChanged(side, configFingerprint(config, { runProject, root: side.root }));
  const read = (/** @type {string} */ file) => readIfThere(resolve(folder, file));
  const look = lookWith(await listInUse());
  const own = await ownNameOf(config, given, supplies);
  const checked = checkConfig(config, { project, allowData, options, read, folder: cwd, look, own });
  const { changes } = checked.copy;
  const copy = { ...checked.copy, changes: (/** @type {string} */ filesFolder) => together(supplies.changes, changes(filesFolder)) };
  return {
    ...{ runProject, ...checked, copy, supplies },
    notes: [...supplies.said, ...doubts, ...checked.notes],
    differs: [...supplies.said, ...checked.differs],
  };
}

/**
 * The files of the folder as it is, or of one side of a comparison.
 * @param {{ project: string, folder: string, files: string[], side: SideRun | null, supplies?: Pick<Supplies, 'flags' | 'env' | 'copies'> }} given
 */
export const systemOf = ({ project, folder, files, side, supplies = { flags: [], env: {} } }) =>
  suppliedSystem({ project, folder: side?.folder ?? folder, files, env: side?.arm.variables }, supplies);

/**
 * All runs of a side are of one thing, or they could not be held against those of the other.
 * @param {Pick<SideRun, 'arm'>} side
 * @param {string} found  fingerprint
 * @throws {NotReadyError}
 */
export function refuseChanged({ arm }, found) {
  if (found === arm.own?.fingerprint) return;
  throw new NotReadyError(
    `${arm.id}: expected Compose to make of its files what it made before the first run; it makes something else of them now.`,
    'take back what was changed in the files, in .env or in the variables of this shell, or begin anew.',
  );
}

/** Of what a service of these is, its folder is data. @type {import('../../catalog/project-schema.js').ProjectTier[]} */
const KEEPING = ['database', 'queue', 'cache'];

/**
 * @param {any} original  as Compose has resolved the files under the run's own project name
 * @param {object} options
 * @param {Project} options.project
 * @param {boolean} options.allowData
 * @param {RunOptions} [options.options]  what is given in the place of what the project says
 * @param {(file: string) => string | null} options.read  a file of the project's folder
 * @param {string} [options.folder]  of the Compose files
 * @param {import('../../target/folder-state.js').Look} [options.look]
 * @param {string} [options.own]  Compose's name of the user's own stack
 * @returns {Omit<CheckedSystem, 'runProject'>}
 * @throws {import('../../base/errors.js').NotReadyError}
 */
export function checkConfig(
  original,
  { project, allowData, options = NO_OPTIONS, read, folder = '/', look = lookWith(), own = original.name },
) {
  const { copy, dangers, differs, without } = copyFor(original, { project, allowData, folder, look, own });
  const unnamed = checkProject(project, serviceModels(original), everyAdapter, without);
  refuseDangers(dangers, { allowData });
  const models = asWritten(serviceModels(copy.config), original);
  const asked = askedLoad(project.load, options);
  refuseTakenNames(models, asked.generators);
  checkBudget(options.budget, models);
  const { requests, headers, notes } = requestsOf(project.load, read, { entries: entryUrls(project), hosts: project.hosts });
  refuseElsewhere(requests, entryUrls(project)[0]);
  return {
    ...asked,
    models,
    requests,
    headers,
    parts: Object.fromEntries(models.map((model) => [model.service, partOf(model, project)])),
    originals: originalsOf(models, project),
    load: project.load.script === undefined ? asked.load : SCRIPT,
    proposal: proposalOf(detectTiers(withNamedFiles(withDockerfiles(models, original, read), original), everyAdapter)),
    loadLine: lineOfSource(read(PROJECT_FILE) ?? ''),
    copy,
    notes: [...differs, ...unnamed, ...dangers.map(({ service, what, why }) => `${service} ${what}: ${why}.`), ...notes],
    differs,
  };
}

/** As the manifest names it. @param {import('../../catalog/project-schema.js').ProjectLoad} load */
export const loadNameOf = ({ script, shape = LOAD_DEFAULTS.shape }) => (script === undefined ? shape : SCRIPT);

/**
 * The copy of a system, with what is left out of it.
 * @param {any} original
 * @param {{ project: Project, allowData?: boolean, folder: string, look: import('../../target/folder-state.js').Look, own?: string }} options  own: Compose's
 *   name of the user's own stack
 * @returns {{ copy: CheckedSystem['copy'], dangers: import('../../target/dangers.js').Danger[], differs: string[], without: string[] }} dangers: that the
 *   copy still has; without: services that are left out of it
 */
export function copyFor(original, { project, allowData = false, folder, look, own = original.name }) {
  const keepsData = (/** @type {string} */ service) => KEEPING.includes(projectService(project, service).tier);
  const { config, changes, folders, secrets, said } = copyOf(original, { data: project.data ?? {}, folder, look, keepsData });
  const all = dangersOf(config);
  const routing = serviceModels(config).filter((model) => relaysSocket(model) || writesRoutes(model));
  const needed = [...entryServices(project), ...project.edges.flat(), ...routing.map(({ service }) => service)];
  const without = allowData ? [] : leftOut(all, config, needed);
  const view = allowData || !look.sharesSockets ? null : viewFor(config, { original, without, own });
  const apart = withoutServices(without, config);
  const viewed = changed(config, together(withView(config, view, ANYWHERE), apart));
  const staying = Object.entries(viewed.services).filter(([service]) => !without.includes(service));
  const made = { ...viewed, services: Object.fromEntries(staying) };
  return {
    copy: {
      ...{ config: made, folders, secrets, view },
      changes: (filesFolder) => [changes(filesFolder), withView(config, view, filesFolder), apart].reduce(together),
    },
    dangers: dangersOf(made, look),
    differs: [...said, ...aboutView(view), ...aboutLeftOut(without, all, config)],
    without,
  };
}

/** Before it is known what they are. @type {(original: any, seen: { folder: string, look: import('../../target/folder-state.js').Look }) => AttachedService[]} */
export const modelsOfCopy = (original, seen) =>
  asWritten(serviceModels(copyOf(original, { ...seen, data: {}, keepsData: () => false }).config), original);

/**
 * What a file mounts says what its services are and where their configurations lie, whatever a copy has in the place of it.
 * @param {AttachedService[]} models
 * @param {any} original
 */
function asWritten(models, original) {
  const written = serviceModels(original);
  return models.map((model) => ({ ...model, mounts: written.find(({ service }) => service === model.service)?.mounts ?? model.mounts }));
}

/** @param {string} path @returns {string | null} */
export function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
