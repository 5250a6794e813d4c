/**
 * Puts a fault into a run of a user's own system: a changed copy of a file, another command, something done to a container.
 *
 * @typedef {import('./own-faults.js').OwnFault} OwnFault
 * @typedef {import('./own-faults.js').ProductFault} ProductFault
 * @typedef {import('../attach/checked-system.js').CheckedSystem} CheckedSystem
 * @typedef {import('../attach/configurations.js').Original} Original
 * @typedef {import('../measure/containers.js').Service} Service
 * @typedef {import('../define/faults.js').Action} Action
 */
import { loadDuration, loadStart } from '../../k6/lib/shapes.js';
import { originalAt } from '../attach/configurations.js';
import { NotInjectedError } from '../define/errors.js';
import { containerOf } from '../measure/ask-container.js';
import { compareNames } from '../measure/container-names.js';
import { act } from '../measure/deeds.js';
import { PURPOSE } from './own-faults.js';

/** A container that does much may take long to start a program. */
const NEEDS_LIMIT_MS = 10_000;
/** What a command may take around the time that it is told to take, on a machine that is busy with the load. */
const AROUND_COMMAND_S = 60;

/**
 * @param {OwnFault} fault
 * @param {(stack: Service[]) => Promise<void>} whenUp  called first, when the system is up
 * @returns {import('../attach/injection.js').Injection}
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
      before = act(actionsOf(how, firstOf(stack, service), shape, { before: true }), 0, signal, { system });
      // Awaited with the load; a failure before that must not be an unhandled one.
      before.catch(() => {});
    },
    duringLoad: async (beganS, { stack, shape, system, signal, over }) => {
      if (how === null) return;
      await act(actionsOf(how, firstOf(stack, service), shape, { before: false }), beganS, signal, { system, over });
      await before;
    },
  };
}

/**
 * Why a fault cannot be put into a system that is up.
 * @param {Pick<OwnFault, 'service' | 'how'>} fault
 * @param {Service[]} stack
 * @param {(service: Service) => Pick<import('../adapters/contract.js').Container, 'execute'>} [open]
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

/** @type {(how: ProductFault, service: string, checked: CheckedSystem) => CheckedSystem} */
export function withCommand({ command }, service, checked) {
  const part = checked.parts[service] ?? {};
  const whole = command?.(part.command);
  return whole ? { ...checked, parts: { ...checked.parts, [service]: { ...part, command: whole } } } : checked;
}

/** @type {(how: ProductFault, service: string, checked: CheckedSystem) => CheckedSystem} */
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

/** @type {(change: import('../adapters/faults.js').Change, title: string) => Original['configuration']['overlaid']} */
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
 * @param {ProductFault} how
 * @param {Pick<Service, 'name'>} container
 * @param {import('../../k6/lib/shapes.js').Shape} shape
 * @param {{ before: boolean }} when  before: those that are done before the load; else those in it
 * @returns {Action[]}
 */
export function actionsOf({ actions = [] }, { name }, shape, { before }) {
  const loadS = loadDuration(shape);
  // What begins before the load has to go on for what comes before it too.
  const aheadS = before ? loadStart(shape) : 0;
  return actions
    .filter(({ at }) => (at === 'up') === before)
    .map(({ at, action, lasts = 0, command }) => ({
      after_s: at === 'up' ? 0 : at * loadS,
      service: name,
      action,
      ...(command ? executed(command, lasts * loadS + aheadS) : {}),
    }));
}

/** @type {(command: (seconds: number) => string[], seconds: number) => Pick<Action, 'command' | 'limit_s'>} */
const executed = (command, seconds) => ({ command: command(seconds), limit_s: Math.ceil(seconds) + AROUND_COMMAND_S });
