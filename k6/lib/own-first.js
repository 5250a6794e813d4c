/**
 * Tells each user's first good answer, and its first few that failed, with what was asked: a script whose every request fails is to be known
 * in its first seconds (lab/load/first-requests.js). Knows neither k6 nor time.
 */

/** Of so many users each such line goes into the record at once; of more, they fill by themselves what k6 holds back of its log. */
export const TOLD_AT_ONCE = 50;
/** Of a user's failures, so that more than one kind of request is seen. */
const FAILURES_TOLD = 3;
/** k6 1.1.0 holds its log back until this many bytes are together (internal/log/file.go: a bufio.Writer). */
const HELD_BACK_BYTES = 4096;

/** A path may be a secret less often than a query, and users are no part of it. */
const SECRET = /[?#].*$|\/\/[^/@]*@/gs;

/**
 * @param {number} user  its number in the test
 * @param {(line: string) => void} write
 */
export function newFirsts(user, write) {
  let isGoodTold = false;
  let failures = 0;
  const told = (/** @type {object} */ line, isUrgent = user <= TOLD_AT_ONCE) =>
    write(JSON.stringify(line) + (isUrgent ? ' '.repeat(HELD_BACK_BYTES) : ''));
  return {
    /** @param {boolean} isGood @param {any} response */
    take(isGood, response) {
      if (isGood ? isGoodTold : failures === FAILURES_TOLD) return;
      if (isGood) {
        isGoodTold = true;
        // What failed before it may be all that is known of.
        told({ event: 'first-good' }, user <= TOLD_AT_ONCE || failures > 0);
        return;
      }
      failures += 1;
      const { method = '', url = '' } = response.request ?? {};
      told({
        event: 'first-failed',
        method,
        url: String(url).replace(SECRET, (found) => (found.startsWith('//') ? '//' : '')),
        status: response.status,
        code: response.error_code ?? 0,
      });
    },
  };
}
