/**
 * Brings an architecture's stack up until every service is healthy, and takes it down until nothing is left.
 */
import { NotReadyError } from '../define/errors.js';
import { composeWith, down } from './compose.js';
import { docker, listContainers, listLeftovers, listServices, readLog } from './docker.js';

const UP_LIMIT_MS = 120_000;
const LAST_LINES = 12;

/**
 * @param {{ profiles: string[], env: Record<string, string>, signal: AbortSignal }} options
 * @returns {Promise<import('./docker.js').Service[]>}
 * @throws {NotReadyError} naming the container that failed, with the last lines of its log
 */
export async function bringUp({ profiles, env, signal }) {
  const result = await composeWith(profiles, ['up', '--detach', '--wait', '--no-build', '--pull', 'never'], {
    env,
    limitMs: UP_LIMIT_MS,
    signal,
  });
  signal.throwIfAborted();
  if (result.failed)
    throw new NotReadyError(await explainFailedStart(String(result.all ?? '')), 'mend what the lines above name, then run this again.');
  return listServices();
}

/** @param {string} output of Compose */
async function explainFailedStart(output) {
  const parts = [`The stack did not start (it has ${UP_LIMIT_MS / 1000} s to become healthy).`];
  for (const container of await listContainers()) {
    const { State: state } = await docker.getContainer(container.Id).inspect();
    const well = state.Running && (state.Health === undefined || state.Health.Status === 'healthy');
    if (well) continue;
    const how = state.Running
      ? `is ${state.Health?.Status}`
      : `exited with code ${state.ExitCode}${state.OOMKilled ? ' (out of memory)' : ''}`;
    parts.push(`${container.Names[0]?.slice(1)} ${how}; the last lines of its log:`);
    parts.push(indent((await readLog(container.Id, LAST_LINES)).trim() || '(it wrote nothing)'));
  }
  if (parts.length === 1) parts.push(indent(output.trim().split('\n').slice(-LAST_LINES).join('\n')));
  return parts.join('\n');
}

/** @param {string} text */
const indent = (text) => text.replace(/^/gm, '    ');

/**
 * @param {Record<string, string>} env
 * @returns {Promise<string[]>} what is still there afterwards; empty when all is gone
 */
export async function takeDown(env) {
  await down(env);
  const left = await listLeftovers();
  if (left.length === 0) return [];
  // A container that was just being created when Compose looked is found the second time.
  await down(env);
  return listLeftovers();
}
