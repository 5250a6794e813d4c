/**
 * The variants of the pools scenario: what a request does, and whether it does it in the main thread or in a Piscina pool.
 * The first six are those of the Server example in Piscina's documentation
 * (https://github.com/piscinajs/piscina/tree/v5.3.2/examples/server). The others are the lab's own: all threads started at
 * once, and hash, which is work where sleep is none.
 *
 * @typedef {object} Variant
 * @property {'sleepAsync' | 'sleepSync' | 'hash'} work   which export of worker.js a request calls
 * @property {PoolOptions | null} pool                    null: it is called in the main thread
 *
 * @typedef {object} PoolOptions  of Piscina; what is not named keeps Piscina's default
 * @property {number} maxThreads
 * @property {number} [minThreads]  half of the cores unless given
 * @property {number} [concurrentTasksPerWorker]
 * @property {number} [idleTimeout]  milliseconds
 */

/**
 * Piscina's default follows from the number of cores. The published 58.2 requests a second of 100 ms are what 6 threads
 * give, so that 6 makes every machine comparable with the source's.
 */
const POOL = { maxThreads: 6 };
/**
 * As published, from "Tuning pool performance" of the same example. Since its version 5 Piscina gives a task to a thread that
 * has room before it starts another one (https://github.com/piscinajs/piscina/pull/590), so that ten tasks stay on minThreads,
 * by default half of the cores; before, they spread over all six.
 */
const TUNED = { ...POOL, concurrentTasksPerWorker: 10, idleTimeout: 1000 };

/** The same with all threads started at once: the relief that shows whether it is the threads that were missing. */
const STARTED = { ...TUNED, minThreads: TUNED.maxThreads };

/** @type {Record<string, Variant>} */
export const variants = {
	'async-unpooled': { work: 'sleepAsync', pool: null },
	'async-pooled': { work: 'sleepAsync', pool: POOL },
	'sync-unpooled': { work: 'sleepSync', pool: null },
	'sync-pooled': { work: 'sleepSync', pool: POOL },
	'async-pooled-tuned': { work: 'sleepAsync', pool: TUNED },
	'sync-pooled-tuned': { work: 'sleepSync', pool: TUNED },
	'sync-pooled-tuned-started': { work: 'sleepSync', pool: STARTED },
	'hash-unpooled': { work: 'hash', pool: null },
	'hash-pooled': { work: 'hash', pool: POOL },
};

const STANDARD = 'async-unpooled';

/**
 * @param {Record<string, string | undefined>} env
 * @returns {Variant} the first of the table where VARIANT is not there or empty
 * @throws {Error} when VARIANT is none of the table
 */
export function readVariant(env) {
	const name = env.VARIANT || STANDARD;
	if (!Object.hasOwn(variants, name)) {
		throw new Error(`VARIANT: expected one of ${Object.keys(variants).join(', ')}; found "${name}"`);
	}
	return variants[name];
}
