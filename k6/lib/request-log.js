/**
 * What a user gathers of its finished requests until it is enough for a line of k6's log, from which the lab makes its record of each
 * second (lab/record/k6-requests.ts). To add to a metric of k6's costs its script more than all of the numbers here together (8 of 98 us
 * for two, measured), and k6's own record of a second sorts all values of the load each time.
 *
 * A line is written when there is enough for one, when it is old, and when the user may not come back to write it. k6 takes a user away
 * without a word: at the end of its scenario, and in a stage with fewer users. It lets what the user does come to its end, so a user that
 * writes whatever ends after the moment from which it may not begin anew has written all. Where that moment is not known (users who share
 * iterations, or wait for arrivals) each request is written at once. What is lost all the same is told by k6's own count.
 */

/** Numbers before those of the requests, and of each request. */
export const HEAD = 3;
export const EACH = 4;
const REQUESTS_MOST = 64;
/** Where the last request's numbers begin, of as many as go into a line. */
export const LAST = HEAD + EACH * (REQUESTS_MOST - 1);
/**
 * The log is read while the load goes on. What a user has not written when it begins to wait for long is reported when its wait is over, and
 * what is shown until then lacks it: so a line waits for a second at most. One costs k6 12 us (measured).
 */
const OLD_MS = 1000;
/** A user of a busy machine begins anew so much late, at most: this long before its last moment it writes each request at once. */
const LATE_MS = 2000;
/** Times are whole tenths of a millisecond. */
export const PER_MS = 10;

/** Once: k6 looks a global name up in a table at each use. */
const clock = Date.now;

/**
 * Shared with the client, which writes its numbers by itself: for k6 a call of a function is dear.
 *
 * The first three numbers: the moment from which the others count, in milliseconds since 1970; from when on the user had time for the first
 * request; what it thought after the last request of the line before. Then of each request: when it was to begin; what the user waited;
 * what it waited for a connection, or where the request failed -1 less that; what the user thinks after it, or where it waits to try the
 * same request again -1 less that. Tenths of a millisecond. Where the first request of the line is such a further attempt, the third number
 * is -1.
 */
export const buffer = {
	numbers: [0, 0, 0],
	filled: HEAD,
	/** Milliseconds since 1970: what the numbers count from, and when what ends is written at once. */
	origin: 0,
	writeAt: 0,
};

/** What the line is called: requests of the load, or of the warm-up. @type {'requests' | 'warm'} */
let name = 'requests';
/** Milliseconds since 1970. */
let lastAt = 0;
let waitsForArrivals = false;
let mayEndAnyTime = false;
/** Of the requests that failed: id, end, milliseconds waited, status, code, kind. @type {[string, number, number, number, number, string][]} */
let failed = [];
/**
 * Of what took more than one attempt and has ended: from wanting to send the first to the end of the last, in tenths of a millisecond, or
 * where the last one failed as well -1 less that.
 * @type {number[]}
 */
let retried = [];

/**
 * Where a threshold or the script itself may abort the load: k6 then takes all users away, with what they have not written.
 * @param {boolean} isSo
 */
export function flushAtOnce(isSo) {
	mayEndAnyTime = isSo;
}

/**
 * What is gathered from now on is another scenario's.
 * @param {'requests' | 'warm'} what
 * @param {object} scenario
 * @param {number} scenario.comesBackUntil  milliseconds since 1970, until when the user surely begins anew; 0 where nobody knows
 * @param {boolean} scenario.isOpen  it waits for arrivals between its requests, which is nobody's time
 */
export function beginLog(what, { comesBackUntil, isOpen }) {
	if (buffer.filled > HEAD) flush();
	name = what;
	lastAt = mayEndAnyTime ? 0 : comesBackUntil - LATE_MS;
	waitsForArrivals = isOpen;
	const now = clock();
	countFrom(now);
	buffer.writeAt = Math.min(now + OLD_MS, lastAt);
}

/** Before a user's first request, and each one that nobody knows what it did before. @param {number} now milliseconds since 1970 */
export function countFrom(now) {
	const { numbers } = buffer;
	buffer.origin = now;
	numbers[0] = now;
	numbers[1] = 0;
	numbers[2] = 0;
}

/**
 * @param {number} sentAt milliseconds since 1970
 * @param {number} waitedMs
 * @param {number} connecting as `connectingOf` says it
 */
export function logRequest(sentAt, waitedMs, connecting) {
	if (waitsForArrivals) countFrom(sentAt);
	const { numbers, filled } = buffer;
	numbers[filled] = (sentAt - buffer.origin) * PER_MS;
	numbers[filled + 1] = tenths(waitedMs);
	numbers[filled + 2] = connecting;
	numbers[filled + 3] = 0;
	buffer.filled = filled + EACH;
	if (filled >= LAST || sentAt + waitedMs > buffer.writeAt) flush();
}

/** @param {number} blockedMs that k6 waited for a connection @param {boolean} isGood */
export const connectingOf = (blockedMs, isGood) => (isGood ? tenths(blockedMs) : -1 - tenths(blockedMs));

/** For the line that the request is in. @param {typeof failed[number]} reported */
export function logFailed(reported) {
	failed.push(reported);
}

/** For the line that its last attempt is in. @param {number} tookMs of all its attempts @param {boolean} isGood */
export function logRetried(tookMs, isGood) {
	retried.push(connectingOf(Math.max(0, tookMs), isGood));
}

/** Before a user thinks, of which it may not come back. @param {number} seconds */
export function thinks(seconds) {
	// Without a request that is not yet written it is the head's last number.
	buffer.numbers[buffer.filled - 1] += tenths(seconds * 1000);
	if (buffer.filled > HEAD && clock() + seconds * 1000 > buffer.writeAt) flush();
}

/** Writes the line. There has to be a request in it. */
export function flush() {
	const { numbers, filled, origin } = buffer;
	numbers.length = filled;
	const pause = numbers[filled - 1];
	const endedAt = origin + (numbers[filled - EACH] + numbers[filled - EACH + 1] + (pause < 0 ? -1 - pause : pause)) / PER_MS;
	const failures = failed.length === 0 ? '' : `,"failed":${JSON.stringify(failed)}`;
	const several = retried.length === 0 ? '' : `,"retried":[${retried.join(',')}]`;
	console.error(`{"${name}":[${numbers.join(',')}]${failures}${several}}`);
	failed = [];
	retried = [];
	const now = clock();
	countFrom(now);
	numbers[1] = Math.round((endedAt - now) * PER_MS);
	if (pause < 0) numbers[2] = -1;
	buffer.filled = HEAD;
	buffer.writeAt = Math.min(now + OLD_MS, lastAt);
}

/** @param {number} ms */
const tenths = (ms) => (ms * PER_MS + 0.5) | 0;
