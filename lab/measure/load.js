/**
 * Runs k6 and follows its record while it runs.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GRACEFUL_STOP_S, loadDuration, loadStart } from '../../k6/shapes.js';
import { RunFailedError } from '../define/errors.js';
import { RAW } from '../define/paths.js';
import { composeWith } from './compose.js';
import { listServices } from './containers.js';
import { docker, readLog } from './docker.js';
import { aggregateOf, countOf, K6Record } from './k6-record.js';
import { FileTail } from './tail.js';

const POLL_MS = 500;
const CREATE_LIMIT_MS = 60_000;
/** k6 prepares 2,000 users before it starts; 10 s at half a core, more on a busy machine. */
const PREPARE_LIMIT_S = 120;
/** Beyond the load's own end: the summary, the export of k6's report. */
const FINISH_LIMIT_S = 60;
/** An open dashboard tab keeps k6 from ending; its summary is written by then. */
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
  const record = new K6Record();
  const tail = new FileTail(join(rawFolder, RAW.k6Record));
  const expectedS = loadStart(shape) + loadDuration(shape);
  const began = Date.now() / 1000;
  let startedAt = /** @type {number | null} */ (null);
  let stoppedAt = /** @type {number | null} */ (null);
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
    const [latest] = record.feed(await tail.read()).slice(-1);
    if (latest) progress.load(statusOf(latest, { shape, startedAt, now, expectedS }));

    if (exitCode !== null) {
      if (startedAt === null)
        throw new RunFailedError(`k6 ended before the load began (exit code ${exitCode}):\n${await lastWords(created.id, rawFolder)}`);
      return;
    }
    if (record.stopped) stoppedAt ??= now;
    const lingers = stoppedAt !== null && now - stoppedAt > LINGER_LIMIT_S;
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

/** @type {(snapshot: import('./k6-record.js').Snapshot, at: { shape: import('../../k6/shapes.js').Shape, startedAt: number | null, now: number, expectedS: number }) => import('./progress.js').LoadStatus} */
function statusOf(snapshot, { shape, startedAt, now, expectedS }) {
  const finished = countOf(snapshot, 'lab_finished');
  const warm = countOf(snapshot, 'http_reqs');
  return {
    stage: stageName(shape, startedAt === null ? null : now - startedAt),
    users: aggregateOf(snapshot, 'vus', 'value'),
    rps: finished || warm,
    p95Ms: aggregateOf(snapshot, finished ? 'lab_latency_all' : 'http_req_duration', 'p(95)'),
    failureRate: finished ? countOf(snapshot, 'lab_failed') / finished : null,
    leftS: startedAt === null ? expectedS : expectedS - (now - startedAt),
  };
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
