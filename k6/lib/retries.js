/**
 * Whether a user tries a request again that failed, and after how long. Knows neither k6 nor time.
 *
 * @typedef {object} Policy
 * @property {number} retries     of one request, at most
 * @property {number} backoffMs   of the first, and twice as long for each further one: the user waits a random part of it ("full jitter",
 *   https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). 0: at once
 * @property {number | null} budget  share of its requests that a user may try again, 0 to 1
 *   (https://sre.google/sre-book/handling-overload/, "per-client retry budget"); null: no such limit
 * @property {boolean} retryAfter  what an answer says in Retry-After is waited for, instead of the backoff
 */

/** No longer than this, however often it was tried: the lab's own choice. */
const BACKOFF_MOST_MS = 10_000;
/** Of a budget that was not used, so much is kept: what users save in calm times would be a storm of retries in the first bad second. */
const SAVED_MOST = 1;

/** It is not tried again. */
export const GIVES_UP = -1;

/**
 * @param {Policy} policy
 * @param {() => number} random 0 to 1
 */
export function newRetries({ retries, backoffMs, budget, retryAfter }, random) {
	/** Drawn when it is first asked for, when the user has its number. */
	let saved = Number.NaN;
	let tried = 0;
	return {
		/** To be called for each request, before its first attempt. */
		begin() {
			tried = 0;
			if (budget === null) return;
			// Users with few requests each would else have none to try again: they begin with a part of one.
			if (Number.isNaN(saved)) saved = random();
			saved = Math.min(saved + budget, SAVED_MOST);
		},
		/**
		 * @param {string | undefined} said  in the answer's Retry-After
		 * @returns {number} milliseconds until the next attempt, or GIVES_UP
		 */
		after(said) {
			if (tried >= retries || (budget !== null && saved < 1)) return GIVES_UP;
			tried += 1;
			saved -= 1;
			const asked = retryAfter ? Number(said || Number.NaN) * 1000 : Number.NaN;
			if (asked >= 0) return asked;
			return backoffMs === 0 ? 0 : random() * Math.min(BACKOFF_MOST_MS, backoffMs * 2 ** (tried - 1));
		},
	};
}

/**
 * @param {Record<string, string | undefined>} env  RETRIES; BACKOFF in ms; RETRY_BUDGET in per cent; RETRY_AFTER: 1
 * @returns {Policy | null} null where nothing is tried again
 */
export function policyOf({ RETRIES, BACKOFF, RETRY_BUDGET, RETRY_AFTER }) {
	const retries = Number(RETRIES || 0);
	if (retries === 0) return null;
	return {
		retries,
		backoffMs: Number(BACKOFF || 0),
		budget: RETRY_BUDGET ? Number(RETRY_BUDGET) / 100 : null,
		retryAfter: RETRY_AFTER === '1',
	};
}
