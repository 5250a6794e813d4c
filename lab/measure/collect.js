/**
 * Ends a run in an order that lets the counts add up: the nodes finish what they work on, then the observer counts the
 * documents, then every container's last state and log are kept.
 */
import { join } from 'node:path';
import { everyAdapter } from '../adapters/registry.js';
import { RAW, RECORD, requestLogOf } from '../define/paths.js';
import { writePrivate } from '../define/private-file.js';
import { compress } from './compress.js';
import { keepLogs } from './container-log.js';
import { listStates } from './containers.js';
import { containerById, readLog } from './docker.js';
import { placesIn } from './run-folder.js';
import { takeWritten } from './take-written.js';

/** compose/base.yaml gives a node as long as this to finish. */
const STOP_LIMIT_S = 12;
/** Compose keeps 5 MB of a container's output; this is all of it. */
const LOG_LINES = 50_000;
/** Balancers write their buffered logs once a second, and at once when they are told to leave. */
const STOP_ORDER = ['load-balancer', 'app', 'queue', 'observer'];

/**
 * @typedef {import('./containers.js').Service} Service
 * @typedef {import('./system.js').System} System
 */

/**
 * Of a shipped architecture.
 * @param {System} system
 * @param {Service[]} services
 * @param {string} folder of the run
 * @returns {Promise<string[]>} a sentence for each log that an adapter reads and that is not whole
 */
export async function collect(system, services, folder) {
  const { rawFolder, writtenFolder } = placesIn(folder);
  await stopInOrder(
    system,
    STOP_ORDER.map((tier) => services.filter((service) => service.tier === tier)),
    folder,
  );
  const missing = await keepLogs(
    services.filter(({ product }) => product !== null),
    rawFolder,
  );
  await Promise.all(
    services
      .filter(({ product }) => product === null)
      .map(async ({ id, name }) => {
        const text = await readLog(id, LOG_LINES).catch(() => '');
        if (text !== '') await writePrivate(join(rawFolder, `${name}.log`), text);
      }),
  );
  missing.push(...((await system.deployment?.fetch(writtenFolder)) ?? []));
  missing.push(...(await takeWritten(folder)));
  const requestLogs = services.map(({ name }) => requestLogOf(name));
  const large = everyAdapter.flatMap(({ packed = [] }) => packed);
  for (const file of [...large, ...requestLogs]) await compress(join(rawFolder, file));
  return missing;
}

/**
 * Keeps how every container stood when the load had ended: one that is not running then died by itself. Then stops them.
 * @param {System} system
 * @param {Service[][]} groups  the members of each stop together, one group after the other
 * @param {string} folder of the run
 * @returns {Promise<Awaited<ReturnType<typeof listStates>>>} how they stood
 */
export async function stopInOrder(system, groups, folder) {
  const states = await listStates(system);
  for (const group of groups) {
    await Promise.all(
      group.map((service) =>
        containerById(service.id)
          .stop({ t: STOP_LIMIT_S })
          // A container that is down already answers with an error; there is nothing to stop.
          .catch(() => {}),
      ),
    );
  }
  await writePrivate(join(folder, RECORD.raw, RAW.finalStates), JSON.stringify(states, null, 1));
  return states;
}
