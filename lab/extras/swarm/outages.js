/**
 * What happens to the hosts while a run goes on, as the Swarm's manager tells it: a host that does not answer any more, or was drained.
 * The moment is that at which the manager noticed, which is some heartbeats after it happened.
 *
 * @typedef {object} Outage     seconds since 1970
 * @property {string} host
 * @property {string} text      such as `host2 down`
 * @property {number} began_s
 * @property {number | null} ended_s  null: not before the end
 */
import { createInterface } from 'node:readline';
import { docker } from '../../docker/docker.js';

const DRAINED = 'drained';

/** Whether an outage is a drain. @param {string} text  of it */
export const isDrained = (text) => text.endsWith(` ${DRAINED}`);

/** A node's attribute, its value while the node is out, and what is said of it (https://docs.docker.com/reference/cli/docker/system/events/). */
const OUT = [
  { attribute: 'state', isOut: (/** @type {string} */ value) => value === 'down' || value === 'disconnected', word: 'down' },
  { attribute: 'availability', isOut: (/** @type {string} */ value) => value === 'drain' || value === 'pause', word: DRAINED },
];

export class Outages {
  /** @type {Outage[]} */
  all = [];

  /**
   * @param {string} line  of the engine's stream
   * @returns {Outage | null} one that began or ended with it
   */
  take(line) {
    const { Actor: actor, timeNano } = JSON.parse(line);
    const { name, ...attributes } = actor?.Attributes ?? {};
    for (const { attribute, isOut, word } of OUT) {
      const value = attributes[`${attribute}.new`];
      if (value === undefined) continue;
      const text = `${name} ${word}`;
      const open = this.all.find((outage) => outage.text === text && outage.ended_s === null);
      const moment = timeNano / 1e9;
      if (isOut(value) && !open) {
        const began = { host: name, text, began_s: moment, ended_s: null };
        this.all.push(began);
        return began;
      }
      if (!isOut(value) && open) {
        open.ended_s = moment;
        return open;
      }
    }
    return null;
  }
}

/**
 * @param {(outage: Outage) => void} onChange  of one that began or ended
 * @returns {Promise<{ outages: Outages, stop: () => void }>}
 */
export async function watchHosts(onChange) {
  const outages = new Outages();
  const filters = JSON.stringify({ type: ['node'], event: ['update'] });
  const stream = /** @type {import('node:stream').Readable} */ (await docker.getEvents({ filters }));
  createInterface({ input: stream }).on('line', (line) => {
    const changed = outages.take(line);
    if (changed) onChange(changed);
  });
  // The stream is cut when watching ends.
  stream.on('error', () => {});
  return { outages, stop: () => stream.destroy() };
}
