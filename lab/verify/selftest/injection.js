/**
 * Puts a fault into a run: a changed copy of a file, another command, settings and variables of Compose, something done to a container.
 *
 * @typedef {import('../../adapters/faults.js').Put} Put
 * @typedef {import('../../run/attach/checked-system.js').CheckedSystem} CheckedSystem
 * @typedef {import('../../target/describe.js').Original} Original
 * @typedef {import('../../docker/containers.js').Service} Service
 * @typedef {import('../../options/faults.js').Action} Action
 */

import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDuration, loadStart } from '../../../k6/lib/shapes.js';
import { CALLER } from '../../adapters/faults.js';
import { adapterOf } from '../../adapters/registry.js';
import { faults as shipped } from '../../adapters/shipped-faults.js';
import { NotInjectedError, NotReadyError } from '../../base/errors.js';
import { ROOT } from '../../base/paths.js';
import { profileOf } from '../../catalog/architectures.js';
import { containerOf } from '../../docker/ask-container.js';
import { readConfig } from '../../docker/compose.js';
import { architectureSystem, compareNames } from '../../docker/containers.js';
import { causes } from '../../record/causes.js';
import { act } from '../../run/faults/fault-actions.js';
import { NO_INJECTION } from '../../run/run-target.js';
import { originalAt, projectService } from '../../target/describe.js';

/**
 * The faults that can be put in, each with what it has to make the diagnosis say: of a user's own system those that the adapters of its
 * services know, bound to these; else those of the shipped systems. Pure but for the files that it is given to read.
 *
 * @typedef {import('../../adapters/faults.js').Fault} Fault
 * @typedef {import('../../adapters/faults.js').ProductFault} ProductFault
 * @typedef {import('../../target/compose-model.js').AttachedService} AttachedService
 * @typedef {import('../../catalog/project-schema.js').Project} Project
 *
 * @typedef {object} PlannedFault
 * @property {string} id           of a user's system the control, or `<service>.<fault>`
 * @property {string} title
 * @property {import('../../options/faults.js').Demand} demand  of services by their names
 * @property {string} service      that it is of; empty where it names its services itself
 * @property {import('../../adapters/faults.js').Put | null} how  null for the control
 * @property {string | null} cannot  a clause that says why it cannot be put in
 */

export const CONTROL = 'control';

/** What a refusal says of a change that a fault makes; there is always the way to leave the fault out. */
const PURPOSE = { what: 'a change of its configuration', otherwise: 'leave the fault out' };

/**
 * @param {Pick<import('../../run/attach/checked-system.js').CheckedSystem, 'models' | 'parts'>} checked
 * @param {Project} project
 * @param {(file: string) => string | null} read  a file of this machine; null where it is not there
 * @returns {Map<string, PlannedFault>} by id, the control first
 */
export function planFaults({ models, parts }, project, read) {
  const passed = models.filter(({ service, replicas }) => replicas > 0 && projectService(project, service).tier !== 'other');
  const faults = firstsOf(passed, project).flatMap((model) => {
    const { product } = projectService(project, model.service);
    const found = adapterOf(product)?.faults?.(model) ?? [];
    return found.map((fault) => boundTo(fault, model, project, whyNot(fault, { model, part: parts[model.service] ?? {}, read })));
  });
  return new Map([control(), ...faults].map((fault) => [fault.id, fault]));
}

/** Of the systems that the lab brings along. @returns {Map<string, PlannedFault>} by id */
export const planShipped = () =>
  new Map(
    Object.entries(shipped).map(([id, fault]) => [id, { id, title: fault.title, demand: fault, service: '', how: fault, cannot: null }]),
  );

/** @returns {PlannedFault} a run in which nothing may be at fault */
const control = () => ({ id: CONTROL, title: 'nothing (control)', demand: { expected: [] }, service: '', how: null, cannot: null });

/** @type {(fault: ProductFault, model: AttachedService, project: Project, cannot: string | null) => PlannedFault} */
function boundTo(fault, { service }, project, cannot) {
  const { tier } = projectService(project, service);
  const expected = fault.expected.map(({ cause, tier: other }) => ({
    tier: /** @type {import('../../record/types.js').Tier} */ (other ?? tier),
    cause,
    ...(other === undefined ? { services: [service] } : {}),
    // What makes many failures of it is the system's own doing.
    amplifiers: Object.keys(causes),
    may: true,
  }));
  const misses = fault.near_misses?.map(({ ids, services = [service] }) => ({ ids, services }));
  const caller = project.edges.find(([, callee]) => callee === service)?.[0];
  const isOfWay = fault.actions?.some(({ other }) => other === CALLER);
  return {
    id: `${service}.${fault.id}`,
    title: fault.title,
    demand: { expected, least: fault.least, ...(misses ? { near_misses: misses } : {}) },
    service,
    how: { ...fault, actions: fault.actions?.map((action) => (action.other === CALLER ? { ...action, other: caller } : action)) },
    cannot: cannot ?? (isOfWay && caller === undefined ? 'nobody is known to ask it' : null),
  };
}

/**
 * Of services that are like each other only the first gets faults; it counts how many they are.
 * @param {AttachedService[]} models
 * @param {Project} project
 * @returns {AttachedService[]}
 */
function firstsOf(models, project) {
  /** @type {Map<string, AttachedService>} */
  const firsts = new Map();
  for (const model of models) {
    const key = kindOf(model, project);
    const first = firsts.get(key) ?? { ...model, replicas: 0 };
    firsts.set(key, { ...first, replicas: first.replicas + model.replicas });
  }
  return [...firsts.values()];
}

/** Two services are of one kind when nothing tells them apart but their names. @type {(model: AttachedService, project: Project) => string} */
function kindOf({ service, image, command, mounts }, project) {
  const { tier, product } = projectService(project, service);
  const askedBy = project.edges.filter(([, to]) => to === service).map(([from]) => from);
  const asks = project.edges.filter(([from]) => from === service).map(([, to]) => to);
  return JSON.stringify([tier, product, image, command, mounts, askedBy.toSorted(), asks.toSorted()]);
}

/** @type {(fault: ProductFault, about: { model: AttachedService, part: import('../../adapters/contract.js').OverlayPart, read: (file: string) => string | null }) => string | null} */
function whyNot({ cannot, change, command }, { model, part, read }) {
  if (cannot !== undefined) return cannot;
  if (command && command(part.command) === null) return 'it cannot be told which words of its command start the program';
  return change ? whyNoChange(change, model, read) : null;
}

/** A file of an image is read only when the image is there. @type {(change: import('../../adapters/faults.js').Change, model: AttachedService, read: (file: string) => string | null) => string | null} */
function whyNoChange({ path, name, changed, lacking }, model, read) {
  const configuration = { name, overlaid: (/** @type {string} */ text) => ({ text, changes: [] }) };
  try {
    const { file } = originalAt(model, { path, configuration, purpose: PURPOSE });
    const text = file === null ? null : read(file);
    if (file !== null && text === null) return `there is no file ${file}`;
    return text === null || changed(text) !== null ? null : lacking;
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    return error.message.split('\n')[0];
  }
}

/** By a label the lab knows what it made, and takes it down. */
const OF_THE_LAB = { 'doubletake.lab': 'yes' };
/** A container that does much may take long to start a program. */
const NEEDS_LIMIT_MS = 10_000;
/** What a command may take around the time that it is told to take, on a machine that is busy with the load. */
const AROUND_COMMAND_S = 60;

/**
 * @param {PlannedFault} fault
 * @param {(stack: Service[]) => Promise<void>} [whenUp]  called first, when the system is up
 * @returns {import('../../run/run-target.js').Injection}
 */
export function injectionOf({ id, title, service, how }, whenUp = async () => {}) {
  /** Done before the load, and perhaps still going on in it. @type {Promise<void>} */
  let before = Promise.resolve();
  return {
    fault: how === null ? null : { id, title },
    change: (checked) => (how === null ? checked : withChange(how, service, withCommand(how, service, checked))),
    besides: (architecture, folder) =>
      how === null ? NO_INJECTION.besides(architecture, folder) : besidesFiles(architecture, how, folder),
    whenUp: async ({ stack, shape, system, signal }) => {
      await whenUp(stack);
      if (how === null) return;
      before = act(actionsOf(how, containersIn(stack, service), shape, { before: true }), 0, signal, { system });
      // Awaited with the load; a failure before that must not be an unhandled one.
      before.catch(() => {});
    },
    duringLoad: async (beganS, { stack, shape, system, signal, over }) => {
      if (how === null) return;
      await act(actionsOf(how, containersIn(stack, service), shape, { before: false }), beganS, signal, { system, over });
      await before;
    },
  };
}

/**
 * Why a fault cannot be put into a system that is up.
 * @param {Pick<PlannedFault, 'service' | 'how'>} fault
 * @param {Service[]} stack
 * @param {(service: Service) => Pick<import('../../adapters/contract.js').Container, 'execute'>} [open]
 * @returns {Promise<string | null>} a clause; null when nothing is in its way
 */
export async function obstacleTo({ service, how }, stack, open = containerOf) {
  if (how?.needs === undefined) return null;
  const { command, otherwise } = how.needs;
  const answer = await open(firstOf(stack, service))
    .execute(command, NEEDS_LIMIT_MS)
    .catch(() => null);
  return answer?.exitCode === 0 ? null : otherwise;
}

/** @param {Service[]} stack @param {string} service @throws {NotInjectedError} */
function firstOf(stack, service) {
  const [first] = stack.filter((container) => container.service === service).toSorted((one, other) => compareNames(one.name, other.name));
  if (first) return first;
  throw new NotInjectedError(`${service} has no container`);
}

/**
 * The containers of a fault of one service: that service's first, or another's. One that names its services names their containers.
 * @type {(stack: Service[], service: string) => (named: string | undefined) => string}
 */
const containersIn = (stack, service) => (named) => (service === '' ? String(named) : firstOf(stack, named ?? service).name);

/** @type {(how: Pick<Put, 'command'>, service: string, checked: CheckedSystem) => CheckedSystem} */
export function withCommand({ command }, service, checked) {
  const part = checked.parts[service] ?? {};
  const whole = command?.(part.command);
  return whole ? { ...checked, parts: { ...checked.parts, [service]: { ...part, command: whole } } } : checked;
}

/** @type {(how: Pick<Put, 'title' | 'change'>, service: string, checked: CheckedSystem) => CheckedSystem} */
export function withChange({ title, change }, service, checked) {
  if (change === undefined) return checked;
  const { path, name } = change;
  const { parts, originals, models } = checked;
  const overlaid = changedBy(change, title);
  const laid = originals.find((original) => original.service === service && original.path === path);
  if (laid) return { ...checked, originals: originals.map((original) => (original === laid ? inFrontOf(laid, overlaid) : original)) };
  const model = models.find((candidate) => candidate.service === service);
  if (model === undefined) throw new NotInjectedError(`${service} is no service of the system`);
  const part = parts[service] ?? {};
  const mount = { source: `raw:${name}`, target: path, readOnly: true };
  return {
    ...checked,
    originals: [...originals, originalAt(model, { path, configuration: { name, overlaid }, purpose: PURPOSE })],
    parts: { ...parts, [service]: { ...part, mounts: [...(part.mounts ?? []), mount] } },
  };
}

/** @type {(change: import('../../adapters/faults.js').Change, title: string) => Original['configuration']['overlaid']} */
const changedBy = (change, title) => (text) => {
  const changed = change.changed(text);
  if (changed === null) throw new NotInjectedError(change.lacking);
  return { text: changed, changes: [`${title}.`] };
};

/** The lab's own changes come after the fault's, so that it is watched as ever. @type {(laid: Original, overlaid: Original['configuration']['overlaid']) => Original} */
function inFrontOf(laid, overlaid) {
  const { name, overlaid: watched } = laid.configuration;
  const both = (/** @type {string} */ text) => {
    const fault = overlaid(text);
    const whole = watched(fault.text);
    return { text: whole.text, changes: [...fault.changes, ...whole.changes] };
  };
  return { ...laid, configuration: { name, overlaid: both } };
}

/**
 * @param {Pick<Put, 'actions'>} how
 * @param {(service: string | undefined) => string} containerFor  the name of the container that a service stands for
 * @param {import('../../../k6/lib/shapes.js').Shape} shape
 * @param {{ before: boolean }} when  before: those that are done before the load; else those in it
 * @returns {Action[]}
 */
export function actionsOf({ actions = [] }, containerFor, shape, { before }) {
  const loadS = loadDuration(shape);
  // What begins before the load has to go on for what comes before it too.
  const aheadS = before ? loadStart(shape) : 0;
  return actions
    .filter(({ at }) => (at === 'up') === before)
    .map(({ at, service, other, lasts = 0, command, ...action }) => ({
      after_s: at === 'up' ? 0 : at * loadS,
      service: containerFor(service),
      ...action,
      ...(other === undefined ? {} : { other: containerFor(other) }),
      ...(command ? executed(command, lasts * loadS + aheadS) : {}),
    }));
}

/** @type {(command: (seconds: number) => string[], seconds: number) => Pick<Action, 'command' | 'limit_s'>} */
const executed = (command, seconds) => ({ command: command(seconds), limit_s: Math.ceil(seconds) + AROUND_COMMAND_S });

/**
 * What Compose is told of a fault beside an architecture's own file.
 * @param {string} architecture
 * @param {Put} how
 * @param {string} folder  that the files lie in
 */
async function besidesFiles(architecture, how, folder) {
  const byName = await serviceNames(architecture);
  const copy = how.change ? await changedFolder(how.change, folder) : null;
  const override = join(folder, 'fault.yaml');
  // JSON is YAML.
  await writeFile(override, JSON.stringify(overrideOf(how, byName, copy)));
  return { files: [override], variables: how.variables ?? {} };
}

/**
 * @param {Pick<Put, 'services' | 'networks' | 'change'>} how
 * @param {Record<string, string>} byName  label doubletake.name to Compose's service
 * @param {string | null} copy             folder with what is changed
 */
export function overrideOf({ services = {}, networks = [], change }, byName, copy) {
  /** @type {Record<string, any>} */
  const own = Object.fromEntries(Object.entries(services).map(([name, settings]) => [byName[name], settings]));
  if (change?.service && copy) {
    const changed = byName[change.service];
    own[changed] = { ...own[changed], volumes: [`${copy}:${change.path}:ro`] };
  }
  return { services: own, networks: Object.fromEntries(networks.map((name) => [name, { labels: OF_THE_LAB }])) };
}

/** @param {string} architecture @returns {Promise<Record<string, string>>} label doubletake.name to Compose's service */
async function serviceNames(architecture) {
  const { services } = await readConfig(architectureSystem(architecture, [profileOf(architecture), 'load']), {});
  return Object.fromEntries(Object.entries(services).map(([service, { labels }]) => [labels['doubletake.name'], service]));
}

/** @type {(change: import('../../adapters/faults.js').Change, folder: string) => Promise<string>} of the changed copy */
export async function changedFolder({ name, changed }, folder) {
  const target = join(folder, name);
  await cp(join(ROOT, name), target, { recursive: true });
  for (const file of (await readdir(target)).filter((one) => one.endsWith('.conf'))) {
    const text = await readFile(join(target, file), 'utf8');
    await writeFile(join(target, file), changed(text) ?? text);
  }
  return target;
}
