/**
 * Ends a run of a user's system in an order that lets the counts add up, and keeps what its containers said of it, without what users said.
 */
import { stopInOrder } from '../measure/collect.js';
import { keepLogs } from '../measure/container-log.js';
import { placesIn } from '../measure/run-folder.js';
import { takeWritten } from '../measure/take-written.js';
import { entryServices } from './describe.js';
import { aboutFailedJobs } from './ends.js';
import { redactGeneratorLogs } from './generator-log.js';
import { stopOrder } from './stop-order.js';

/**
 * @param {object} options
 * @param {import('../measure/system.js').System} options.system
 * @param {import('../measure/containers.js').Service[]} options.containers
 * @param {import('./project-schema.js').Project} options.project
 * @param {string} options.folder of the run
 * @returns {Promise<string[]>} a sentence for each thing that is not on record, or that failed beside the way of requests
 */
export async function collectOwn({ system, containers, project, folder }) {
  const order = stopOrder(entryServices(project), project.edges, [...new Set(containers.map(({ service }) => service))]);
  const groups = order.map((group) => containers.filter(({ service }) => group.includes(service)));
  const states = await stopInOrder(system, groups, folder);
  const { rawFolder } = placesIn(folder);
  const missing = [...aboutFailedJobs(states, containers), ...(await keepLogs(containers, rawFolder)), ...(await takeWritten(folder))];
  const generators = containers.filter(({ tier }) => tier === 'generator');
  await redactGeneratorLogs(rawFolder, generators.length > 1 ? generators.map(({ name }) => name) : ['']);
  return missing;
}
