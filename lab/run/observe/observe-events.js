/**
 * What happens to the containers while a run goes on, as the engine tells it: each end, each kill for want of memory, each
 * start. A container's last state alone would hide all but the last of them.
 */
import { createInterface } from 'node:readline';
import { docker } from '../../docker/docker.js';

/** By which an engine knows a container of a Swarm. */
const TASK = 'com.docker.swarm.task.id';
const ACTIONS = ['die', 'oom', 'start', 'pause', 'unpause'];

/**
 * @param {string} label  of the containers, as in `name=value`
 * @param {import('../../docker/containers.js').Service[]} services
 * @param {import('../../docker/system.js').Lines} record
 * @param {import('dockerode')} [connection]  of their engine
 * @returns {Promise<() => void>} stops watching
 */
export async function observeEvents(label, services, record, connection = docker) {
  const names = new Map(services.map(({ id, name }) => [id, name]));
  const filters = { type: ['container'], event: ACTIONS, label: [label] };
  const stream = /** @type {import('node:stream').Readable} */ (await connection.getEvents({ filters: JSON.stringify(filters) }));
  const lines = createInterface({ input: stream });
  lines.on('line', (line) => {
    const event = readEvent(line, names);
    if (event) record.write(event);
  });
  // The stream is cut when watching ends.
  stream.on('error', () => {});
  return () => stream.destroy();
}

/**
 * @param {string} line of the engine's stream
 * @param {Map<string, string>} names  container to service
 * @returns {{ t: number, name: string, action: string, exit_code: number | null } | null} null for what is not a service's
 */
export function readEvent(line, names) {
  const { Actor: actor, Action: action, timeNano } = JSON.parse(line);
  const attributes = actor?.Attributes ?? {};
  // One that a Swarm started in the place of another.
  const name = names.get(actor?.ID) ?? (attributes[TASK] === undefined ? undefined : attributes['doubletake.name']);
  if (name === undefined) return null;
  const { exitCode } = attributes;
  return { t: timeNano / 1e9, name, action, exit_code: exitCode === undefined ? null : Number(exitCode) };
}
