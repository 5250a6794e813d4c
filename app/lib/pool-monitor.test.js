import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { performance } from 'node:perf_hooks';
import { beforeEach, mock, test } from 'node:test';
import { currentRequest, longestWait, monitorPool, placeOf } from './pool-monitor.js';

/** A clock that moves only when a test says so. */
let nowMs = 0;
mock.method(performance, 'now', () => nowMs);

const client = { events: new EventEmitter() };
let pool = monitorPool(/** @type {any} */ (client.events));
beforeEach(() => {
	nowMs = 0;
	client.events = new EventEmitter();
	pool = monitorPool(/** @type {any} */ (client.events));
});

const AT = { address: 'mongo:27017' };
const newRequest = () => ({ poolMs: 0, databaseMs: 0, place: /** @type {const} */ ('app') });
/** @typedef {ReturnType<typeof newRequest>} Request */

/** A checkout starts in the context of its request. @param {Request} request */
const startCheckOut = (request) => currentRequest.run(request, () => client.events.emit('connectionCheckOutStarted', AT));
/** The driver tells of a connection from another context than its request's, here from none. @param {string} event @param {number} connectionId */
const tell = (event, connectionId, at = AT) => client.events.emit(event, { ...at, connectionId });
/** @param {number} connectionId */
const open = (connectionId) => tell('connectionCreated', connectionId);
/** @param {number} connectionId */
const handOut = (connectionId, at = AT) => tell('connectionCheckedOut', connectionId, at);
/** @param {number} connectionId */
const takeBack = (connectionId) => tell('connectionCheckedIn', connectionId);
/** @param {string} reason @param {Error} [error] */
const failCheckOut = (reason, error) => client.events.emit('connectionCheckOutFailed', { ...AT, reason, error });

test('a request is charged for its wait and for the time it held its connection', () => {
	const request = newRequest();
	startCheckOut(request);
	nowMs = 5;
	handOut(1);
	nowMs = 12;
	takeBack(1);
	assert.deepEqual(request, { poolMs: 5, databaseMs: 7, place: 'app' });
});

test('a request with two checkouts is charged for both', () => {
	const request = newRequest();
	for (const connectionId of [1, 2]) {
		startCheckOut(request);
		nowMs += 3;
		handOut(connectionId);
		nowMs += 4;
		takeBack(connectionId);
	}
	assert.deepEqual(request, { poolMs: 6, databaseMs: 8, place: 'app' });
});

test('connections go to waiting requests first in, first out, whoever is served by which connection', () => {
	const [first, second] = [newRequest(), newRequest()];
	startCheckOut(first);
	nowMs = 1;
	startCheckOut(second);
	nowMs = 10;
	handOut(7);
	nowMs = 30;
	handOut(3);
	nowMs = 31;
	takeBack(3);
	nowMs = 40;
	takeBack(7);
	assert.deepEqual(first, { poolMs: 10, databaseMs: 30, place: 'app' });
	assert.deepEqual(second, { poolMs: 29, databaseMs: 1, place: 'app' });
});

test('for whom a connection is opened has that one, and who stood behind may be served before', () => {
	const [first, second] = [newRequest(), newRequest()];
	startCheckOut(first);
	open(8);
	startCheckOut(second);
	assert.equal(pool.read().waiting, 2);
	nowMs = 10;
	handOut(3);
	assert.deepEqual([first.place, second.place], ['pool', 'database']);
	nowMs = 30;
	takeBack(3);
	assert.deepEqual([first.place, second.place], ['pool', 'app']);
	nowMs = 50;
	handOut(8);
	assert.deepEqual([first.poolMs, first.place, pool.read().waiting], [50, 'database', 0]);
});

test('a request whose own connection could not be opened fails before those that wait', () => {
	const [first, second] = [newRequest(), newRequest()];
	startCheckOut(first);
	open(8);
	startCheckOut(second);
	nowMs = 5;
	tell('connectionClosed', 8);
	failCheckOut('connectionError');
	assert.deepEqual([first.place, second.place, pool.read().waiting], ['app', 'pool', 1]);
});

test('a request that gives up while its own connection is opened leaves it to the next', () => {
	const [first, second] = [newRequest(), newRequest()];
	startCheckOut(first);
	open(8);
	startCheckOut(second);
	currentRequest.run(first, () => failCheckOut('timeout'));
	handOut(8);
	assert.deepEqual([first.place, second.place, pool.read().waiting], ['app', 'database', 0]);
});

test('a cleared pool fails who waits for a connection of their own after the queue', () => {
	const [first, second] = [newRequest(), newRequest()];
	startCheckOut(first);
	open(8);
	startCheckOut(second);
	failCheckOut('connectionError');
	assert.deepEqual([first.place, second.place], ['pool', 'app']);
	failCheckOut('connectionError');
	assert.deepEqual([first.place, pool.read().waiting], ['app', 0]);
});

test('who waits for one server is not served by a connection to another', () => {
	const request = newRequest();
	startCheckOut(request);
	handOut(1, { address: 'other:27017' });
	assert.deepEqual([request.place, pool.read().waiting], ['pool', 1]);
});

test('a timeout takes the request that gave up out of the queue, and not the one at its head', () => {
	const [first, second, third] = [newRequest(), newRequest(), newRequest()];
	for (const request of [first, second, third]) startCheckOut(request);
	nowMs = 100;
	currentRequest.run(second, () => failCheckOut('timeout', Object.assign(new Error(), { name: 'WaitQueueTimeoutError' })));
	nowMs = 120;
	handOut(1);
	handOut(2);
	assert.deepEqual(
		[first, second, third].map(({ poolMs }) => poolMs),
		[120, 100, 120],
	);
	const { waiting, failed, in_use } = pool.read();
	assert.deepEqual({ waiting, failed, in_use }, { waiting: 0, failed: { WaitQueueTimeoutError: 1 }, in_use: 2 });
});

test('a cleared pool fails the queue from its head, and counts under the reason where there is no error', () => {
	const [first, second] = [newRequest(), newRequest()];
	startCheckOut(first);
	startCheckOut(second);
	nowMs = 8;
	failCheckOut('connectionError');
	assert.deepEqual([first.poolMs, second.poolMs], [8, 0]);
	assert.deepEqual(pool.read().failed, { connectionError: 1 });
	assert.equal(pool.read().waiting, 1);
});

test('a check-in without a holder, such as of a connection that was never handed out, changes nothing', () => {
	const before = pool.read();
	takeBack(99);
	assert.deepEqual(pool.read(), before);
});

test('a hand-out that nobody waits for is not counted as in use', () => {
	handOut(1);
	takeBack(1);
	const { checkouts, in_use } = pool.read();
	assert.deepEqual({ checkouts, in_use }, { checkouts: 0, in_use: 0 });
});

test('the driver’s own checkouts, outside of any request, are counted and charged to none', () => {
	client.events.emit('connectionCheckOutStarted', AT);
	nowMs = 4;
	handOut(1);
	const { checkouts, wait_ms, in_use } = pool.read();
	assert.deepEqual({ checkouts, wait_ms, in_use }, { checkouts: 1, wait_ms: 4, in_use: 1 });
});

test('the size follows connections that are made and closed, and a clearing is counted', () => {
	for (const event of ['connectionCreated', 'connectionCreated', 'connectionClosed', 'connectionPoolCleared'])
		client.events.emit(event, {});
	const { size, created, closed, cleared } = pool.read();
	assert.deepEqual({ size, created, closed, cleared }, { size: 1, created: 2, closed: 1, cleared: 1 });
});

test('what was read stays as it was read', () => {
	const before = pool.read();
	startCheckOut(newRequest());
	failCheckOut('timeout');
	assert.deepEqual(before.failed, {});
	assert.equal(before.waiting, 0);
});

test('while the driver looks for its server, a request that wants it is at the database', () => {
	const client = new EventEmitter();
	monitorPool(/** @type {any} */ (client));
	const request = newRequest();
	assert.equal(placeOf(request), 'app');
	client.emit('connectionPoolCleared', {});
	assert.equal(placeOf(request), 'database');
	client.emit('connectionPoolReady', {});
	assert.equal(placeOf(request), 'app');
});

test('a request has waited the most for what took most of its time, wherever it is now', () => {
	const request = newRequest();
	startCheckOut(request);
	nowMs = 300;
	handOut(1);
	assert.equal(longestWait(request, 0), 'pool');
	nowMs = 1000;
	assert.equal(longestWait(request, 0), 'database');
	takeBack(1);
	assert.equal(longestWait(request, 0), 'database');
	nowMs = 2500;
	assert.equal(longestWait(request, 0), 'app');
});

test('who waits for a pool to which no connection comes back waits for the database', () => {
	const [holder, waiting] = [newRequest(), newRequest()];
	startCheckOut(holder);
	handOut(1);
	startCheckOut(waiting);
	nowMs = 1000;
	assert.equal(longestWait(waiting, 0), 'database');
	takeBack(1);
	assert.equal(longestWait(waiting, 0), 'pool');
});
