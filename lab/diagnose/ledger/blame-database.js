/**
 * Whose fault it is that a request failed at the database or before it: in its pool, on the way, or at the node that waits for it.
 */
import { errorSignal } from '../../adapters/registry.js';
import { answeredBy, checkedOutBy, clearedAt } from './counters.js';
import { AROUND_S, deathDuring, overlapping, placed, tookMost } from './place.js';

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
export function blameDatabase(facts, counters, { node, error, place, from, to }) {
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
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, at: { node: string, stall: import('./lives.js').Stall }) => boolean}
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
