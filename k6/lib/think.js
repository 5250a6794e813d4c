/**
 * How long a user thinks between an answer and the next request. Knows neither k6 nor time: the same user thinks the same at
 * the same request of every run.
 */

/** Published. */
export const THINK_TIME_S = 0.01;

/**
 * @param {string | undefined} mean_s  of a load that sets it, 0 for no pause; empty or none: the published 10 ms, which nothing spreads
 * @returns {(user: number, iteration: number) => number} seconds; a mean that is given is spread evenly over half to one and a half
 *   of it, so that users who were answered together do not come back together
 */
export function thinkTimeOf(mean_s) {
	if (!mean_s) return () => THINK_TIME_S;
	const mean = Number(mean_s);
	return (user, iteration) => mean * (0.5 + mixed(user, iteration));
}

/**
 * A number from 0 to 1 that looks random: the finaliser of MurmurHash3 (https://github.com/aappleby/smhasher/wiki/MurmurHash3).
 * @param {number} user
 * @param {number} iteration
 */
function mixed(user, iteration) {
	let hash = Math.imul(user, 0x9e3779b1) ^ Math.imul(iteration + 1, 0x85ebca77);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
