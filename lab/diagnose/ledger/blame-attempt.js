/**
 * Why a proxy's attempt to ask a node failed: its own message, held against what the node logged of that request, and
 * against what happened to the node at the time.
 */
import { blameBehind } from './behind.js';
import { blameDatabase, isOfDatabase } from './blame-database.js';
import { AROUND_S, crashDuring, hasLostWorker, isService, overlapping, placed, tierOf, tookMost, whileWaiting } from './place.js';
import { topologyOf } from './topology.js';
import { isUnread } from './unread.js';

/** For which an answer may be on its way: the least after which a kernel sends again (TCP_RTO_MIN). */
const ON_THE_WAY_S = 0.2;
const FIRST_SERVER_ERROR = 500;
/** Why no connection was made. @type {Set<import('../../adapters/contract.js').Signal>} */
const UNCONNECTED = new Set(['connection_refused', 'connection_timeout', 'destination_ip_unroutable', 'dns_error']);

/**
 * @typedef {object} FailedAttempt
 * @property {string} node
 * @property {import('../../adapters/contract.js').Signal | null} signal  what the proxy says of it; null where it says nothing
 * @property {import('./requests.js').Attempt | undefined} attempt  what the node logged of it
 * @property {import('./requests.js').Attempt[]} [others]  what all nodes logged of the request, after its user had stopped waiting too
 * @property {number} from        seconds since 1970
 * @property {number} to
 */

/**
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @param {FailedAttempt} failed
 * @returns {import('./place.js').Placement}
 */
export function blameAttempt(facts, counters, { node, signal, attempt, others = [], from, to }) {
  const atNode = (/** @type {string} */ cause) => ({ tier: tierOf(facts, node), service: node, cause });
  const balancer = { tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name };
  if (signal === 'proxy_internal_error') return placed({ ...balancer, cause: 'balancer-exhausted' }, 'proved', 'proved');
  // A proxy may take an answer for a failure, and say no more of it.
  if (signal === null && attempt?.outcome === 'answered' && Number(attempt.status) >= FIRST_SERVER_ERROR) {
    if (isOfDatabase(attempt.error)) return blameDatabase(facts, counters, { node, error: attempt.error, place: '', from, to });
    const behind = facts.silent.has(node) ? blameBehind(facts, counters, { service: node, isSlow: false, from, to }) : null;
    return behind ?? placed(atNode('app-error'), 'proved', facts.silent.has(node) ? 'inferred' : 'proved');
  }
  const crash = crashDuring(facts, node, { from, to });
  if (crash) return placed(atNode(crash), 'proved', 'timed');
  if (signal === 'connection_refused') return placed(atNode('upstream-refused'), 'proved', 'proved');
  if (signal === 'destination_ip_unroutable' || signal === 'dns_error') return placed(atNode('unreachable'), 'proved', 'proved');
  if (signal === 'http_protocol_error') return placed(atNode('invalid-answer'), 'proved', 'proved');
  if (signal === 'connection_timeout') {
    const overflow = counters.take(`${node} ListenOverflows`, from - 1, to + 1);
    return overflow ? placed(atNode('accept-backlog-overflow'), 'proved', 'timed') : placed(atNode('unreachable'), 'proved', 'proved');
  }
  const hasLost = signal !== 'http_response_timeout' && hasLostWorker(facts, node, { from, to });
  if (hasLost) return placed(atNode('worker-crashed'), 'proved', 'timed');
  if (!facts.watched.has(node)) return blameUnwatched(facts, counters, { node, signal, from, to });
  if (signal === 'http_response_timeout') return blameSlowNode(facts, counters, { node, attempt, from, to });
  if (signal === null) return placed(atNode(attempt ? 'broke-off' : 'broke-connection'), 'proved', 'inferred');
  // Who had asked another for the request had read it.
  const hadAsked = others.some((other) => topologyOf(facts).some((edge) => edge.from === node && edge.to === other.node));
  const isUnlogged = !attempt && !hadAsked && signal !== 'http_response_incomplete';
  // Where the kernel is told to, it resets what the node's queue has no room for, and counts each.
  if (isUnlogged && counters.take(`${node} EmbryonicRsts`, from - AROUND_S, to + 1))
    return placed(atNode('accept-backlog-overflow'), 'proved', 'timed');
  if (isUnlogged && overlapping(facts.shortages.files, node, { from, to })) return placed(atNode('out-of-descriptors'), 'proved', 'timed');
  // The connection broke: the node's log tells whether it had read the request by then, and so does the beginning of an answer.
  if (!isUnlogged) return placed(atNode('broke-off'), 'proved', 'proved');
  const unread = isUnread(counters, { service: node, late: others, from, to });
  return placed(atNode(unread ? 'closed-unread' : 'broke-connection'), 'proved', 'proved');
}

/**
 * Why the last attempt failed of which the proxy says so, or else the last.
 * @type {(trace: import('./place.js').Trace, facts: import('./place.js').Facts, counters: import('./place.js').Counters) => import('./place.js').Placement | null}
 */
export function blameLastAttempt(trace, facts, counters) {
  const asked = trace.asked.filter(({ to }) => isService(facts, to));
  const last = asked.findLast(({ message }) => message) ?? asked.at(-1) ?? trace.asked.findLast(isUnconnected);
  if (!last) return null;
  const node = last.to;
  const attempt = trace.attempts.find((candidate) => candidate.node === node);
  const others = [...trace.attempts, ...trace.late];
  return blameAttempt(facts, counters, { node, signal: last.message?.signal ?? null, attempt, others, ...whileWaiting(trace) });
}

/** No service has the address, and none answers there. @param {import('../../adapters/contract.js').Asked} attempt */
const isUnconnected = ({ message }) => message !== null && UNCONNECTED.has(message.signal);

/**
 * The node keeps no record of its requests: that it failed is what the proxy says of it, and why may be on record behind it.
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, failed: Omit<FailedAttempt, 'attempt'>) => import('./place.js').Placement}
 */
function blameUnwatched(facts, counters, { node, signal, from, to }) {
  const isSlow = signal === 'http_response_timeout';
  const known = blameBehind(facts, counters, { service: node, isSlow, from, to });
  if (known) return known;
  const still = isSlow && overlapping(facts.stalls, node, { from, to });
  const broke = signal === 'http_response_incomplete' ? 'broke-off' : 'broke-connection';
  const cause = still ? 'stood-still' : isSlow ? 'upstream-timeout' : broke;
  const why = still ? 'timed' : isSlow || signal === null ? 'inferred' : 'proved';
  return placed({ tier: tierOf(facts, node), service: node, cause }, 'proved', why);
}

/** @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, failed: Omit<FailedAttempt, 'signal'>) => import('./place.js').Placement} */
function blameSlowNode(facts, counters, { node, attempt, from, to }) {
  if (attempt && (attempt.place === 'database' || attempt.place === 'pool'))
    return blameDatabase(facts, counters, { node, error: '', place: attempt.place, from, to });
  if (attempt && isOfDatabase(attempt.error)) return blameDatabase(facts, counters, { node, error: attempt.error, place: '', from, to });
  const atNode = (/** @type {string} */ cause) => ({ tier: /** @type {const} */ ('app'), service: node, cause });
  if (overlapping(facts.stalls, node, { from, to })) return placed(atNode('stood-still'), 'proved', 'timed');
  // It answered in time, by its own log, and the proxy heard nothing.
  if (attempt?.outcome === 'answered' && to - Number(attempt.ended) > ON_THE_WAY_S)
    return placed(atNode('answer-lost'), 'proved', 'proved');
  const behind = attempt && facts.silent.has(node) ? blameWaiting(facts, counters, { node, from, to }) : null;
  if (behind) return behind;
  // A kernel takes what is sent to a program that is slow, so that the proxy's had not to send it again.
  if (!attempt && counters.take(`${facts.entry.name} TCPTimeouts`, from, to + 1)) return placed(atNode('unreachable'), 'proved', 'timed');
  return placed(atNode('upstream-timeout'), 'proved', 'proved');
}

/**
 * What a program waited for with a request, of which it only says that it had it: its own event loop, or what is behind it.
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, wait: { node: string, from: number, to: number }) => import('./place.js').Placement | null}
 */
export function blameWaiting(facts, counters, { node, from, to }) {
  if (tookMost(facts.busyLoops, node, { from, to }))
    return placed({ tier: tierOf(facts, node), service: node, cause: 'event-loop-busy' }, 'proved', 'timed');
  return blameBehind(facts, counters, { service: node, isSlow: true, from, to });
}
