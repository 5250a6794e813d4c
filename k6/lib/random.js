/**
 * Numbers that look random and are the same in every run. Knows neither k6 nor time.
 */

/**
 * Numbers from 0 to 1, the same for the same seed: mulberry32 (https://github.com/bryc/code/blob/master/jshash/PRNGs.md).
 * @param {number} seed
 */
export function randomOf(seed) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
