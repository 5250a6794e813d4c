/**
 * What the environment tells a node of the ticket service beside every node's configuration.
 */
import { readNumber } from '../../../app/lib/config.js';

/** More than any load buys. */
const STOCK = 10_000_000;
const STOCK_MOST = 100_000_000;

/**
 * @param {Record<string, string | undefined>} env
 * @returns {{ batching: boolean, stock: number }}
 * @throws {Error} when a value is none of those it may be
 */
export function readSettings(env) {
	const stock = readNumber(env, 'STOCK', 1, STOCK_MOST) ?? STOCK;
	if (!Number.isInteger(stock)) throw new Error(`STOCK: expected a whole number, found "${env.STOCK}"`);
	const batching = env.BATCHING || '1';
	if (batching !== '0' && batching !== '1') throw new Error(`BATCHING: expected 0 or 1, found "${batching}"`);
	return { batching: batching === '1', stock };
}
