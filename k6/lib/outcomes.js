/**
 * What became of each request that failed: it is written down by its id, with its status, k6's error code and what k6's error text says.
 * https://grafana.com/docs/k6/latest/javascript-api/error-codes/
 */
import { logFailed } from './request-log.js';

/** Of a connection that had been used, and of any. */
const [CLOSED_IDLE, CLOSED] = ['server_closed_idle', 'eof'];
/** What k6's error text says, for codes that cover several things. First match wins. @type {[string, RegExp][]} */
const ERROR_KINDS = [
	[CLOSED_IDLE, /server closed idle connection/],
	['invalid_answer', /malformed (HTTP|MIME)/],
	[CLOSED, /EOF/],
	['reset', /connection reset/],
	['broken_pipe', /broken pipe/],
	['refused', /connection refused/],
	['no_descriptors', /too many open files/],
	['no_ports', /cannot assign requested address/],
	['unreachable', /no route to host|network is unreachable/],
	['lookup', /lookup|no such host/],
	['dial_timeout', /dial.*timeout/],
	['timeout', /timeout|deadline exceeded/],
	['cut_at_end', /context canceled/],
];
/** A time-out that came with the end of the load and its grace, and not after the user's own patience. */
const UNANSWERED = 'unanswered';
/** "dial: unknown errno" with a text that says no more: k6's own machine is out of descriptors or ports. */
const CODE_UNKNOWN_ERRNO = 1213;

/** Each user says an error text once: 2,000 users in trouble must not write 100,000 lines. */
const said = new Set();

/**
 * @typedef {object} Sent
 * @property {string} id
 * @property {number} sentAt        milliseconds since 1970
 * @property {number} lateMs        that k6 does not time: after its intended moment, or in hops before the last
 * @property {boolean} endsWithLoad its time-out is the end of the load and its grace
 */

/**
 * @param {import('k6/http').RefinedResponse<undefined>} response
 * @param {Sent} sent
 * @param {number} status
 * @returns {number} milliseconds that the user waited
 */
export function countFailure(response, sent, status) {
	const now = Date.now();
	// k6 takes no time of a connection that was never made, nor of an attempt that its transport made again by itself.
	const waited = (status > 0 ? waitedMs(response.timings, sent.sentAt) : now - sent.sentAt) + sent.lateMs;
	const kind = status > 0 ? 'status' : kindSaid(response, sent);
	logFailed([sent.id, now, Math.round(waited), status, response.error_code, kind]);
	return waited;
}

/**
 * From wanting to send to the last byte. Where k6 dials and then takes another connection that came free, it counts the time
 * between twice; by the clock, of whole milliseconds, it cannot have been longer than until now.
 * @param {{ blocked: number, duration: number }} timings
 * @param {number} sentAt milliseconds since 1970
 */
export const waitedMs = ({ blocked, duration }, sentAt) => Math.min(blocked + duration, Date.now() - sentAt + 1);

/** @type {(response: import('k6/http').RefinedResponse<undefined>, sent: Sent) => string} */
function kindSaid(response, { endsWithLoad }) {
	const reported = kindOf(response);
	const kind = reported === 'timeout' && endsWithLoad ? UNANSWERED : reported;
	const key = `${response.error_code} ${kind}`;
	if (!said.has(key)) {
		said.add(key);
		console.error(JSON.stringify({ t: Date.now() / 1000, code: response.error_code, kind, error: response.error }));
	}
	return kind;
}

function kindOf(/** @type {import('k6/http').RefinedResponse<undefined>} */ { error, error_code: code, timings }) {
	const found = ERROR_KINDS.find(([, pattern]) => pattern.test(error));
	// Go calls idle too what was closed before the first request on it was written, and k6 has the time of connecting of new ones alone.
	if (found?.[0] === CLOSED_IDLE && timings.connecting > 0) return CLOSED;
	if (found) return found[0];
	return code === CODE_UNKNOWN_ERRNO ? 'generator_exhausted' : 'other';
}
