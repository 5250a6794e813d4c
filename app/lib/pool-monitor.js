/**
 * Watches the driver's connection pool through the driver's own events, and tells each request how long it waited for
 * a connection and how long it then held one.
 *
 * A checkout starts inside the request's own asynchronous context, but the driver hands connections out from another
 * one. The driver serves its wait queue first in, first out, so a queue beside it knows whose turn it is.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';

/**
 * @typedef {object} RequestTimes  milliseconds of one request, filled while it runs
 * @property {number} poolMs       waiting for a pooled connection
 * @property {number} databaseMs   holding one: the round trips to MongoDB as this node sees them
 * @property {'app' | 'pool' | 'database'} place  where it is now: in the node's own code, waiting for a connection, or holding one
 * @property {string} [error]      name of the error that it is answered with
 * @property {string} [opener]     id of the request whose failure made the node refuse this one
 */

/** Since the driver cleared its pool it looks for MongoDB, and whoever asks for a connection waits for that. */
let searching = false;

/** Where a request is. @param {RequestTimes} times @returns {RequestTimes['place']} */
export const placeOf = ({ place }) => (searching && place === 'app' ? 'database' : place);

/** When a connection last came back to the pool, by performance.now(). */
let returnedAt = 0;
/** Of a wait for the pool, in more than which no connection came back to it: they were all with the database, or it answered no new one. The lab's own choice. */
const SILENT_SHARE = 0.5;

/**
 * What a request has spent most of its time on.
 * @param {RequestTimes} times
 * @param {number} beganAt  by performance.now()
 * @returns {RequestTimes['place']}
 */
export function longestWait(times, beganAt) {
  const now = performance.now();
  const spent = { app: 0, pool: times.poolMs, database: times.databaseMs };
  const hereMs = now - beganAt - spent.pool - spent.database;
  const place = placeOf(times);
  spent[place === 'pool' && now - returnedAt > hereMs * SILENT_SHARE ? 'database' : place] += hereMs;
  if (spent.app > Math.max(spent.pool, spent.database)) return 'app';
  return spent.pool > spent.database ? 'pool' : 'database';
}

/** The request that the running code works for. @type {AsyncLocalStorage<RequestTimes>} */
export const currentRequest = new AsyncLocalStorage();

/**
 * @param {import('mongodb').MongoClient} client
 */
export function monitorPool(client) {
  searching = false;
  returnedAt = 0;
  const counts = {
    checkouts: 0,
    wait_ms: 0,
    failed: /** @type {Record<string, number>} */ ({}),
    created: 0,
    closed: 0,
    cleared: 0,
    size: 0,
    in_use: 0,
  };
  /** @type {{ times: RequestTimes | undefined, since: number }[]} */
  const waiting = [];
  /** When each connection was handed out, and for whom, by server. @type {Map<string, Map<number | string, { times: RequestTimes | undefined, since: number }>>} */
  const held = new Map();
  /** @param {string} address */
  const heldAt = (address) => {
    const known = held.get(address);
    if (known) return known;
    const connections = new Map();
    held.set(address, connections);
    return connections;
  };

  client.on('connectionCreated', () => {
    counts.created += 1;
    counts.size += 1;
  });
  client.on('connectionClosed', () => {
    counts.closed += 1;
    counts.size -= 1;
  });
  client.on('connectionPoolCleared', () => {
    counts.cleared += 1;
    searching = true;
  });
  client.on('connectionPoolReady', () => {
    searching = false;
  });
  client.on('connectionCheckOutStarted', () => {
    const times = currentRequest.getStore();
    if (times) times.place = 'pool';
    waiting.push({ times, since: performance.now() });
  });
  client.on('connectionCheckedOut', (event) => {
    const turn = waiting.shift();
    if (!turn) return;
    const now = performance.now();
    counts.checkouts += 1;
    counts.wait_ms += now - turn.since;
    counts.in_use += 1;
    if (turn.times) {
      turn.times.poolMs += now - turn.since;
      turn.times.place = 'database';
    }
    turn.since = now;
    heldAt(event.address).set(event.connectionId, turn);
  });
  client.on('connectionCheckOutFailed', (event) => {
    // A timeout is told in the context of the request that gave up; other failures clear the queue from its head.
    const own = waiting.findIndex((turn) => turn.times === currentRequest.getStore());
    const [turn] = waiting.splice(event.reason === 'timeout' && own >= 0 ? own : 0, 1);
    if (turn?.times) {
      turn.times.poolMs += performance.now() - turn.since;
      turn.times.place = 'app';
    }
    const { error } = /** @type {{ error?: Error }} */ (event); // the driver's types keep it to themselves
    const name = error?.name ?? event.reason;
    counts.failed[name] = (counts.failed[name] ?? 0) + 1;
  });
  client.on('connectionCheckedIn', (event) => {
    const atServer = heldAt(event.address);
    const holder = atServer.get(event.connectionId);
    if (!holder) return;
    atServer.delete(event.connectionId);
    counts.in_use -= 1;
    returnedAt = performance.now();
    if (!holder.times) return;
    holder.times.databaseMs += returnedAt - holder.since;
    holder.times.place = 'app';
  });

  return {
    /** The counters since the start, and the gauges of this moment. */
    read: () => ({ ...counts, failed: { ...counts.failed }, waiting: waiting.length }),
  };
}
