/**
 * Whose fault it is that a request failed at the database or before it: in its pool, or on the way.
 */
import { isAnswered, isBroken, isPoolCleared, isPoolWait } from '../../adapters/shipped.js';
import { AROUND_S, overlapping, placed } from './place.js';

/** After a network error the driver clears its pool, and looks for a server for as long as this unless told otherwise. */
const SEARCH_S = 30;
/**
 * Signs that what was sent between the two did not arrive, in the namespace where nothing else gives them: the database talks to its
 * nodes alone, and a node dials nobody but the database. A node's own time-outs may be its users'. The driver tries its server every 10 s.
 */
const LOST_BY_DATABASE = 'TCPTimeouts';
const LOST_BY_NODE = 'TCPSynRetrans';
const HEARTBEAT_S = 10;
/** Of the time that a request was at the database, from which on the node that waits is what it waits for; the lab's own choice. */
const BUSY_SHARE = 0.5;
/** The database is asked once a second. */
const ASKED_EVERY_S = 1;

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
  if (isAnswered(error)) return placed(inDatabase('database-error'), 'proved', 'proved');
  const cleared = isPoolCleared(error);
  const span = { from: cleared ? from - SEARCH_S : from, to };
  const amplifier = cleared ? inPool('pool-cleared') : isPoolWait(error) || place === 'pool' ? inPool('pool-wait') : null;
  const trigger = troubleOf(facts, counters, { node, service, span, amplified: amplifier !== null });
  if (trigger) return placed(inDatabase(trigger), 'proved', 'timed', amplifier);
  // The database's answer lies in the node's socket until the node comes round to it.
  if (error === '' && place === 'database' && isBusy(facts, node, { from, to }))
    return placed({ tier: 'app', service: node, cause: 'event-loop-busy' }, 'proved', 'timed');
  if (cleared) return placed(inPool('pool-cleared'), 'proved', 'proved');
  if (isPoolWait(error)) return placed(inPool('pool-wait-timeout'), 'proved', 'proved');
  if (place === 'pool') return placed(inPool('pool-wait'), 'proved', 'proved');
  if (isBroken(error)) return placed(inDatabase('database-lost'), 'proved', 'proved');
  return placed(inDatabase('database-slow'), 'proved', 'proved');
}

/**
 * What happened to the database, or on the way to it, while the request was there.
 * @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, at: { node: string, service: string, span: { from: number, to: number }, amplified: boolean }) => string | null}
 */
function troubleOf({ deaths, stalls, database }, counters, { node, service, span, amplified }) {
  const death = overlapping(deaths, service, span, AROUND_S);
  if (death) return death.outOfMemory ? 'out-of-memory' : 'database-down';
  if (overlapping(stalls, service, span)) return 'database-slow';
  const rejected = `${service} rejected`;
  // One refusal fails one request, unless the pool made many of it.
  if (amplified ? counters.rose(rejected, span.from - 1, span.to + 1) : counters.take(rejected, span.from - 1, span.to + 1))
    return 'database-refused';
  const rose = (/** @type {string} */ counter) => counters.rose(counter, span.from - HEARTBEAT_S, span.to + 1);
  const lost = rose(`${service} ${LOST_BY_DATABASE}`) || rose(`${node} ${LOST_BY_NODE}`);
  const alive = database.answered.some((t) => t >= span.from - ASKED_EVERY_S && t <= span.to + ASKED_EVERY_S);
  return lost && alive ? 'database-unreachable' : null;
}

/** Whether the node's event loop was busy for most of a time. @type {(facts: import('./place.js').Facts, node: string, span: { from: number, to: number }) => boolean} */
function isBusy({ busyLoops }, node, { from, to }) {
  const busy = busyLoops.filter(({ name }) => name === node).map((time) => Math.min(time.to, to) - Math.max(time.from, from));
  return busy.filter((seconds) => seconds > 0).reduce((sum, seconds) => sum + seconds, 0) > (to - from) * BUSY_SHARE;
}
