/**
 * Why the balancer's attempt to ask a node failed: its own message, held against what the node logged of that request, and
 * against what happened to the node at the time.
 */
import { blameDatabase, isOfDatabase } from './blame-database.js';
import { crashDuring, overlapping, placed } from './place.js';

/**
 * @typedef {object} FailedAttempt
 * @property {string} node
 * @property {string} message     kind of the balancer's message; `unknown` where none was found
 * @property {import('./requests.js').Attempt | undefined} attempt  what the node logged of it
 * @property {number} from        seconds since 1970
 * @property {number} to
 */

/**
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @param {FailedAttempt} failed
 * @returns {import('./place.js').Placement}
 */
export function blameAttempt(facts, counters, { node, message, attempt, from, to }) {
  const atNode = (/** @type {string} */ cause) => ({ tier: /** @type {const} */ ('app'), service: node, cause });
  const balancer = { tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name };
  if (message === 'no_ports' || message === 'no_descriptors')
    return placed({ ...balancer, cause: 'balancer-exhausted' }, 'proved', 'proved');
  const crash = crashDuring(facts, node, { from, to });
  if (crash) return placed(atNode(crash), 'proved', 'timed');
  if (message === 'upstream_refused') return placed(atNode('upstream-refused'), 'proved', 'proved');
  if (message === 'upstream_unreachable') return placed(atNode('unreachable'), 'proved', 'proved');
  if (message === 'upstream_invalid') return placed(atNode('invalid-answer'), 'proved', 'proved');
  if (message === 'upstream_connect_timeout') {
    const overflow = counters.take(`${node} ListenOverflows`, from - 1, to + 1);
    return overflow ? placed(atNode('accept-backlog-overflow'), 'proved', 'timed') : placed(atNode('unreachable'), 'proved', 'proved');
  }
  if (message === 'upstream_timeout') return blameSlowNode(facts, counters, { node, attempt, from, to });
  if (message === 'unknown') return placed(atNode('broke-off'), 'proved', 'inferred');
  // The connection broke: the node's log tells whether it had read the request by then.
  return placed(atNode(attempt ? 'broke-off' : 'closed-unread'), 'proved', 'proved');
}

/** @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, failed: Omit<FailedAttempt, 'message'>) => import('./place.js').Placement} */
function blameSlowNode(facts, counters, { node, attempt, from, to }) {
  if (attempt && (attempt.place === 'database' || attempt.place === 'pool'))
    return blameDatabase(facts, counters, { node, error: '', place: attempt.place, from, to });
  if (attempt && isOfDatabase(attempt.error)) return blameDatabase(facts, counters, { node, error: attempt.error, place: '', from, to });
  const still = overlapping(facts.stalls, node, { from, to });
  return placed({ tier: 'app', service: node, cause: still ? 'stood-still' : 'upstream-timeout' }, 'proved', still ? 'timed' : 'proved');
}
