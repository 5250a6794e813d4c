/**
 * Puts planned faults into a run, each at its moment, and keeps when each was really there.
 *
 * @typedef {import('../../options/fault-plan.js').PlannedFault} PlannedFault
 * @typedef {import('../../options/fault-plan.js').PutFault} PutFault
 * @typedef {import('../../options/faults.js').Action} Action
 */
import { checkCutting } from './cut-off.js';
import { act } from './deeds.js';
import { checkDelaying, checkLosing } from './impair.js';

const CONTAINER_ID = /\bcontainer [0-9a-f]{64}\b/i;

/** What begins a fault, and what ends it. @type {Record<import('../../options/fault-plan.js').Kind, [Action['action'], Action['action'] | null]>} */
const DEEDS = {
  kill: ['kill', 'start'],
  stop: ['stop', 'start'],
  restart: ['restart', null],
  pause: ['pause', 'unpause'],
  cpu: ['quota', 'quota'],
  cut: ['cut', 'join'],
  loss: ['lose', 'lose-no-more'],
  delay: ['delay', 'delay-no-more'],
  update: ['update', null],
  drain: ['drain', 'activate'],
};

/** What tells whether this machine can do it, of those that not every machine can. */
const CHECKS = /** @type {const} */ ({ cut: checkCutting, loss: checkLosing, delay: checkDelaying });

/**
 * @param {PlannedFault} fault
 * @returns {Action[]} in the order of time
 */
export function actionsOf({ kind, service, cores, share, delay_ms: delayMs, other, at_s: at, lasts_s: lasts }) {
  const [first, last] = DEEDS[kind];
  const whose = { service, ...(other === null ? {} : { other }) };
  const how = {
    ...(cores === null ? {} : { cores }),
    ...(share === null ? {} : { share }),
    ...(delayMs === null ? {} : { delay_ms: delayMs }),
  };
  // A quota that is told with neither is again what it was; what is lost no more is told as it was begun.
  return [
    { after_s: at, action: first, ...whose, ...how },
    ...(lasts === null || last === null ? [] : [{ after_s: at + lasts, action: last, ...whose, ...(last === 'quota' ? {} : how) }]),
  ];
}

/**
 * Told before the load.
 * @param {readonly PlannedFault[]} faults
 * @param {import('../../docker/containers.js').Service[]} stack
 * @throws {import('../../base/errors.js').NotReadyError} when this machine cannot do one of them
 */
export async function checkPutting(faults, stack) {
  for (const [kind, check] of Object.entries(CHECKS)) {
    const ends = faults.filter((fault) => fault.kind === kind).flatMap(({ service, other }) => [service, other]);
    await check(stack.filter(({ name }) => ends.includes(name)));
  }
}

/**
 * @param {readonly PlannedFault[]} faults
 * @param {import('../recorded-run.js').Manifest} manifest  which says when the load began, and gets `faults` while it goes on
 * @param {{ signal: AbortSignal, over?: AbortSignal, system: import('../../docker/system.js').System }} options  over: aborts when the load has ended
 * @returns {Promise<void>} when all are over, or the signal has aborted; never rejected: a fault that fails is on the record as such
 */
export async function putFaults(faults, manifest, options) {
  if (faults.length === 0) return;
  /** @type {PutFault[]} */
  const put = faults.map((fault) => ({ ...fault, began_s: null, ended_s: null, failed: null }));
  manifest.faults = put;
  const beganS = Number(manifest.load_began_s);
  await Promise.all(put.map((fault) => putOne(fault, beganS, options)));
}

/** @type {(fault: PutFault, beganS: number, options: Parameters<typeof putFaults>[2]) => Promise<void>} */
async function putOne(fault, beganS, { signal, over, system }) {
  const actions = actionsOf(fault);
  let left = actions.length;
  try {
    await act(actions, beganS, signal, {
      system,
      over,
      onDone: (_, askedS, doneS) => {
        fault.began_s ??= askedS;
        left -= 1;
        if (left === 0) fault.ended_s = doneS;
      },
    });
  } catch (error) {
    if (!signal.aborted) fault.failed = whyNot(error);
  }
}

/** The engine's own words, with neither its HTTP status nor a container's id, which nobody can look up afterwards. @param {any} error */
function whyNot(error) {
  const said = String(error?.json?.message ?? error?.message ?? error);
  return said.split('\n')[0].trim().replace(CONTAINER_ID, 'the container');
}
