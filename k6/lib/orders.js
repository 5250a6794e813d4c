/**
 * Which request of a list a user sends next, each chosen by its weight: the same user sends the same requests in every run of a SEED. The
 * warm-up has an order of its own.
 *
 * @import { Ready } from './request-list.js'
 */
import { randomOf } from './random.js';
import { chooserOf, hostsOf, readList, requestsTo } from './request-list.js';

/** Above the number of users and of orders, so that no two of them share a seed. */
const SEEDS_APART = 1_000_003;
const ORDERS = { load: 0, warmup: 1 };

/**
 * @param {Record<string, string | undefined>} env  TARGET; SEED; REQUEST_HEADERS: as JSON, the values of headers that are not in the list;
 *   REQUEST_MARK: of the run, in the ids that its system stores
 * @param {string} text  the list, as JSON
 * @returns {{ load: () => Ready, warmup: () => Ready, hosts: Record<string, string> }}  load, warmup: each gives the user's next request; hosts:
 *   names with their addresses
 */
export function ordersOf({ TARGET = '', SEED, REQUEST_HEADERS, REQUEST_MARK }, text) {
	const list = readList(text);
	const requests = requestsTo(TARGET, list, JSON.parse(REQUEST_HEADERS || '{}'), REQUEST_MARK);
	const choose = chooserOf(list.map(({ weight = 1 }) => weight));
	const seed = Number(SEED || 1) * SEEDS_APART;
	const nextIn = (/** @type {number} */ order) => {
		if (requests.length === 1) return () => requests[0];
		/** Made at the first request: k6 numbers its users after it has read the script. @type {(() => number) | undefined} */
		let random;
		return () => {
			if (!random) random = randomOf(seed + 2 * __VU + order);
			return requests[choose(random())];
		};
	};
	return { load: nextIn(ORDERS.load), warmup: nextIn(ORDERS.warmup), hosts: hostsOf(list) };
}
