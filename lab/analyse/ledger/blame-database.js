/**
 * Whose fault it is that a request failed at MongoDB or before it: in its pool, or on the way.
 */
import { AROUND_S, overlapping, placed } from './place.js';

/** The driver's error names that speak of the pool; the rest of its errors speak of MongoDB. */
const POOL_WAIT = new Set(['MongoWaitQueueTimeoutError', 'WaitQueueTimeoutError']);
const POOL_CLEARED = new Set(['MongoPoolClearedError', 'PoolClearedError', 'PoolClearedOnNetworkError', 'MongoPoolClearedOnNetworkError']);
const ANSWERED = new Set(['MongoServerError', 'MongoWriteConcernError', 'MongoBulkWriteError']);
/** After a network error the driver clears its pool, and looks for a server for as long as this unless told otherwise. */
const SEARCH_S = 30;
/** Signs in a network namespace that what was sent did not arrive. */
const LOST_PACKETS = ['TCPTimeouts', 'RetransSegs'];

/** @param {string} error name @returns {boolean} whether the driver's error speaks of the pool or of MongoDB */
export const isOfDatabase = (error) => error.startsWith('Mongo') || POOL_WAIT.has(error) || POOL_CLEARED.has(error);

/**
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @param {{ node: string, error: string, place: string, from: number, to: number }} failure  error: name, or empty where the request
 *   was still there (in `place`) when its client gave up
 * @returns {import('./place.js').Placement}
 */
export function blameDatabase(facts, counters, { node, error, place, from, to }) {
  const service = facts.database.name ?? 'database';
  const inDatabase = (/** @type {string} */ cause) => ({ tier: /** @type {const} */ ('database'), service, cause });
  const inPool = (/** @type {string} */ cause) => ({ tier: /** @type {const} */ ('pool'), service: node, cause });
  if (ANSWERED.has(error)) return placed(inDatabase('database-error'), 'proved', 'proved');
  const cleared = POOL_CLEARED.has(error);
  const span = { from: cleared ? from - SEARCH_S : from, to };
  const amplifier = cleared ? inPool('pool-cleared') : POOL_WAIT.has(error) || place === 'pool' ? inPool('pool-wait') : null;
  const trigger = troubleOf(facts, counters, node, service, span, !amplifier);
  if (trigger) return placed(inDatabase(trigger), 'proved', 'timed', amplifier);
  if (cleared) return placed(inPool('pool-cleared'), 'proved', 'proved');
  if (POOL_WAIT.has(error)) return placed(inPool('pool-wait-timeout'), 'proved', 'proved');
  if (place === 'pool') return placed(inPool('pool-wait'), 'proved', 'proved');
  return placed(inDatabase('database-slow'), 'proved', 'proved');
}

/**
 * What happened to MongoDB, or on the way to it, while the request was there.
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, node: string, service: string, span: { from: number, to: number }, ofConnection: boolean) => string | null}
 */
function troubleOf({ deaths, stalls, database }, counters, node, service, span, ofConnection) {
  const death = overlapping(deaths, service, span, AROUND_S);
  if (death) return death.outOfMemory ? 'out-of-memory' : 'database-down';
  if (overlapping(stalls, service, span)) return 'database-slow';
  if (!ofConnection) return null;
  if (counters.take(`${service} rejected`, span.from - 1, span.to + 1)) return 'database-refused';
  const lost = LOST_PACKETS.every((counter) => counters.rose(`${node} ${counter}`, span.from, span.to + 1));
  const alive = database.answered.some((t) => t >= span.from && t <= span.to);
  return lost && alive ? 'database-unreachable' : null;
}
