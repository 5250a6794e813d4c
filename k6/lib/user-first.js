/**
 * Tells each user's first good answer, and its first few that failed, with what was asked: a script whose every request fails is to be known
 * in its first seconds (lab/load/first-requests.ts). Knows neither k6 nor time.
 */

/** Of so many users each such line goes into the record at once; of more, they fill by themselves what k6 holds back of its log. */
export const REPORTED_AT_ONCE = 50;
/** Of a user's failures, so that more than one kind of request is seen. */
const FAILURES_REPORTED = 3;
/** k6 1.1.0 holds its log back until this many bytes are together (internal/log/file.go: a bufio.Writer). */
const HELD_BACK_BYTES = 4096;

/** A path may be a secret less often than a query, and users are no part of it. */
const SECRET = /[?#].*$|\/\/[^/@]*@/gs;

/**
 * @param {number} user  its number in the test
 * @param {(line: string) => void} write
 */
export function newFirsts(user, write) {
	let isGoodReported = false;
	let failures = 0;
	const reported = (/** @type {object} */ line, isUrgent = user <= REPORTED_AT_ONCE) =>
		write(JSON.stringify(line) + (isUrgent ? ' '.repeat(HELD_BACK_BYTES) : ''));
	return {
		/** @param {boolean} isGood @param {any} response */
		take(isGood, response) {
			if (isGood ? isGoodReported : failures === FAILURES_REPORTED) return;
			if (isGood) {
				isGoodReported = true;
				// What failed before it may be all that is known of.
				reported({ event: 'first-good' }, user <= REPORTED_AT_ONCE || failures > 0);
				return;
			}
			failures += 1;
			const { method = '', url = '' } = response.request ?? {};
			reported({
				event: 'first-failed',
				method,
				url: String(url).replace(SECRET, (found) => (found.startsWith('//') ? '//' : '')),
				status: response.status,
				code: response.error_code ?? 0,
			});
		},
	};
}
