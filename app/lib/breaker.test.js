import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { withBreaker } from './breaker.js';
import { currentRequest } from './pool-monitor.js';
import { newTimes } from './request-handler.js';

const CONFIG = { breakerTimeoutMs: 1000, breakerResetMs: 2000 };
/** @param {string} id */
const asked = (id) => ({ get: () => id });

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] }));
afterEach(() => mock.timers.reset());

/** A database that can be told to stall; a request of it ends by the breaker's own time-out then. */
function stalling() {
	const state = { stalls: false, asked: 0 };
	const work = withBreaker(CONFIG, async () => {
		state.asked += 1;
		if (state.stalls) await new Promise(() => {});
	});
	return { state, ask: (id = '') => currentRequest.run({ ...newTimes(), place: 'database' }, work, asked(id)) };
}

/** What each of so many requests at once comes to: `ok`, or the error's name. @param {() => Promise<void>} ask @param {number} count */
const send = (ask, count) =>
	Promise.all(
		Array.from({ length: count }, () =>
			ask().then(
				() => 'ok',
				({ name }) => name,
			),
		),
	);

/** Its breaker is open when this returns. @param {ReturnType<typeof stalling>} database */
async function open({ state, ask }) {
	state.stalls = true;
	const first = send(ask, 10);
	mock.timers.tick(500);
	send(ask, 10);
	mock.timers.tick(500);
	return first;
}

test('without a time-out the work is left as it is', () => {
	const work = async () => {};
	assert.equal(withBreaker({ breakerResetMs: 2000 }, work), work);
});

test('what the work gives and throws is handed on', async () => {
	const given = withBreaker(CONFIG, async ({ get }) => get('x-request-id'));
	assert.equal(await given(/** @type {any} */ (asked('1-4'))), '1-4');
	const failure = new TypeError('x');
	const failing = withBreaker(CONFIG, () => Promise.reject(failure));
	await assert.rejects(failing(asked('')), (error) => error === failure);
});

test('a request that takes too long is answered as the driver answers one, by what it waited for', async () => {
	for (const [times, name] of /** @type {const} */ ([
		[{ databaseMs: 9e6 }, 'MongoOperationTimeoutError'],
		[{ poolMs: 9e6 }, 'MongoWaitQueueTimeoutError'],
		[{}, 'TimeoutError'],
	])) {
		const work = withBreaker(CONFIG, () => new Promise(() => {}));
		const sent = send(() => currentRequest.run({ ...newTimes(), ...times }, work, asked('')), 1);
		mock.timers.tick(1000);
		assert.deepEqual(await sent, [name]);
	}
});

test('a database that stalls opens it, and nothing more is asked of the database', async () => {
	const database = stalling();
	assert.deepEqual(new Set(await open(database)), new Set(['MongoOperationTimeoutError']));
	assert.deepEqual(new Set(await send(database.ask, 20)), new Set(['BreakerOpenError']));
	assert.equal(database.state.asked, 20);
});

test('who is refused is told when one request is let through, and by whose failure', async () => {
	const { state, ask } = stalling();
	state.stalls = true;
	const late = Array.from({ length: 10 }, (_, index) => assert.rejects(ask(`1-${index}`)));
	mock.timers.tick(500);
	send(ask, 10);
	mock.timers.tick(500);
	await Promise.all(late);
	// Of ten that were begun in the last second six are more than half.
	await assert.rejects(ask('2-1'), { retryAfterS: 2, opener: '1-5' });
});

/** Requests that stall, and half a second later others of which some are answered; what one that comes after the time-out comes to. @param {{ stall: number, later: number, laterStall: boolean }} requests */
async function afterwards({ stall, later, laterStall }) {
	const { state, ask } = stalling();
	state.stalls = true;
	const late = send(ask, stall);
	mock.timers.tick(500);
	state.stalls = laterStall;
	send(ask, later);
	mock.timers.tick(500);
	await late;
	state.stalls = false;
	return (await send(ask, 1))[0];
}

test('more than half of a second’s requests have to fail, and ten have to be begun in it', async () => {
	assert.equal(await afterwards({ stall: 9, later: 9, laterStall: true }), 'ok');
	assert.equal(await afterwards({ stall: 10, later: 20, laterStall: false }), 'ok');
	assert.equal(await afterwards({ stall: 11, later: 20, laterStall: false }), 'BreakerOpenError');
});

test('after a while one request is let through: its failure keeps it open, its answer closes it', async () => {
	const database = stalling();
	await open(database);
	mock.timers.tick(2000);
	const tried = send(database.ask, 3);
	mock.timers.tick(1000);
	assert.deepEqual(await tried, ['MongoOperationTimeoutError', 'BreakerOpenError', 'BreakerOpenError']);
	database.state.stalls = false;
	assert.deepEqual(await send(database.ask, 1), ['BreakerOpenError']);
	mock.timers.tick(2000);
	assert.deepEqual(await send(database.ask, 1), ['ok']);
	assert.deepEqual(await send(database.ask, 2), ['ok', 'ok']);
});
