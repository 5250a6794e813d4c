/**
 * Ends a run in an order that lets the counts add up: the nodes finish what they work on, then the observer counts the
 * documents, then every container's last state and log are kept.
 */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RAW, RECORD, requestLogOf } from '../define/paths.js';
import { compress } from './compress.js';
import { docker, listContainers, readLog } from './docker.js';

/** compose.yaml gives a node as long as this to finish. */
const STOP_LIMIT_S = 12;
/** Compose keeps 5 MB of a container's output; this is all of it. */
const LOG_LINES = 50_000;
/** Nginx writes its buffered log once a second, and at once when it is told to leave. */
const STOP_ORDER = ['load-balancer', 'app', 'observer'];

/**
 * @param {import('./docker.js').Service[]} services
 * @param {string} folder of the run
 */
export async function collect(services, folder) {
  const rawFolder = join(folder, RECORD.raw);
  const states = await readStates();
  for (const tier of STOP_ORDER) {
    await Promise.all(
      services
        .filter((service) => service.tier === tier)
        // A container that is down already answers with an error; there is nothing to stop.
        .map((service) =>
          docker
            .getContainer(service.id)
            .stop({ t: STOP_LIMIT_S })
            .catch(() => {}),
        ),
    );
  }
  await writeFile(join(rawFolder, RAW.finalStates), JSON.stringify(states, null, 1));
  await Promise.all(
    services.map(async ({ id, name }) => {
      const text = await readLog(id, LOG_LINES).catch(() => '');
      if (text !== '') await writeFile(join(rawFolder, `${name}.log`), text);
    }),
  );
  const nodes = services.filter(({ tier }) => tier === 'app').map(({ name }) => name);
  for (const name of [RAW.accessLog, ...nodes.map(requestLogOf)]) await compress(join(rawFolder, name));
  await rename(join(rawFolder, RECORD.k6Report), join(folder, RECORD.k6Report)).catch(() => {});
}

/**
 * How every container stood when the load had ended: one that is not running then died by itself.
 * @returns {Promise<{ name: string, tier: string, running: boolean, exit_code: number, out_of_memory: boolean, started: string, finished: string }[]>}
 */
async function readStates() {
  const containers = await listContainers();
  return Promise.all(
    containers.map(async (container) => {
      const { State: state } = await docker.getContainer(container.Id).inspect();
      return {
        name: container.Labels['doubletake.name'],
        tier: container.Labels['doubletake.tier'],
        running: state.Running,
        exit_code: state.ExitCode,
        out_of_memory: state.OOMKilled,
        // Of a container that was started again, these are the last end and the last start.
        started: state.StartedAt,
        finished: state.FinishedAt,
      };
    }),
  );
}
