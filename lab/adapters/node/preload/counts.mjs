/**
 * What the process counts of the requests that it receives.
 */

/** Since the process began. Times are sums over the requests answered well, in milliseconds. */
export const counts = {
	received: 0,
	answered: /** @type {Record<string, number>} */ ({}), // by status class
	aborted: 0, // closed without a whole answer
	in_flight: 0,
	errors: {},
	ok_ms: { count: 0, handler: 0, pool: 0, database: 0 },
	logged: 0, // requests that have a line
};
