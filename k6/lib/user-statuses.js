/**
 * Which answers are good, as a user's script tells k6 by `http.expectedStatuses`. Knows neither k6 nor time. A request that got
 * no answer is never good, whatever the script says of the status 0.
 */

/** k6's own, for a script that says nothing. @param {number} status */
export const isUsual = (status) => status >= 200 && status < 400;

/** Where the script wants no status judged (`setResponseCallback(null)`). @param {number} status */
export const isAnswer = (status) => status > 0;

/**
 * @param {(number | { min: number, max: number })[]} accepted as the script gave them to `http.expectedStatuses`
 * @returns {(status: number) => boolean}
 */
export function statusesOf(accepted) {
	const exact = new Set(accepted.filter((entry) => typeof entry === 'number'));
	const ranges = accepted.filter((entry) => typeof entry === 'object');
	return (status) => status > 0 && (exact.has(status) || ranges.some(({ min, max }) => status >= min && status <= max));
}
