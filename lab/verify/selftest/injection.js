/**
 * Puts a fault into a run: a changed copy of a file, another command, settings and variables of Compose, something done to a container.
 *
 * @typedef {import('./planned-faults.js').PlannedFault} PlannedFault
 * @typedef {import('../../adapters/faults.js').Put} Put
 * @typedef {import('../../run/attach/checked-system.js').CheckedSystem} CheckedSystem
 * @typedef {import('../../target/configurations.js').Original} Original
 * @typedef {import('../../docker/containers.js').Service} Service
 * @typedef {import('../../options/faults.js').Action} Action
 */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { delimiter, join } from 'node:path';
import { loadDuration, loadStart } from '../../../k6/lib/shapes.js';
import { NotInjectedError } from '../../base/errors.js';
import { ROOT } from '../../base/paths.js';
import { profileOf } from '../../catalog/architectures.js';
import { composeFileOf } from '../../catalog/shipped-services.js';
import { containerOf } from '../../docker/ask-container.js';
import { readConfig } from '../../docker/compose.js';
import { compareNames } from '../../docker/container-names.js';
import { architectureSystem } from '../../docker/system.js';
import { act } from '../../run/faults/deeds.js';
import { originalAt } from '../../target/configurations.js';
import { PURPOSE } from './planned-faults.js';

/** By a label the lab knows what it made, and takes it down. */
const OF_THE_LAB = { 'doubletake.lab': 'yes' };
/** A container that does much may take long to start a program. */
const NEEDS_LIMIT_MS = 10_000;
/** What a command may take around the time that it is told to take, on a machine that is busy with the load. */
const AROUND_COMMAND_S = 60;

/**
 * @param {PlannedFault} fault
 * @param {(stack: Service[]) => Promise<void>} whenUp  called first, when the system is up
 * @returns {import('../../run/attach/injection.js').Injection}
 */
export function injectionOf({ id, title, service, how }, whenUp) {
  /** Done before the load, and perhaps still going on in it. @type {Promise<void>} */
  let before = Promise.resolve();
  return {
    fault: how === null ? null : { id, title },
    change: (checked) => (how === null ? checked : withChange(how, service, withCommand(how, service, checked))),
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
 * @returns {Promise<{ variables: Record<string, string>, remove: () => Promise<void> }>}
 */
export async function composeWith(architecture, how) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-fault-'));
  const byName = await serviceNames(architecture);
  const copy = how.change ? await changedFolder(how.change, folder) : null;
  const override = join(folder, 'override.yaml');
  // JSON is YAML.
  await writeFile(override, JSON.stringify(overrideOf(how, byName, copy)));
  return {
    variables: { ...how.variables, COMPOSE_FILE: [composeFileOf(architecture), override].join(delimiter) },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
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
