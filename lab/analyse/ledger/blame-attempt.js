/**
 * Why a proxy's attempt to ask a node failed: its own message, held against what the node logged of that request, and
 * against what happened to the node at the time.
 */
import { isOfDatabase } from '../../adapters/shipped.js';
import { blameBehind } from './behind.js';
import { blameDatabase } from './blame-database.js';
import { crashDuring, overlapping, placed, tierOf } from './place.js';

/**
 * @typedef {object} FailedAttempt
 * @property {string} node
 * @property {import('../../adapters/contract.js').Signal | null} signal  what the proxy says of it; null where it says nothing
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
export function blameAttempt(facts, counters, { node, signal, attempt, from, to }) {
  const atNode = (/** @type {string} */ cause) => ({ tier: tierOf(facts, node), service: node, cause });
  const balancer = { tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name };
  if (signal === 'proxy_internal_error') return placed({ ...balancer, cause: 'balancer-exhausted' }, 'proved', 'proved');
  const crash = crashDuring(facts, node, { from, to });
  if (crash) return placed(atNode(crash), 'proved', 'timed');
  if (signal === 'connection_refused') return placed(atNode('upstream-refused'), 'proved', 'proved');
  if (signal === 'destination_ip_unroutable' || signal === 'dns_error') return placed(atNode('unreachable'), 'proved', 'proved');
  if (signal === 'http_protocol_error') return placed(atNode('invalid-answer'), 'proved', 'proved');
  if (signal === 'connection_timeout') {
    const overflow = counters.take(`${node} ListenOverflows`, from - 1, to + 1);
    return overflow ? placed(atNode('accept-backlog-overflow'), 'proved', 'timed') : placed(atNode('unreachable'), 'proved', 'proved');
  }
  if (!facts.watched.has(node)) return blameUnwatched(facts, counters, { node, signal, from, to });
  if (signal === 'http_response_timeout') return blameSlowNode(facts, counters, { node, attempt, from, to });
  if (signal === null) return placed(atNode('broke-off'), 'proved', 'inferred');
  // The connection broke: the node's log tells whether it had read the request by then.
  return placed(atNode(attempt ? 'broke-off' : 'closed-unread'), 'proved', 'proved');
}

/**
 * The node keeps no record of its requests: that it failed is what the proxy says of it, and why may be on record behind it.
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, failed: Omit<FailedAttempt, 'attempt'>) => import('./place.js').Placement}
 */
function blameUnwatched(facts, counters, { node, signal, from, to }) {
  const isSlow = signal === 'http_response_timeout';
  const known = blameBehind(facts, counters, { service: node, isSlow, from, to });
  if (known) return known;
  const still = isSlow && overlapping(facts.stalls, node, { from, to });
  const cause = still ? 'stood-still' : isSlow ? 'upstream-timeout' : 'broke-connection';
  const why = still ? 'timed' : isSlow || signal === null ? 'inferred' : 'proved';
  return placed({ tier: tierOf(facts, node), service: node, cause }, 'proved', why);
}

/** @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, failed: Omit<FailedAttempt, 'signal'>) => import('./place.js').Placement} */
function blameSlowNode(facts, counters, { node, attempt, from, to }) {
  if (attempt && (attempt.place === 'database' || attempt.place === 'pool'))
    return blameDatabase(facts, counters, { node, error: '', place: attempt.place, from, to });
  if (attempt && isOfDatabase(attempt.error)) return blameDatabase(facts, counters, { node, error: attempt.error, place: '', from, to });
  const still = overlapping(facts.stalls, node, { from, to });
  return placed({ tier: 'app', service: node, cause: still ? 'stood-still' : 'upstream-timeout' }, 'proved', still ? 'timed' : 'proved');
}
