/**
 * Gathers concurrent sales into batches: one batch in flight at a time for each event, and what arrives meanwhile is the
 * next. Knows no database; how a batch is sold is given to it.
 */

/** TigerBeetle's limit, as "TigerFans: The Single-Worker Paradox" publishes it. */
export const BATCH_MOST = 8190;

/**
 * @template Sale, Outcome
 * @typedef {object} Waiting
 * @property {Sale} sale
 * @property {(outcome: Outcome) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/**
 * @template Sale, Outcome
 * @param {(event: string, sales: Sale[]) => Promise<Outcome[]>} sell  one outcome for each sale, in their order
 * @param {number} [most] sales in a batch
 * @returns {(event: string, sale: Sale) => Promise<Outcome>}  rejects when the sale's own batch was not sold
 */
export function newBatcher(sell, most = BATCH_MOST) {
	/** What waits, by event; an event is here while a batch of it is in flight. @type {Map<string, Waiting<Sale, Outcome>[]>} */
	const waitingBy = new Map();

	/** @type {(event: string, waiting: Waiting<Sale, Outcome>[]) => Promise<void>} */
	async function sellAll(event, waiting) {
		while (waiting.length > 0) {
			const batch = waiting.splice(0, most);
			try {
				const outcomes = await sell(
					event,
					batch.map(({ sale }) => sale),
				);
				for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]);
			} catch (error) {
				for (const { reject } of batch) reject(error);
			}
		}
		waitingBy.delete(event);
	}

	return (event, sale) =>
		new Promise((resolve, reject) => {
			const inFlight = waitingBy.get(event);
			if (inFlight) {
				inFlight.push({ sale, resolve, reject });
				return;
			}
			const waiting = [{ sale, resolve, reject }];
			waitingBy.set(event, waiting);
			sellAll(event, waiting);
		});
}
