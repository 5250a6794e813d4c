/**
 * Containers of a stack that is coming up and are not well yet: what is to be done about them, and what is said of them.
 *
 * @typedef {import('./system.js').System} System
 *
 * @typedef {object} Unwell
 * @property {string} id
 * @property {string} service   Compose's name
 * @property {string} name      of the container
 * @property {'created' | 'starting' | 'unhealthy' | 'ended'} state  created: never started, because it waits for another
 * @property {number} exitCode
 * @property {boolean} isOutOfMemory
 * @property {boolean} isFramed  as the engine gives its log
 * @property {string} checkSays  the last output of its health check
 *
 * @typedef {object} Rules       what the files of the system say of ends before the load
 * @property {(service: string) => boolean} mayEnd     it may end well: a job
 * @property {(service: string, exitCode: number) => boolean} comesBack  it is started again when it ends so
 */
import { listContainers, serviceOf } from './containers.js';
import { containerById, readLog } from './docker.js';
import { checkOf, passes } from './health-check.js';
import { endsOf, READ_LINES } from './log-ends.js';

const CHECK_LINES = 4;

/** Of a stack whose files say nothing of ends: each has to stay. @type {Rules} */
export const EACH_STAYS = { mayEnd: () => false, comesBack: () => false };

/**
 * @param {System} system
 * @param {{ asks?: boolean }} [options]  asks: one that its engine has not found well yet is asked now
 * @returns {Promise<Unwell[]>}
 */
export async function listUnwell(system, { asks = false } = {}) {
  const containers = await listContainers(system);
  const all = await Promise.all(
    containers.map(async ({ Id: id, Names: names, Labels: labels }) => {
      const { State: state, Config: config } = await containerById(id).inspect();
      const wrong = stateOf(state);
      const check = asks && wrong === 'starting' ? checkOf(/** @type {import('./health-check.js').Configured} */ (config)) : null;
      if (wrong === null || (check !== null && (await passes(id, check)))) return [];
      return [
        {
          id,
          service: serviceOf(labels),
          name: names[0]?.slice(1) ?? id,
          state: wrong,
          exitCode: state.ExitCode,
          isOutOfMemory: state.OOMKilled,
          isFramed: !config.Tty,
          checkSays: (state.Health?.Log?.at(-1)?.Output ?? '').trim(),
        },
      ];
    }),
  );
  return all.flat();
}

/**
 * @param {{ Status: string, Running: boolean, Health?: { Status: string } }} state  as the engine tells it
 * @returns {Unwell['state'] | null} null for one that is well
 */
export function stateOf({ Status: status, Running: isRunning, Health: health }) {
  if (status === 'created') return 'created';
  if (!isRunning) return 'ended';
  // By the engine itself, after an end.
  if (status === 'restarting') return 'starting';
  if (health === undefined || health.Status === 'healthy' || health.Status === 'none') return null;
  return health.Status === 'starting' ? 'starting' : 'unhealthy';
}

/**
 * @param {Unwell[]} unwell
 * @param {Rules} rules
 * @returns {{ next: 'go' | 'wait' | 'again' | 'give up', ended: Unwell[] }} ended: those that are to be started again
 */
export function nextStep(unwell, { mayEnd, comesBack }) {
  const open = unwell.filter(({ service, state, exitCode }) => !(state === 'ended' && exitCode === 0 && mayEnd(service)));
  const failed = open.filter(({ state }) => state === 'ended' || state === 'unhealthy');
  const ended = failed.filter(({ state, service, exitCode }) => state === 'ended' && comesBack(service, exitCode));
  if (open.length === 0) return { next: 'go', ended };
  if (failed.length > ended.length) return { next: 'give up', ended };
  if (ended.length > 0) return { next: 'again', ended };
  // What nobody starts is waited for in vain.
  return { next: open.some(({ state }) => state === 'created') ? 'give up' : 'wait', ended };
}

/**
 * @param {Unwell[]} unwell
 * @param {Rules} [rules]
 * @returns {Promise<string[]>} what is to be said of each that something has to be done about, with lines of its log
 */
export function explainUnwell(unwell, { mayEnd } = EACH_STAYS) {
  // One that was never started waits for another, or for what Compose itself says.
  const isDone = (/** @type {Unwell} */ { state, exitCode, service }) => state === 'ended' && exitCode === 0 && mayEnd(service);
  const told = unwell.filter((one) => one.state !== 'created' && !isDone(one));
  // One that ended well may have been told to, and one that waits for a failed one has not begun: both stand here as ended with 0.
  const failed = told.filter(({ state, exitCode }) => state !== 'ended' || exitCode !== 0);
  return Promise.all((failed.length > 0 ? failed : told).map(explain));
}

/** @param {Unwell} unwell */
async function explain({ id, name, state, exitCode, isOutOfMemory, isFramed, checkSays }) {
  const how = state === 'ended' ? `exited with code ${exitCode}${isOutOfMemory ? ' (out of memory)' : ''}` : `is ${state}`;
  // Some drivers of logs give nothing back.
  const log = await readLog(id, READ_LINES, isFramed).catch((error) => `(its log cannot be read: ${error.message})`);
  const check = state === 'ended' || checkSays === '' ? '; the' : `; its health check says:\n${lastOf(checkSays, CHECK_LINES)}\n  The`;
  const { what, text } = endsOf(log.trim() || '(it wrote nothing)');
  return `${name} ${how}${check} ${what} of its log:\n${text}`;
}

/** @param {string} text @param {number} lines */
export const lastOf = (text, lines) => text.trim().split('\n').slice(-lines).join('\n').replace(/^/gm, '    ');
