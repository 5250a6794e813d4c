/**
 * Why a proxy's attempt to ask a node failed: its own message, held against what the node logged of that request, and
 * against what happened to the node at the time.
 */

import { errorSignal } from '../../adapters/registry.js';
import { blameBehind, blameSpell, heldWithoutSuccess } from './behind.js';
import {
  AROUND_S,
  answeredBy,
  checkedOutBy,
  clearedAt,
  crashDuring,
  deathDuring,
  hasLostWorker,
  isService,
  isUnread,
  overlapping,
  placed,
  tierOf,
  tookMost,
  whileWaiting,
} from './place.js';
import { topologyOf } from './topology.js';

/*
 * Whose fault it is that a request failed at the database or before it: in its pool, on the way, or at the node that waits for it.
 */

/** @typedef {import('../../adapters/contract.js').Signal} Signal */

/** What the name of an error may say of the pool, of the database, or of the way to it. @type {Set<Signal | null>} */
const OF_DATABASE = new Set([
  'pool-timeout',
  'pool-cleared',
  'connect-failed',
  'connection-broken',
  'store-timeout',
  'store-error',
  'store-failed',
]);

/** @param {string} error  by name, as a node logs it */
export const isOfDatabase = (error) => OF_DATABASE.has(errorSignal(error));

/** @type {(error: string, signals: Signal[]) => boolean} */
const says = (error, signals) => signals.some((signal) => signal === errorSignal(error));
const isAnswered = (/** @type {string} */ error) => says(error, ['store-error']);
const isPoolCleared = (/** @type {string} */ error) => says(error, ['pool-cleared']);
const isPoolWait = (/** @type {string} */ error) => says(error, ['pool-timeout']);
const isTimedOut = (/** @type {string} */ error) => says(error, ['store-timeout']);
const isBroken = (/** @type {string} */ error) => says(error, ['connection-broken']);
const isUnmade = (/** @type {string} */ error) => says(error, ['connection-broken', 'connect-failed']);

/**
 * Signs that what was sent between the two did not arrive, in the namespace where nothing else gives them: the database talks to its
 * nodes alone, and a node dials nobody but the database. A node's own time-outs may be its users'.
 */
const LOST_BY_DATABASE = 'TCPTimeouts';
const LOST_BY_NODE = 'TCPSynRetrans';
const SENT_AGAIN = [LOST_BY_DATABASE, LOST_BY_NODE];
/** The database is asked once a second, and a node writes its record as often. */
const ASKED_EVERY_S = 1;

/**
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @param {{ node: string, error: string, place: string, from: number, to: number }} failure  error: name, or empty where the request
 *   was still there (in `place`) when its client gave up
 * @returns {import('./place.js').Placement}
 */
export function attributeDatabase(facts, counters, { node, error, place, from, to }) {
  const services = facts.databases.map(({ name }) => name ?? 'database');
  const all = services.join(', ') || 'database';
  const inDatabase = (/** @type {string} */ cause, service = all) => ({ tier: /** @type {const} */ ('database'), service, cause });
  const inPool = (/** @type {string} */ cause) => ({ tier: /** @type {const} */ ('pool'), service: node, cause });
  const stopping = services.find((service) => isStopping(facts, service, { from, to }));
  if (isAnswered(error))
    return stopping !== undefined
      ? placed(inDatabase('database-down', stopping), 'proved', 'timed')
      : placed(inDatabase('database-error'), 'proved', 'proved');
  const cleared = isPoolCleared(error);
  const span = cleared ? sinceCleared(facts, counters, { node, from, to }) : { from, to };
  const waited = { from, to };
  const isWait = isPoolWait(error) || place === 'pool';
  const amplifier = cleared ? inPool('pool-cleared') : isWait ? inPool('pool-wait') : null;
  for (const service of services) {
    const trigger = troubleOf(facts, counters, { node, service, span, amplified: amplifier !== null, isWait });
    if (trigger) return placed(inDatabase(trigger, service), 'proved', 'timed', amplifier);
  }
  // A larger pool would have waited for the same, and so would one whose queue is what is left of that.
  const queue = { from: overlapping(facts.shortages.queue, node, waited)?.from ?? from, to };
  const short = services.find((service) => [waited, queue].some((time) => tookMost(facts.shortages.cpu, service, time)));
  if (isWait && (short !== undefined || tookMost(facts.shortages.pool, node, waited)))
    return placed(inDatabase('database-slow', short), 'proved', 'timed', amplifier);
  const own = ownTroubleOf(facts, { node, error, waited, span });
  if (own) return placed({ tier: 'app', service: node, cause: own }, 'proved', 'timed', amplifier);
  if (cleared)
    return isTimedOutAt(facts, counters, { node, from, to })
      ? placed(inDatabase('database-slow'), 'proved', 'timed', amplifier)
      : placed(inPool('pool-cleared'), 'proved', 'proved');
  if (isPoolWait(error)) return placed(inPool('pool-wait-timeout'), 'proved', 'proved');
  if (place === 'pool') return placed(inPool('pool-wait'), 'proved', 'proved');
  if (isUnmade(error)) return placed(inDatabase('database-lost'), 'proved', 'proved');
  if (error === '' || isTimedOut(error)) return placed(inDatabase('database-slow'), 'proved', 'proved');
  return placed(inDatabase('database-lost'), 'proved', 'inferred');
}

/**
 * What cleared the pool happened before it did; where nobody counted that, at any time at which the driver may have begun to search.
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, waited: { node: string, from: number, to: number }) => { from: number, to: number }}
 */
function sinceCleared({ store }, counters, { node, from, to }) {
  const clear = counters.last(clearedAt(node), from - store.search_s, to);
  return { from: clear ? Math.min(from, clear.from) - AROUND_S : from - store.search_s, to };
}

/**
 * Whether another request of the node had waited for the database in vain just as the driver cleared the pool, by the node's own counts.
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, at: { node: string, from: number, to: number }) => boolean}
 */
function isTimedOutAt({ nodes, store }, counters, { node, from, to }) {
  const clear = counters.last(clearedAt(node), from - store.search_s, to);
  const errors = Object.keys(nodes[node]?.errors ?? {}).filter(isTimedOut);
  return clear !== undefined && errors.some((error) => counters.rose(answeredBy(node, error), clear.from - ASKED_EVERY_S, clear.to));
}

/** Whether it had said that it would end, and answers what it then interrupts with an error. @type {(facts: import('./place.js').Facts, service: string, span: { from: number, to: number }) => boolean} */
const isStopping = ({ deaths }, service, { from, to }) =>
  deaths.some((death) => death.name === service && death.stopping < death.from && death.stopping <= to && death.from >= from);

/**
 * What happened to the database, or on the way to it, while the request was there.
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, at: { node: string, service: string, span: { from: number, to: number }, amplified: boolean, isWait: boolean }) => string | null}
 */
function troubleOf(facts, counters, { node, service, span, amplified, isWait }) {
  const { stalls, databases, store } = facts;
  const death = deathDuring(facts, service, span);
  if (death) return death.outOfMemory ? 'out-of-memory' : 'database-down';
  const stall = overlapping(stalls, service, span);
  // A node that went on answering was not held up; where there are several databases, another may have answered it.
  const isSpared = databases.length === 1 && stall?.served?.includes(node);
  if (stall && !isSpared) return isCutOff(facts, counters, { node, stall }) ? 'database-unreachable' : 'database-slow';
  const rejected = `${service} rejected`;
  // One refusal fails one request, unless the pool made many of it.
  if (amplified ? counters.rose(rejected, span.from - 1, span.to + 1) : counters.take(rejected, span.from - 1, span.to + 1))
    return 'database-refused';
  // Connections that came back to the last had reached it: a packet that was lost is not what a full pool waits for.
  if (isWait && counters.rose(checkedOutBy(node), Math.max(span.from, span.to - ASKED_EVERY_S), span.to)) return null;
  const rose = (/** @type {string} */ counter) => counters.rose(counter, span.from - store.retry_s, span.to + 1);
  const lost = rose(`${service} ${LOST_BY_DATABASE}`) || rose(`${node} ${LOST_BY_NODE}`);
  const answered = databases.find(({ name }) => name === service)?.answered ?? [];
  const alive = answered.some((t) => t >= span.from - ASKED_EVERY_S && t <= span.to + ASKED_EVERY_S);
  return lost && alive ? 'database-unreachable' : null;
}

/**
 * Whether what was sent to it did not arrive while it answered nobody. A kernel takes what is sent to a program that stands still; and its
 * observer talks to the database alone.
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, at: { node: string, stall: import('./front.js').Stall }) => boolean}
 */
function isCutOff({ observers }, counters, { node, stall: { from, to } }) {
  const hasLost = (/** @type {string} */ name) => SENT_AGAIN.some((counter) => counters.rose(`${name} ${counter}`, from, to + 1));
  return hasLost(node) && observers.some(hasLost);
}

/**
 * What kept the node itself from the database, or from its answer, which lies in the node's socket until the node comes round to it. A
 * node that stood still finds all its driver's time-outs run down at once, and the driver then says that the database was late.
 * @type {(facts: import('./place.js').Facts, at: { node: string, error: string, waited: { from: number, to: number }, span: { from: number, to: number } }) => string | null}
 */
function ownTroubleOf({ stalls, busyLoops, shortages }, { node, error, waited, span }) {
  const still = isPoolCleared(error) ? overlapping(stalls, node, span) : !isBroken(error) && tookMost(stalls, node, waited);
  if (still) return 'stood-still';
  // It could open no socket to the database.
  if ((isUnmade(error) || isPoolCleared(error)) && overlapping(shortages.files, node, span)) return 'out-of-descriptors';
  return error === '' && tookMost(busyLoops, node, waited) ? 'event-loop-busy' : null;
}

/** For which an answer may be on its way: the least after which a kernel sends again (TCP_RTO_MIN). */
const ON_THE_WAY_S = 0.2;
const FIRST_SERVER_ERROR = 500;
/** Why no connection was made. @type {Set<import('../../adapters/contract.js').Signal>} */
const UNCONNECTED = new Set(['connection_refused', 'connection_timeout', 'destination_ip_unroutable', 'dns_error']);

/**
 * @typedef {object} FailedAttempt
 * @property {string} node
 * @property {import('../../adapters/contract.js').Signal | null} signal  what the proxy says of it; null where it says nothing
 * @property {import('./facts.js').Attempt | undefined} attempt  what the node logged of it
 * @property {import('./facts.js').Attempt[]} [others]  what all nodes logged of the request, after its user had stopped waiting too
 * @property {number} from        seconds since 1970
 * @property {number} to
 */

/**
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @param {FailedAttempt} failed
 * @returns {import('./place.js').Placement}
 */
export function attributeAttempt(facts, counters, { node, signal, attempt, others = [], from, to }) {
  const atNode = (/** @type {string} */ cause) => ({ tier: tierOf(facts, node), service: node, cause });
  const balancer = { tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name };
  if (signal === 'proxy_internal_error') return placed({ ...balancer, cause: 'balancer-exhausted' }, 'proved', 'proved');
  // A proxy may take an answer for a failure, and say no more of it.
  if (signal === null && attempt?.outcome === 'answered' && Number(attempt.status) >= FIRST_SERVER_ERROR) {
    if (isOfDatabase(attempt.error)) return attributeDatabase(facts, counters, { node, error: attempt.error, place: '', from, to });
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
  return attributeAttempt(facts, counters, { node, signal: last.message?.signal ?? null, attempt, others, ...whileWaiting(trace) });
}

/** No service has the address, and none answers there. @param {import('../../adapters/contract.js').UpstreamAttempt} attempt */
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
    return attributeDatabase(facts, counters, { node, error: '', place: attempt.place, from, to });
  if (attempt && isOfDatabase(attempt.error))
    return attributeDatabase(facts, counters, { node, error: attempt.error, place: '', from, to });
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

/*
 * Whose fault it is that a node's circuit breaker was open: that of the request whose failure opened it.
 */

/** The cause that refusals by a breaker have. */
export const BREAKER_OPEN = 'breaker-open';

/**
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @param {{ node: string, opener: string | undefined }} refusal  opener: id of the request that opened it, where the node says so
 * @returns {import('./place.js').Placement}
 */
export function attributeBreaker(facts, counters, { node, opener = '' }) {
  const breaker = { tier: /** @type {const} */ ('app'), service: node, cause: BREAKER_OPEN };
  const failed = facts.attempts.get(opener)?.find((attempt) => attempt.node === node && isOfDatabase(attempt.error));
  if (!failed) return placed(breaker, 'proved', 'proved');
  const { error, received: from, ended } = failed;
  const trigger = attributeDatabase(facts, counters, { node, error, place: '', from, to: ended ?? from });
  return { ...trigger, where: 'proved', amplifier: breaker };
}

/*
 * Whose fault it is that a request found no place in a proxy's queue: that of the queue itself, or of what held every node behind it.
 */

/**
 * @param {import('./place.js').Trace} trace
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @returns {import('./place.js').Placement}
 */
export function attributeQueue(trace, facts, counters) {
  const queue = { tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name, cause: 'queue-full' };
  const trigger = triggerOf(facts, counters, whileWaiting(trace));
  return trigger ? { ...trigger, amplifier: queue } : placed(queue, 'proved', 'proved');
}

/** @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, span: { from: number, to: number }) => import('./place.js').Placement | null} */
function triggerOf(facts, counters, span) {
  const triggers = heldNodes(facts, span).map((held) => blameSpell(facts, counters, { ...held, ...span }));
  // A node that was held and nobody knows by what may be what the queue waited for.
  return triggers.includes(null) ? null : (triggers[0] ?? null);
}

/**
 * Nodes that gave no good answer for most of a time; none where another was there and gave one.
 * @type {(facts: import('./place.js').Facts, span: { from: number, to: number }) => { service: string, spell: import('./behind.js').NoSuccessInterval }[]}
 */
function heldNodes(facts, span) {
  const nodes = [...facts.spells.keys()].map((service) => ({ service, spell: heldWithoutSuccess(facts, service, span) }));
  const held = nodes.flatMap(({ service, spell }) => (spell ? [{ service, spell }] : []));
  return nodes.every(({ service, spell }) => spell || isGone(facts, service, span)) ? held : [];
}

/** Whether it was down, or left out. @type {(facts: import('./place.js').Facts, node: string, span: { from: number, to: number }) => boolean} */
function isGone(facts, node, span) {
  const leftOut = (facts.front?.benches ?? []).map(({ node: name, from, to }) => ({ name, from, to }));
  return crashDuring(facts, node, span) !== null || overlapping(leftOut, node, span) !== undefined;
}
