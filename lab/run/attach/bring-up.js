/**
 * Brings a user's system up until its entry answers, and not only until its containers run.
 *
 * @typedef {import('../../docker/containers.js').Service} Service
 */
import { statSync } from 'node:fs';
import { routesIn } from '../../adapters/found-servers.js';
import { NotReadyError } from '../../base/errors.js';
import { partsOfEntry } from '../../catalog/project-schema.js';
import { listServices } from '../../docker/containers.js';
import { bringUp, keeperOf } from '../../docker/stack.js';
import { quoteLog } from '../../docker/unwell.js';
import { candidatesIn } from '../../load/find-load.js';
import { entryServices, serviceOfEntry } from '../../target/describe.js';
import { aboutJobs, doneJobs, rulesOf, withoutJobs } from '../../target/ends.js';
import { healthPathOf } from '../../target/health-path.js';
import { publicNames } from '../../target/public-names.js';
import { aboutBound, startBound } from '../../target/start-bound.js';
import { readIfThere } from './checked-system.js';
import { FailingLoadError } from './failing-load.js';
import { fillFolders } from './fill-folders.js';
import { SilentEntryError, untilAnswered } from './first-answer.js';

/** Of files that could be the load, and of services whose logs are quoted, so many are named. */
const NAMED_MOST = 3;

/**
 * @param {object} options
 * @param {Pick<import('./checked-system.js').CheckedSystem, 'models' | 'requests' | 'headers' | 'loadLine' | 'copy' | 'proposal'>} options.checked
 * @param {import('../../catalog/project-schema.js').Project} options.project
 * @param {import('../../docker/system.js').System} options.system
 * @param {string} options.image    that is there, for containers that copy and never run
 * @param {string} options.scratch  folder of the run
 * @param {boolean} [options.mayFail]  a load whose every request fails is run all the same
 * @param {() => Promise<void>} [options.whenCreated]  its networks and containers are there, and nothing has started
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<{ stack: Service[], notes: string[], project: import('../../catalog/project-schema.js').Project, requests: import('../../../k6/lib/request-list.js').ListedRequest[], doors: import('./settle-load.js').Door[] }>}
 *   notes: a sentence for each folder that is not what it was to be, and for each request that will fail as it stands; project: in which jobs
 *   that are done are no tier; requests: of the load, as they are to be sent; doors: where it is asked, and how
 * @throws {import('../../base/errors.js').NotReadyError}
 */
export async function bringUpOwn({ checked, project, system, image, scratch, mayFail = false, whenCreated, say, signal }) {
  const { models, requests, headers, loadLine, copy, proposal } = checked;
  const differs = await fillFolders({ ...copy, system, image, scratch, say, signal });
  const services = models.filter(({ replicas }) => replicas > 0).map(({ service }) => service);
  const rules = rulesOf(models, project, proposal);
  const bound = startBound(copy.config);
  const about = aboutBound(bound);
  for (const sentence of about) say(`note: ${sentence}`);
  const limit = { limitMs: bound.limitMs, limitWhy: bound.why };
  await bringUp({ system, services, env: {}, rules, ...limit, whenCreated, say, signal });
  const look = keeperOf({ system, rules, say, signal });
  const list = () => listServices(system);
  const beside = () => {
    const { scripts, documents } = candidatesIn(system.cwd);
    const spelt = [...scripts.map(({ file }) => `script: ${file}`), ...documents.map(({ file }) => `openapi: ${file}`)];
    return spelt.slice(0, NAMED_MOST);
  };
  const line = mayFail ? null : loadLine;
  // A proxy that finds its servers has a certificate for the names that these ask to be known by.
  const names = [...new Set([...routesIn(models).flatMap(({ hosts }) => hosts), ...publicNames(models, configurationText)])];
  const healthPath = (/** @type {string} */ entry) =>
    healthPathOf(copy.config.services[serviceOfEntry(project, entry)] ?? {}, partsOfEntry(entry).port);
  const settled = untilAnswered({
    ...{ project, models, proposal, names, healthPath, requests, headers, line, beside, list, look, say, signal },
  });
  const answered = await settled.catch(async (error) => {
    const told = toldByLogs(error, project);
    throw told.length === 0 ? error : await withLogs(error, told, await list());
  });
  // What was started again has another process.
  const stack = await list();
  const jobs = doneJobs(stack, project);
  const notes = [...differs, ...about, ...answered.notes, ...aboutJobs(jobs)];
  for (const note of notes) if (!about.includes(note)) say(`note: ${note}`);
  const isDone = (/** @type {Service} */ { service }) => jobs.includes(service);
  return {
    stack: stack.map((one) => (isDone(one) ? { ...one, tier: 'observer' } : one)),
    notes,
    project: withoutJobs(project, jobs),
    requests: answered.requests,
    doors: answered.doors,
  };
}

/** A longer file is no configuration. */
const CONFIGURATION_MOST_BYTES = 65_536;

/** @param {string} path @returns {string | null} null where it is no file, or may not be read */
function configurationText(path) {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= CONFIGURATION_MOST_BYTES ? readIfThere(path) : null;
  } catch {
    return null;
  }
}

/**
 * Whose logs may say why: the entry's, and where it fails at what it asks others, theirs.
 * @param {unknown} error @param {import('../../catalog/project-schema.js').Project} project @returns {string[]} services
 */
export function toldByLogs(error, project) {
  const entries = entryServices(project);
  if (error instanceof SilentEntryError) return entries.slice(0, 1);
  if (!(error instanceof FailingLoadError && error.isServers)) return [];
  const services = [...entries];
  for (const asker of services)
    services.push(...project.edges.flatMap(([from, to]) => (from === asker && !services.includes(to) ? [to] : [])));
  return services.slice(0, NAMED_MOST);
}

/** @type {(error: NotReadyError, services: string[], stack: Service[]) => Promise<NotReadyError>} */
async function withLogs(error, services, stack) {
  const quoted = services.map(async (name) => {
    const container = stack.find(({ service, pid }) => service === name && pid > 0);
    const text = container ? await quoteLog(container.id).catch(() => '') : '';
    return text === '' ? [] : [`${name} runs; ${text}`];
  });
  const told = (await Promise.all(quoted)).flat();
  return told.length === 0 ? error : new NotReadyError([error.problem, ...told].join('\n'), error.remedy);
}
