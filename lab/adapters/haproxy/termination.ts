/**
 * What HAProxy's termination state says (configuration manual, section 8.5): why a request ended as it did, where it was then, and
 * whether its client had a whole answer.
 */

import type { Signal } from '../../base/signal.ts';
import type { HttpLine } from './http-line.ts';
import type { Reason } from './read.ts';

type Ending = Pick<HttpLine, 'state' | 'server' | 'status'>;

const REQUEST_TIMEOUT = 408;
const BAD_REQUEST = 400;
const INTERNAL_ERROR = 500;

/**
 * By the first two characters of the state; first match wins. The manual lists the common ones. `SQ` (the server's queue was full) and
 * `IC` stand in `http_return_srv_error()` alone.
 */
const REASONS: { state: RegExp; when?: (ending: Ending) => boolean; signal: Signal; ofAttempt?: boolean }[] = [
	{ state: /^[Cc]/, signal: 'client-gone' },
	{ state: /^SC/, when: ({ server }) => server === null, signal: 'destination_unavailable' },
	// A reset in answer to the connection; "under some circumstances" that there is no route. The log does not tell the two apart.
	{ state: /^SC/, signal: 'connection_refused', ofAttempt: true },
	{ state: /^sC/, signal: 'connection_timeout', ofAttempt: true },
	{ state: /^SQ/, signal: 'connection_limit_reached' },
	{ state: /^sQ/, signal: 'queue-timeout' },
	{ state: /^SH/, signal: 'connection_terminated', ofAttempt: true },
	{ state: /^sH/, signal: 'http_response_timeout', ofAttempt: true },
	{ state: /^[Ss][DL]/, signal: 'http_response_incomplete', ofAttempt: true },
	// A header could not be rewritten for lack of room in the buffer (`tune.maxrewrite`).
	{ state: /^P[RH]/, when: ({ status }) => status === INTERNAL_ERROR, signal: 'proxy_internal_error' },
	{ state: /^P[RT]/, signal: 'http_request_denied' },
	// A request with an invalid chunk, blocked before the server answered.
	{ state: /^PH/, when: ({ status }) => status === BAD_REQUEST, signal: 'http_request_denied' },
	{ state: /^P[HDL]/, signal: 'http_protocol_error', ofAttempt: true },
	{ state: /^PC/, signal: 'proxy_internal_error' },
	{ state: /^[RI]/, signal: 'proxy_internal_error' },
	// Killed with its server's other sessions when a check found it down (`on-marked-down shutdown-sessions`), or up (`on-marked-up`).
	{ state: /^D/, signal: 'ejected' },
	{ state: /^U/, signal: 'reinstated' },
	{ state: /^K/, signal: 'shut-down' },
];

/** By the second character: where the request was. */
const PLACES = {
	R: 'reading the request',
	Q: 'queue',
	C: 'connecting to the server',
	H: 'waiting for the answer',
	D: 'sending the answer',
	L: 'sending the last of the answer',
	T: 'tarpit',
} as Record<string, string>;

/** @returns null for a normal end, and for an answer of HAProxy's own (`L`) */
export function reasonOf(ending: Ending): Reason | null {
	const found = REASONS.find(({ state, when }) => state.test(ending.state) && (when === undefined || when(ending)));
	if (!found) return null;
	// Of an attempt that reached no server nothing can be said but of the request.
	return { signal: found.signal, ofAttempt: found.ofAttempt === true && ending.server !== null };
}

export function outcomeOf({ state, status }: Ending): 'answered' | 'broken' {
	if (status === null) return 'broken';
	// Who takes too long to send a request is answered so; who left is not.
	if (/^[Cc]/.test(state)) return state[0] === 'c' && status === REQUEST_TIMEOUT ? 'answered' : 'broken';
	const isNormal = state[0] === '-' || state[0] === 'L';
	return !isNormal && (state[1] === 'D' || state[1] === 'L') ? 'broken' : 'answered';
}

/** @returns empty after a normal end */
export const placeOf = ({ state }: Ending): string => (state[0] === '-' || state[0] === 'L' ? '' : (PLACES[state[1]] ?? ''));
