/**
 * Where what passed the networks and what a service recorded of itself disagree: a log that leaves lines out is found so.
 *
 * @typedef {import('../define/result.js').Wire} Wire
 * @typedef {import('../define/result.js').Hop} Hop
 */

/** What hops record are requests of this protocol. */
const PROTOCOL = 'http';
/** Some requests are under way when the load begins and when it ends; each side counts them by another moment. */
const MAY_DIFFER_SHARE = 0.001;
const MAY_DIFFER = 1;

/**
 * @param {Pick<Wire, 'edges'>} wire
 * @param {readonly Pick<Hop, 'service' | 'received' | 'source'>[]} hops
 * @returns {string[]} a sentence for each service
 */
export function disagreements({ edges }, hops) {
  return hops.flatMap(({ service, received, source }) => {
    const to = edges.filter((edge) => edge.to === service && edge.protocol === PROTOCOL);
    const passed = to.reduce((sum, { calls }) => sum + calls, 0);
    if (received === null || to.length === 0) return [];
    const difference = Math.abs(passed - received);
    if (difference <= Math.max(MAY_DIFFER, MAY_DIFFER_SHARE * passed)) return [];
    const numbers = [passed, received].map((number) => number.toLocaleString('en-US'));
    return [`${numbers[0]} requests passed the networks to ${service}, and its own record (${source}) has ${numbers[1]}`];
  });
}
