/**
 * Runs k6 and follows its log while it runs.
 */
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GRACEFUL_STOP_S, loadDuration, loadStart, WARMUP_USERS } from '../../k6/shapes.js';
import { RunFailedError } from '../define/errors.js';
import { RAW } from '../define/paths.js';
import { composeWith } from './compose.js';
import { listServices } from './containers.js';
import { docker, readLog } from './docker.js';
import { LiveRequests } from './live-requests.js';
import { FileTail } from './tail.js';

const POLL_MS = 500;
/** A little less than a second, of which every other poll is just short. */
const SHOWN_EVERY_S = 0.9;
const CREATE_LIMIT_MS = 60_000;
/** k6 prepares 2,000 users before it starts; 10 s at half a core, more on a busy machine. */
const PREPARE_LIMIT_S = 120;
/** Beyond the load's own end: the summary, the export of k6's report. */
const FINISH_LIMIT_S = 60;
/** With its summary written k6 has ended, but a tab that is open on its own page keeps it. */
const LINGER_LIMIT_S = 5;
const STOP_LIMIT_S = 10;
const LAST_LINES = 15;
/** When the engine cannot say how k6 ended, its container is gone. */
const LOST_EXIT_CODE = -1;
/** The warm-up's last requests have 2 s to end, of the 3 s before the load. */
const SETTLED_BEFORE_LOAD_S = 0.8;

/**
 * @param {object} options
 * @param {import('./system.js').System} options.system
 * @param {string} options.generator  Compose's name of its service
 * @param {Record<string, string>} options.env
 * @param {import('../../k6/shapes.js').Shape} options.shape
 * @param {string} options.rawFolder
 * @param {import('./progress.js').Progress} options.progress
 * @param {(generator: import('./containers.js').Service) => Promise<void>} options.onCreated the generator's container runs
 * @param {(began: number) => void} options.onWarmupBegan  with the moment, seconds since 1970
 * @param {() => Promise<void>} options.onSettled  between warm-up and load, when no request is under way
 * @param {AbortSignal} options.signal
 * @throws {RunFailedError} when k6 does not start, ends before its load or does not end in time
 */
export async function runLoad({ system, generator, env, onCreated, ...options }) {
  const { signal } = options;
  const created = await startGenerator({ system, generator, env, signal });
  await onCreated(created);
  try {
    await follow({ created, ...options });
  } catch (error) {
    // k6 writes its summary when it is asked to stop, so what was measured is kept.
    await docker
      .getContainer(created.id)
      .stop({ t: STOP_LIMIT_S })
      .catch(() => {});
    throw error;
  }
}

/**
 * Starts k6 beside the stack, which is up.
 * @param {{ system: import('./system.js').System, generator: string, env: Record<string, string>, signal: AbortSignal }} options
 * @returns {Promise<import('./containers.js').Service>}
 * @throws {RunFailedError} when it does not start
 */
export async function startGenerator({ system, generator, env, signal }) {
  const up = ['up', '--detach', '--no-deps', '--no-build', '--pull', 'never', generator];
  const started = await composeWith(system, up, { env, limitMs: CREATE_LIMIT_MS, signal });
  signal.throwIfAborted();
  if (started.failed) throw new RunFailedError(`The load generator did not start:\n${started.all}`);
  const created = (await listServices(system)).find(({ tier }) => tier === 'generator');
  if (!created) throw new RunFailedError('The load generator is not among the containers.');
  return created;
}

/**
 * @typedef {Omit<Parameters<typeof runLoad>[0], 'system' | 'generator' | 'env' | 'onCreated'>} FollowOptions
 * @param {{ created: import('./containers.js').Service } & FollowOptions} options
 */
async function follow({ created, shape, rawFolder, progress, onWarmupBegan, onSettled, signal }) {
  const container = docker.getContainer(created.id);
  let exitCode = /** @type {number | null} */ (null);
  // One request that the engine answers at the end; asking it twice a second would cost the load.
  container.wait().then(
    ({ StatusCode }) => {
      exitCode = StatusCode;
    },
    () => {
      exitCode = LOST_EXIT_CODE;
    },
  );
  const requests = new LiveRequests();
  const tail = new FileTail(join(rawFolder, RAW.k6Log));
  const expectedS = loadStart(shape) + loadDuration(shape);
  const began = Date.now() / 1000;
  let startedAt = /** @type {number | null} */ (null);
  let shownAt = 0;
  let endedAt = /** @type {number | null} */ (null);
  let settled = false;

  for (;;) {
    await wait(POLL_MS, undefined, { signal });
    const now = Date.now() / 1000;
    if (startedAt === null) {
      startedAt = await readStart(rawFolder);
      if (startedAt !== null) onWarmupBegan(startedAt);
    }
    if (!settled && startedAt !== null && now - startedAt > loadStart(shape) - SETTLED_BEFORE_LOAD_S) {
      settled = true;
      await onSettled();
    }
    requests.feed(await tail.read(), now);
    const elapsedS = startedAt === null ? null : now - startedAt;
    if (now - shownAt >= SHOWN_EVERY_S) {
      shownAt = now;
      const [stage, users] = [stageName(shape, elapsedS), usersOf(shape, elapsedS)];
      progress.load({ stage, users, ...requests.figures(now), leftS: expectedS - (elapsedS ?? 0) });
    }

    if (exitCode !== null) {
      if (startedAt === null)
        throw new RunFailedError(`k6 ended before the load began (exit code ${exitCode}):\n${await lastWords(created.id, rawFolder)}`);
      return;
    }
    if (elapsedS !== null && elapsedS > expectedS && (await isThere(join(rawFolder, RAW.k6Summary)))) endedAt ??= now;
    const lingers = endedAt !== null && now - endedAt > LINGER_LIMIT_S;
    const overdue = startedAt === null ? now - began > PREPARE_LIMIT_S : now - startedAt > expectedS + GRACEFUL_STOP_S + FINISH_LIMIT_S;
    if (!lingers && !overdue) continue;
    await container.stop({ t: STOP_LIMIT_S });
    if (!lingers) throw new RunFailedError(`k6 did not end in time; the last lines of its log:\n${await lastWords(created.id, rawFolder)}`);
    return;
  }
}

/**
 * What k6 said last: to its container where it could not read its settings, else to its own log.
 * @param {string} id of its container
 * @param {string} rawFolder
 */
async function lastWords(id, rawFolder) {
  const said = await readLog(id, LAST_LINES);
  if (said.trim() !== '') return said;
  const log = await readFile(join(rawFolder, RAW.k6Log), 'utf8').catch(() => '');
  // The line of the start is filled up with blanks.
  return log.trim().replace(/ {2,}/g, ' ').split('\n').slice(-LAST_LINES).join('\n');
}

/**
 * The moment at which k6 had its users ready and began the warm-up, from the line that the scenario's setup writes.
 * @param {string} rawFolder
 * @returns {Promise<number | null>} seconds since 1970
 */
async function readStart(rawFolder) {
  const log = await readFile(join(rawFolder, RAW.k6Log), 'utf8').catch(() => '');
  return parseStart(log);
}

/** @param {string} log of k6, one JSON object a line, whose `msg` is what a scenario wrote */
export function parseStart(log) {
  const found = /\{\\"event\\":\\"start\\",\\"t\\":([\d.]+)\}/.exec(log);
  return found ? Number(found[1]) : null;
}

/** @param {string} path */
const isThere = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Users that the shape wants. Of a script of the user's own the lab knows no more than how many there are at most.
 * @param {import('../../k6/shapes.js').Shape} shape
 * @param {number | null} elapsedS since k6 began
 * @returns {number | null}
 */
export function usersOf(shape, elapsedS) {
  const { model, warmup_s: warmup, warmupUsers = WARMUP_USERS, stages } = shape;
  if (model !== 'closed' || warmup === 0 || elapsedS === null) return null;
  if (elapsedS < loadStart(shape)) return elapsedS < warmup ? warmupUsers : 0;
  let from = loadStart(shape);
  let users = stages[0].held ? stages[0].target : 1;
  for (const { duration_s: duration, target } of stages) {
    if (elapsedS < from + duration) return Math.round(users + ((target - users) * (elapsedS - from)) / duration);
    from += duration;
    users = target;
  }
  return null;
}

/** @type {(shape: import('../../k6/shapes.js').Shape, elapsedS: number | null) => string} */
function stageName(shape, elapsedS) {
  if (elapsedS === null) return 'preparing users';
  if (elapsedS < loadStart(shape)) return 'warm-up (not counted)';
  let end = loadStart(shape);
  for (const { duration_s: duration, target } of shape.stages) {
    end += duration;
    if (elapsedS < end) return `to ${target.toLocaleString('en-US')} ${shape.unit}`;
  }
  return 'last answers';
}
