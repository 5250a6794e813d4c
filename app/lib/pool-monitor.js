/**
 * Watches the driver's connection pool through the driver's own events, and tells each request how long it waited for
 * a connection and how long it then held one.
 *
 * A checkout starts inside the request's own asynchronous context, but the driver hands connections out from another
 * one. The driver serves the wait queue of each server first in, first out, and takes from its head for whom it opens a
 * connection; who stands behind may then be served before. Queues beside the driver's know whose turn it is.
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

/**
 * @typedef {{ times: RequestTimes | undefined, since: number }} Turn  of who waits for a connection, or holds one
 *
 * @typedef {object} Turns                     at one server
 * @property {Turn[]} waiting                  for any connection
 * @property {Map<unknown, Turn>} opening      for the one that the driver opens for them, by its id
 * @property {Map<unknown, Turn>} held         whose each connection is, by its id
 */

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
	/** @type {Map<string, Turns>} */
	const servers = new Map();
	/** @param {string} address @returns {Turns} */
	const turnsAt = (address) => {
		const known = servers.get(address);
		if (known) return known;
		const turns = { waiting: [], opening: new Map(), held: new Map() };
		servers.set(address, turns);
		return turns;
	};

	client.on('connectionCreated', ({ address, connectionId }) => {
		counts.created += 1;
		counts.size += 1;
		const { waiting, opening } = turnsAt(address);
		const turn = waiting.shift();
		if (turn) opening.set(connectionId, turn);
	});
	client.on('connectionClosed', ({ address, connectionId }) => {
		counts.closed += 1;
		counts.size -= 1;
		const { waiting, opening } = turnsAt(address);
		const turn = opening.get(connectionId);
		// The driver fails them next.
		if (turn) waiting.unshift(turn);
		opening.delete(connectionId);
	});
	client.on('connectionPoolCleared', () => {
		counts.cleared += 1;
		searching = true;
	});
	client.on('connectionPoolReady', () => {
		searching = false;
	});
	client.on('connectionCheckOutStarted', ({ address }) => {
		const times = currentRequest.getStore();
		if (times) times.place = 'pool';
		turnsAt(address).waiting.push({ times, since: performance.now() });
	});
	client.on('connectionCheckedOut', ({ address, connectionId }) => {
		const { waiting, opening, held } = turnsAt(address);
		const turn = opening.get(connectionId) ?? waiting.shift();
		opening.delete(connectionId);
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
		held.set(connectionId, turn);
	});
	client.on('connectionCheckOutFailed', (event) => {
		// A timeout is reported in the context of the request that gave up; other failures clear the queue from its head.
		const turn = (event.reason === 'timeout' && takeOwn(turnsAt(event.address))) || takeFirst(turnsAt(event.address));
		if (turn?.times) {
			turn.times.poolMs += performance.now() - turn.since;
			turn.times.place = 'app';
		}
		const { error } = /** @type {{ error?: Error }} */ (event); // the driver's types keep it to themselves
		const name = error?.name ?? event.reason;
		counts.failed[name] = (counts.failed[name] ?? 0) + 1;
	});
	client.on('connectionCheckedIn', (event) => {
		const { held } = turnsAt(event.address);
		const holder = held.get(event.connectionId);
		if (!holder) return;
		held.delete(event.connectionId);
		counts.in_use -= 1;
		returnedAt = performance.now();
		if (!holder.times) return;
		holder.times.databaseMs += returnedAt - holder.since;
		holder.times.place = 'app';
	});

	return {
		/** The counters since the start, and the gauges of this moment. */
		read: () => ({
			...counts,
			failed: { ...counts.failed },
			waiting: [...servers.values()].reduce((sum, turns) => sum + waitingIn(turns), 0),
		}),
	};
}

/** @param {Turns} turns */
const waitingIn = ({ waiting, opening }) => waiting.length + opening.size;

/** That of the running code. @param {Turns} turns @returns {Turn | undefined} */
function takeOwn({ waiting, opening }) {
	const isOwn = (/** @type {Turn} */ { times }) => times === currentRequest.getStore();
	const index = waiting.findIndex(isOwn);
	return index >= 0 ? waiting.splice(index, 1)[0] : taken(opening, [...opening].find(([, turn]) => isOwn(turn))?.[0]);
}

/** That of the head of the queue; once that is empty, of who waited longest for one of its own. @param {Turns} turns @returns {Turn | undefined} */
const takeFirst = ({ waiting, opening }) => waiting.shift() ?? taken(opening, opening.keys().next().value);

/** @param {Map<unknown, Turn>} turns @param {unknown} id @returns {Turn | undefined} */
function taken(turns, id) {
	const turn = turns.get(id);
	turns.delete(id);
	return turn;
}
