/**
 * Services whose log is not whole: it has fewer requests than the service counted. What is not in such a log may have been there.
 */
import { nodeGains } from '../time/window.js';

/** Of a service's requests; where more are not in its log, it says nothing that a request is not there. The lab's own choice. */
const UNLISTED_SHARE = 0.01;

/** @typedef {{ name: string, count: number, share: number }} Unlisted  requests that it received without a line in its log */

/**
 * A service that was killed, or one of whose processes was, took its last lines with it.
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('./front.js').Front | null} front
 * @param {import('./lives.js').Death[]} deaths
 * @returns {Unlisted[]}
 */
export function unlistedIn({ unlisted, nodes }, front, deaths) {
  const ofNodes = Object.entries(unlisted).map(([name, count]) => ({ name, count, received: receivedBy(nodes[name]) }));
  return [...ofFront(front), ...ofNodes]
    .filter(({ name, count }) => count > 0 && !deaths.some((death) => death.name === name))
    .map(({ name, count, received }) => ({ name, count, share: count / received }));
}

/** @param {Unlisted[]} unlisted @param {string} service */
export const isGap = (unlisted, service) => unlisted.some(({ name, share }) => name === service && share > UNLISTED_SHARE);

/** @param {any[]} rows of a node, in all its lives */
export const receivedBy = (rows) => nodeGains(rows, Number.NEGATIVE_INFINITY).received;

/** By a counter of its own beside its log. @param {import('./front.js').Front | null} front */
function ofFront(front) {
  if (!front || front.coverage.requests !== 'full' || front.received === null || front.said['worker-died']) return [];
  return [{ name: front.service, count: front.received - front.sightings.length, received: front.received }];
}
