/**
 * Ends a run of a user's system in an order that lets the counts add up, and keeps what every container said of it.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { adapterOf } from '../adapters/registry.js';
import { RECORD, SERVICE_RECORD } from '../define/paths.js';
import { stopInOrder } from '../measure/collect.js';
import { keepLog } from '../measure/container-log.js';
import { entryService, projectService } from './describe.js';
import { stopOrder } from './stop-order.js';

/**
 * @param {object} options
 * @param {import('../measure/system.js').System} options.system
 * @param {import('../measure/containers.js').Service[]} options.containers
 * @param {import('./project-schema.js').Project} options.project
 * @param {string} options.folder of the run
 * @returns {Promise<string[]>} a sentence for each log that is not whole
 */
export async function collectOwn({ system, containers, project, folder }) {
  const order = stopOrder(entryService(project), project.edges, [...new Set(containers.map(({ service }) => service))]);
  const groups = order.map((group) => containers.filter(({ service }) => group.includes(service)));
  await stopInOrder(system, groups, folder);
  const missing = await Promise.all(
    containers.map(async ({ id, name, service }) => {
      const logFolder = join(folder, RECORD.raw, name);
      await mkdir(logFolder, { recursive: true });
      const { redact } = adapterOf(projectService(project, service).product) ?? {};
      const lost = await keepLog({ id, path: join(logFolder, SERVICE_RECORD.log), redact });
      return lost === null ? [] : [`${name}: its log ${lost}`];
    }),
  );
  return missing.flat();
}
