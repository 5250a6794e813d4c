/**
 * The services of a stack on the Swarm: deployed with no container, started in the order in which they depend on each other.
 *
 * @typedef {import('./stack-file.js').Model} Model
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../../base/errors.js';
import { docker, readLog } from '../../docker/docker.js';
import { endsOf, READ_LINES } from '../../docker/log-ends.js';
import { dockerCommand } from './docker-command.js';

/** As long as Compose has for the same. */
const UP_LIMIT_MS = 120_000;
const LOOK_MS = 500;
/** Those from which a task does not come to run by itself (https://docs.docker.com/engine/swarm/how-swarm-mode-works/swarm-task-states/). */
const FAILED = ['failed', 'rejected', 'orphaned'];

/**
 * @param {string} stack  its name
 * @param {Record<string, any>} file  as the Docker command line takes it
 * @param {AbortSignal} signal
 */
export async function deploy(stack, file, signal) {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-stack-'));
  try {
    const path = join(folder, 'stack.json');
    // JSON is YAML.
    await writeFile(path, JSON.stringify(file));
    await dockerCommand(['stack', 'deploy', '--detach=true', '--resolve-image', 'never', '--compose-file', path, stack], { signal });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * What has to be there before what: a service comes after all that it depends on.
 * @param {Model['services']} services
 * @param {string[]} names  of those that are meant
 * @returns {string[][]} those of a wave start together
 */
export function wavesOf(services, names) {
  /** @type {string[][]} */
  const waves = [];
  let left = names;
  while (left.length > 0) {
    const next = left.filter((name) => !Object.keys(services[name].depends_on ?? {}).some((other) => left.includes(other)));
    // Compose has refused circles.
    if (next.length === 0) throw new Error(`${left.join(', ')} depend on each other`);
    waves.push(next);
    left = left.filter((name) => !next.includes(name));
  }
  return waves;
}

/**
 * Gives each service one container, and waits until it runs; where it has a health check, Swarm says so when it is well.
 * @param {string} stack
 * @param {string[]} names
 * @param {AbortSignal} signal
 * @throws {NotReadyError} naming one that does not come to run, with why
 */
export async function startServices(stack, names, signal) {
  await dockerCommand(['service', 'scale', '--detach', ...names.map((name) => `${stack}_${name}=1`)], { signal });
  const endsAt = Date.now() + UP_LIMIT_MS;
  let left = names;
  for (;;) {
    const states = await Promise.all(left.map(async (name) => ({ name, task: await newestTask(`${stack}_${name}`) })));
    const failed = states.find(({ task }) => FAILED.includes(task?.Status?.State ?? ''));
    const overdue = Date.now() > endsAt ? states.find(({ task }) => task?.Status?.State !== 'running') : undefined;
    if (failed ?? overdue) throw await notRunning(/** @type {State} */ (failed ?? overdue));
    left = states.filter(({ task }) => task?.Status?.State !== 'running').map(({ name }) => name);
    if (left.length === 0) return;
    await wait(LOOK_MS, undefined, { signal });
  }
}

/** @typedef {{ name: string, task: any }} State */

/** @param {string} service @returns {Promise<any>} undefined: Swarm has made none yet */
async function newestTask(service) {
  const tasks = await docker.listTasks({ filters: JSON.stringify({ service: [service] }) });
  return tasks.toSorted((/** @type {any} */ one, /** @type {any} */ other) => Date.parse(other.CreatedAt) - Date.parse(one.CreatedAt))[0];
}

/** @param {State} state */
async function notRunning({ name, task }) {
  const { State: state = 'not made', Err: why = '', Message: message = '' } = task?.Status ?? {};
  const id = task?.Status?.ContainerStatus?.ContainerID;
  const log = id ? await readLog(id, READ_LINES).catch(() => '') : '';
  const words = [`The stack did not start: ${name} is ${state} (${why || message || 'Swarm does not say why'}).`];
  if (log.trim() !== '') words.push(`The ${endsOf(log).what} of its log:`, endsOf(log).text);
  return new NotReadyError(words.join('\n'), '"docker node ls" and "docker service ps" say more.');
}
