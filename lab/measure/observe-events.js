/**
 * What happens to the containers while a run goes on, as the engine tells it: each end, each kill for want of memory, each
 * start. A container's last state alone would hide all but the last of them.
 */
import { createInterface } from 'node:readline';
import { labelOf } from './containers.js';
import { docker } from './docker.js';

const ACTIONS = ['die', 'oom', 'start', 'pause', 'unpause'];

/**
 * @param {import('./system.js').System} system
 * @param {import('./containers.js').Service[]} services
 * @param {import('./record-file.js').RecordFile} record
 * @returns {Promise<() => void>} stops watching
 */
export async function observeEvents(system, services, record) {
  const names = new Map(services.map(({ id, name }) => [id, name]));
  const filters = { type: ['container'], event: ACTIONS, label: [labelOf(system)] };
  const stream = /** @type {import('node:stream').Readable} */ (await docker.getEvents({ filters: JSON.stringify(filters) }));
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
  const name = names.get(actor?.ID);
  if (name === undefined) return null;
  const exitCode = actor.Attributes?.exitCode;
  return { t: timeNano / 1e9, name, action, exit_code: exitCode === undefined ? null : Number(exitCode) };
}
