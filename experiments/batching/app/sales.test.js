import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentRequest } from '../../../app/lib/pool-monitor.js';
import { newSeller } from './sales.js';

/**
 * A database of one event. Each of its operations takes 1 ms of waiting for the pool and 3 ms of holding a connection.
 * @param {{ stock?: number, sold?: number, insertMany?: () => void }} [event]
 */
function newBench({ stock = 100, sold = 0, insertMany = () => {} } = {}) {
	const event = { _id: 'main', stock, sold };
	/** @type {any[]} */
	const orders = [];
	/** @type {Record<string, any>} */
	const writeConcerns = {};
	const spend = () => {
		const times = /** @type {import('../../../app/lib/pool-monitor.js').RequestTimes} */ (currentRequest.getStore());
		times.poolMs += 1;
		times.databaseMs += 3;
	};
	const collections = {
		inventory: {
			findOneAndUpdate: async (/** @type {any} */ { _id }, /** @type {any} */ [{ $set }]) => {
				spend();
				if (_id !== event._id) return null;
				const before = { ...event };
				event.sold = Math.min(event.stock, event.sold + $set.sold.$min[1].$add[1]);
				return before;
			},
		},
		orders: {
			insertMany: async (/** @type {any[]} */ documents) => {
				spend();
				insertMany();
				orders.push(...documents);
			},
		},
	};
	const database = {
		collection: (/** @type {'inventory' | 'orders'} */ name, /** @type {any} */ options) => {
			writeConcerns[name] = options.writeConcern;
			return collections[name];
		},
	};
	const own = { batches: 0, batched: 0 };
	return { sell: newSeller(/** @type {any} */ (database), own), orders, own, writeConcerns };
}

test('each sale of a batch gets a ticket of its own, and an order is stored for it', async () => {
	const { sell, orders, own } = newBench({ sold: 7 });
	assert.deepEqual(await sell('main', [{}, {}]), [7, 8]);
	assert.deepEqual(orders, [
		{ event: 'main', ticket: 7 },
		{ event: 'main', ticket: 8 },
	]);
	assert.deepEqual(own, { batches: 1, batched: 2 });
});

test('when the stock ends within a batch, the sales that came last get none', async () => {
	const { sell, orders } = newBench({ stock: 10, sold: 9 });
	assert.deepEqual(await sell('main', [{}, {}, {}]), [9, null, null]);
	assert.equal(orders.length, 1);
	assert.deepEqual(await sell('main', [{}]), [null]);
	assert.equal(orders.length, 1);
});

test('orders that cannot be stored fail the batch, and their tickets are sold to nobody else', async () => {
	let failures = 1;
	const { sell } = newBench({
		insertMany: () => {
			if (failures-- > 0) throw new Error('no');
		},
	});
	await assert.rejects(sell('main', [{}, {}]), /no/);
	assert.deepEqual(await sell('main', [{}]), [2]);
});

test('an event that is not there is an error that names it', async () => {
	await assert.rejects(newBench().sell('other', [{}]), /^Error: event: expected main or warmup, found "other"$/);
});

test('every request of a batch is charged for all that the batch waited for, also when it failed', async () => {
	const newTimes = () => ({ poolMs: 0, databaseMs: 0, place: /** @type {const} */ ('app') });
	const good = [newTimes(), newTimes()];
	await newBench().sell(
		'main',
		good.map((times) => ({ times })),
	);
	assert.deepEqual(good, [
		{ poolMs: 2, databaseMs: 6, place: 'app' },
		{ poolMs: 2, databaseMs: 6, place: 'app' },
	]);
	const failed = newTimes();
	await assert.rejects(newBench().sell('other', [{ times: failed }]));
	assert.deepEqual(failed, { poolMs: 1, databaseMs: 3, place: 'app' });
});

test('both writes are answered when they are in the journal', () => {
	const journaled = { w: 1, journal: true };
	assert.deepEqual(newBench().writeConcerns, { inventory: journaled, orders: journaled });
});
