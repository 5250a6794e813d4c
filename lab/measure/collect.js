/**
 * Ends a run in an order that lets the counts add up: the nodes finish what they work on, then the observer counts the
 * documents, then every container's last state and log are kept.
 */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RAW, RECORD, requestLogOf } from '../define/paths.js';
import { compress } from './compress.js';
import { listStates } from './containers.js';
import { docker, readLog } from './docker.js';

/** compose.yaml gives a node as long as this to finish. */
const STOP_LIMIT_S = 12;
/** Compose keeps 5 MB of a container's output; this is all of it. */
const LOG_LINES = 50_000;
/** The balancer writes its buffered log once a second, and at once when it is told to leave. */
const STOP_ORDER = ['load-balancer', 'app', 'observer'];

/**
 * @typedef {import('./containers.js').Service} Service
 * @typedef {import('./system.js').System} System
 */

/**
 * Of a shipped architecture.
 * @param {System} system
 * @param {Service[]} services
 * @param {string} folder of the run
 */
export async function collect(system, services, folder) {
  const rawFolder = join(folder, RECORD.raw);
  await stopInOrder(
    system,
    STOP_ORDER.map((tier) => services.filter((service) => service.tier === tier)),
    folder,
  );
  await Promise.all(
    services.map(async ({ id, name }) => {
      const text = await readLog(id, LOG_LINES).catch(() => '');
      if (text !== '') await writeFile(join(rawFolder, `${name}.log`), text);
    }),
  );
  const nodes = services.filter(({ tier }) => tier === 'app').map(({ name }) => name);
  for (const name of [RAW.accessLog, ...nodes.map(requestLogOf)]) await compress(join(rawFolder, name));
}

/**
 * Keeps how every container stood when the load had ended: one that is not running then died by itself. Then stops them.
 * @param {System} system
 * @param {Service[][]} groups  the members of each stop together, one group after the other
 * @param {string} folder of the run
 */
export async function stopInOrder(system, groups, folder) {
  const states = await listStates(system);
  for (const group of groups) {
    await Promise.all(
      group.map((service) =>
        docker
          .getContainer(service.id)
          .stop({ t: STOP_LIMIT_S })
          // A container that is down already answers with an error; there is nothing to stop.
          .catch(() => {}),
      ),
    );
  }
  await writeFile(join(folder, RECORD.raw, RAW.finalStates), JSON.stringify(states, null, 1));
  await rename(join(folder, RECORD.raw, RECORD.k6Report), join(folder, RECORD.k6Report)).catch(() => {});
}
