/**
 * Brings a stack up until every service is healthy, and takes it down until nothing is left.
 */
import { NotReadyError } from '../define/errors.js';
import { composeWith, down } from './compose.js';
import { listContainers, listLeftovers, listServices } from './containers.js';
import { docker, readLog } from './docker.js';
import { architectureSystem, labelledSystem } from './system.js';

const UP_LIMIT_MS = 120_000;
const LAST_LINES = 12;

/** @typedef {import('./system.js').System} System */

/**
 * @param {object} options
 * @param {System} options.system
 * @param {string[]} [options.services]  those to be started, with what they depend on; every one of the active profiles unless given
 * @param {Record<string, string>} options.env
 * @param {number} [options.limitMs]  until all are healthy
 * @param {AbortSignal} options.signal
 * @returns {Promise<import('./containers.js').Service[]>}
 * @throws {NotReadyError} naming the container that failed, with the last lines of its log
 */
export async function bringUp({ system, services = [], env, limitMs = UP_LIMIT_MS, signal }) {
  const up = ['up', '--detach', '--wait', '--no-build', '--pull', 'never', ...services];
  const result = await composeWith(system, up, { env, limitMs, signal });
  signal.throwIfAborted();
  if (result.failed) {
    const found = await explainFailedStart(system, String(result.all ?? ''), limitMs);
    throw new NotReadyError(found, 'mend what the lines above name, then run this again.');
  }
  return listServices(system);
}

/** @typedef {{ running: boolean, exitCode: number, text: string }} Unwell */

/** @type {(system: System, output: string, limitMs: number) => Promise<string>} output: of Compose */
async function explainFailedStart(system, output, limitMs) {
  const parts = [`The stack did not start (it has ${limitMs / 1000} s to become healthy).`];
  const unwell = (await Promise.all((await listContainers(system)).map(explainContainer))).filter((found) => found !== null);
  // One that ended well may have been told to, and one that waits for a failed one has not begun: both stand here as ended with 0.
  const failed = unwell.filter(({ running, exitCode }) => running || exitCode !== 0);
  for (const { text } of failed.length > 0 ? failed : unwell) parts.push(text);
  if (parts.length === 1) parts.push(indent(output.trim().split('\n').slice(-LAST_LINES).join('\n')));
  return parts.join('\n');
}

/** @param {{ Id: string, Names: string[] }} container @returns {Promise<Unwell | null>} null for one that is well */
async function explainContainer({ Id: id, Names: names }) {
  const { State: state } = await docker.getContainer(id).inspect();
  // One that was never started waits for another, or for what Compose itself says.
  if (state.Status === 'created') return null;
  if (state.Running && (state.Health === undefined || state.Health.Status === 'healthy')) return null;
  const how = state.Running
    ? `is ${state.Health?.Status}`
    : `exited with code ${state.ExitCode}${state.OOMKilled ? ' (out of memory)' : ''}`;
  const log = (await readLog(id, LAST_LINES)).trim() || '(it wrote nothing)';
  return {
    running: state.Running,
    exitCode: state.ExitCode,
    text: `${names[0]?.slice(1)} ${how}; the last lines of its log:\n${indent(log)}`,
  };
}

/** @param {string} text */
const indent = (text) => text.replace(/^/gm, '    ');

/**
 * @param {Record<string, string>} env
 * @param {System} [system]  everything of the lab, of any run, unless given
 * @returns {Promise<string[]>} what is still there afterwards; empty when all is gone
 */
export async function takeDown(env, system) {
  await down(system ?? architectureSystem([]), env);
  const listLeft = async () => (await listLeftovers()).filter(({ project }) => system === undefined || project === system.project);
  // A container that was just being created when Compose looked is found the second time.
  const projects = new Set((await listLeft()).map(({ project }) => project));
  for (const project of projects) await down(labelledSystem(project), env);
  return projects.size === 0 ? [] : (await listLeft()).map(({ what }) => what);
}
