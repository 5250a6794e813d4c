/**
 * Brings a user's system up until its entry answers, and not only until its containers run.
 *
 * @typedef {import('../measure/containers.js').Service} Service
 */
import { statSync } from 'node:fs';
import { listServices } from '../measure/containers.js';
import { bringUp, keeperOf } from '../measure/stack.js';
import { readIfThere } from './checked-system.js';
import { serviceOfEntry } from './describe.js';
import { rulesOf } from './ends.js';
import { fillFolders } from './fill-folders.js';
import { candidatesIn } from './find-load.js';
import { untilAnswered } from './first-answer.js';
import { healthPathOf } from './health-path.js';
import { partsOfEntry } from './project-schema.js';
import { publicNames } from './public-names.js';

/** For a user's services to become healthy; migrations of a database are among them. */
const UP_LIMIT_MS = 300_000;
/** Of files that could be the load, so many are named. */
const NAMED_MOST = 3;

/**
 * @param {object} options
 * @param {Pick<import('./checked-system.js').CheckedSystem, 'models' | 'requests' | 'headers' | 'loadLine' | 'copy' | 'proposal'>} options.checked
 * @param {import('./project-schema.js').Project} options.project
 * @param {import('../measure/system.js').System} options.system
 * @param {string} options.image    that is there, for containers that copy and never run
 * @param {string} options.scratch  folder of the run
 * @param {boolean} [options.mayFail]  a load whose every request fails is run all the same
 * @param {() => Promise<void>} [options.whenCreated]  its networks and containers are there, and nothing has started
 * @param {(text: string) => void} options.say
 * @param {AbortSignal} options.signal
 * @returns {Promise<{ stack: Service[], notes: string[], requests: import('../../k6/lib/request-list.js').ListedRequest[] }>} notes: a sentence for
 *   each folder that is not what it was to be, and for each request that will fail as it stands; requests: of the load, as they are to be sent
 * @throws {import('../define/errors.js').NotReadyError}
 */
export async function bringUpOwn({ checked, project, system, image, scratch, mayFail = false, whenCreated, say, signal }) {
  const { models, requests, headers, loadLine, copy, proposal } = checked;
  const differs = await fillFolders({ ...copy, system, image, scratch, say, signal });
  const services = models.filter(({ replicas }) => replicas > 0).map(({ service }) => service);
  const rules = rulesOf(models, project);
  await bringUp({ system, services, env: {}, rules, limitMs: UP_LIMIT_MS, whenCreated, say, signal });
  const look = keeperOf({ system, rules, say, signal });
  const list = () => listServices(system);
  const beside = () => {
    const { scripts, documents } = candidatesIn(system.cwd);
    const spelt = [...scripts.map(({ file }) => `script: ${file}`), ...documents.map(({ file }) => `openapi: ${file}`)];
    return spelt.slice(0, NAMED_MOST);
  };
  const line = mayFail ? null : loadLine;
  const names = publicNames(models, configurationText);
  const healthPath = (/** @type {string} */ entry) =>
    healthPathOf(copy.config.services[serviceOfEntry(project, entry)] ?? {}, partsOfEntry(entry).port);
  const asked = await untilAnswered({
    project,
    models,
    proposal,
    names,
    healthPath,
    requests,
    headers,
    line,
    beside,
    list,
    look,
    say,
    signal,
  });
  const notes = [...differs, ...asked.notes];
  for (const note of notes) say(`note: ${note}`);
  // What was started again has another process.
  return { stack: await list(), notes, requests: asked.requests };
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
