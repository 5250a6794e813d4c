/**
 * What happened behind a service that keeps no record of its requests, at the time at which one of them failed there.
 */
import { crashDuring, endOf, placed, tierOf } from './place.js';
import { topologyOf } from './topology.js';

/** What a service may say that explains a failure before it. Each word convicts one failure. @type {[import('../../adapters/contract.js').Signal, string][]} */
const TELLING = [
  ['out-of-memory', 'out-of-memory'],
  ['worker-died', 'worker-crashed'],
  ['connections-exhausted', 'database-refused'],
  ['pool-wait-timeout', 'pool-wait-timeout'],
  ['server-error', 'database-error'],
];
/** Of the time that a request took in vain, what took as long explains it; the lab's own choice. */
const LONG_SHARE = 0.5;
/** The engine's time of a line, and the end of the request that it explains, lie so far apart. */
const APART_S = 1;

/** By what the service said, as counters know it. @type {(service: string, signal: import('../../adapters/contract.js').Signal) => string} */
export const saidBy = (service, signal) => `${service} said ${signal}`;

/**
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @param {{ service: string, isSlow: boolean, from: number, to: number }} failure  isSlow: it is that no answer came in time
 * @returns {import('./place.js').Placement | null} null where nothing that is on record explains it
 */
export function blameBehind(facts, counters, { service, isSlow, from, to }) {
  for (const name of furthestFirst(facts, service)) {
    const at = (/** @type {string} */ cause) => placed({ tier: tierOf(facts, name), service: name, cause }, 'timed', 'timed');
    const crash = crashDuring(facts, name, { from, to });
    if (crash) return at(crash);
    const stopped = counters.take(saidBy(name, 'shut-down'), from - APART_S, to + APART_S);
    if (stopped) return at(endOf(tierOf(facts, name)));
    const word = TELLING.find(([signal]) => counters.take(saidBy(name, signal), from - APART_S, to + APART_S));
    if (word) return at(word[1]);
    // Statements that are slow as they always are explain no answer that took much longer.
    const leastS = (to - from) * LONG_SHARE;
    if (isSlow && counters.take(saidBy(name, 'slow'), from - APART_S, to + APART_S, Math.max(leastS, Number.MIN_VALUE)))
      return at('database-slow');
  }
  return null;
}

/** Services behind one, by who asks whom. @param {import('./place.js').Facts} facts @param {string} service */
function furthestFirst(facts, service) {
  const edges = topologyOf(facts);
  const found = /** @type {string[]} */ ([]);
  let layer = [service];
  while (layer.length > 0) {
    layer = [...new Set(edges.filter(({ from }) => layer.includes(from)).map(({ to }) => to))].filter(
      (to) => to !== service && !found.includes(to),
    );
    found.push(...layer);
  }
  return found.reverse();
}
