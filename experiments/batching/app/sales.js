/**
 * Sells tickets: takes them from the event's stock, then stores an order for each. Both writes are answered when they are
 * in the journal. A batch whose orders cannot be stored fails as a whole, and its tickets are sold to nobody.
 */
import { JOURNALED } from '../../../app/lib/database.js';
import { currentRequest } from '../../../app/lib/pool-monitor.js';
import { reservationOf, ticketsTaken } from './inventory.js';

/** The event of the load, and that of the warm-up, whose stock never ends. */
export const EVENT = 'main';
export const WARMUP_EVENT = 'warmup';

/**
 * @typedef {object} Sale
 * @property {import('../../../app/lib/pool-monitor.js').RequestTimes} [times]  of the request that waits for it
 *
 * @typedef {number | null} Ticket  none where none was left
 */

/**
 * Makes the events, unless another node did.
 * @param {import('mongodb').Db} database
 * @param {number} stock of the load's event
 */
export async function openEvents(database, stock) {
	const inventory = inventoryOf(database);
	for (const [event, tickets] of /** @type {const} */ ([
		[EVENT, stock],
		[WARMUP_EVENT, Number.MAX_SAFE_INTEGER],
	])) {
		await inventory.updateOne({ _id: event }, { $setOnInsert: { stock: tickets, sold: 0 } }, { upsert: true });
	}
}

/**
 * @param {import('mongodb').Db} database
 * @param {{ batches: number, batched: number }} own counters of the node: batches, and the sales in them
 * @returns {(event: string, sales: Sale[]) => Promise<Ticket[]>} a ticket for each sale, in their order
 */
export function newSeller(database, own) {
	const inventory = inventoryOf(database);
	const orders = database.collection('orders', { writeConcern: JOURNALED });

	/** @type {(event: string, sales: Sale[]) => Promise<Ticket[]>} */
	async function sell(event, sales) {
		own.batches += 1;
		own.batched += sales.length;
		const before = await inventory.findOneAndUpdate({ _id: event }, reservationOf(sales.length), { returnDocument: 'before' });
		if (!before) throw new Error(`event: expected ${EVENT} or ${WARMUP_EVENT}, found "${event}"`);
		const tickets = ticketsTaken(before, sales.length);
		if (tickets.length > 0) {
			await orders.insertMany(tickets.map((ticket) => ({ event, ticket })));
		}
		return sales.map((_, index) => tickets[index] ?? null);
	}
	return (event, sales) => chargeToEach(sales, () => sell(event, sales));
}

/** @param {import('mongodb').Db} database */
const inventoryOf = (database) =>
	/** @type {import('mongodb').Collection<import('./inventory.js').Inventory>} */ (
		database.collection('inventory', { writeConcern: JOURNALED })
	);

/**
 * Every sale of a batch waits for the whole of it, so each request is charged for all that the batch waited for.
 * @template T
 * @param {Sale[]} sales
 * @param {() => Promise<T>} work
 */
async function chargeToEach(sales, work) {
	// Where the batch is, each of its sales is.
	const spent = {
		poolMs: 0,
		databaseMs: 0,
		/** @param {import('../../../app/lib/pool-monitor.js').RequestTimes['place']} place */
		set place(place) {
			for (const { times } of sales) if (times) times.place = place;
		},
	};
	try {
		return await currentRequest.run(spent, work);
	} finally {
		for (const { times } of sales) {
			if (!times) continue;
			times.poolMs += spent.poolMs;
			times.databaseMs += spent.databaseMs;
		}
	}
}
