/**
 * The work of a variant as one function, wherever it is done, with what its pool says of itself.
 */
import { Piscina } from 'piscina';
import { hash, sleepAsync, sleepSync } from './worker.js';

const inMainThread = { hash, sleepAsync, sleepSync };
const WORKER_FILE = new URL('worker.js', import.meta.url).href;

/**
 * @typedef {object} Work
 * @property {() => Promise<object>} run     what one request is answered
 * @property {Record<string, number>} [own]  of the pool, since its start, for the record; each is read when it is looked at
 * @property {() => Promise<void>} close     ends the pool's threads
 */

/**
 * @param {import('./variants.js').Variant} variant
 * @returns {Work}
 */
export function workOf({ work, pool }) {
	if (pool === null) return { run: () => inMainThread[work](), close: async () => {} };
	const threads = new Piscina({ filename: WORKER_FILE, name: work, ...pool });
	return { run: () => threads.run(undefined), own: countsOf(threads), close: () => threads.destroy() };
}

/**
 * Piscina keeps the mean of what its tasks waited in its queue, to three digits, and no sum.
 * @param {Pick<Piscina, 'completed' | 'histogram'>} threads
 */
export function countsOf(threads) {
	return {
		get pool_tasks() {
			return threads.completed;
		},
		get pool_waited_ms() {
			return threads.completed === 0 ? 0 : threads.histogram.waitTime.mean * threads.completed;
		},
	};
}
