/**
 * What Envoy's response flags and response code details say: why a request ended as it did, and whether its client had a whole answer.
 * The flags are those of `source/common/stream_info/utility.h`; where Envoy itself names an error type of RFC 9209 for one
 * (`ProxyStatusUtils::fromStreamInfo` in `utility.cc` beside it), that is taken, unless the line's details know better.
 */

import type { Signal } from '../../base/signal.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import type { AccessLine } from './access-line.ts';
import type { Reason } from './read.ts';

const attempt: (signal: Signal) => Reason = (signal) => ({ signal, ofAttempt: true });
const request: (signal: Signal) => Reason = (signal) => ({ signal, ofAttempt: false });

/** null: it says nothing of why the request failed. */
export const FLAGS: Record<string, Reason | null> = {
	UF: attempt('connection_refused'),
	UC: attempt('connection_terminated'),
	UR: attempt('connection_terminated'),
	UT: attempt('http_response_timeout'),
	UPE: attempt('http_protocol_error'),
	UMSDR: attempt('http_response_timeout'),
	// Envoy itself gave the attempt up; so named by Envoy.
	LR: attempt('connection_timeout'),
	UH: request('destination_unavailable'),
	NC: request('destination_unavailable'),
	LH: request('destination_unavailable'),
	UO: request('connection_limit_reached'),
	SI: request('http_response_timeout'),
	DT: request('http_response_timeout'),
	DF: request('dns_error'),
	OM: request('proxy_internal_error'),
	NFCF: request('proxy_internal_error'),
	RL: request('http_request_denied'),
	RLSE: request('http_request_denied'),
	UAEX: request('http_request_denied'),
	FI: request('http_request_denied'),
	DO: request('http_request_denied'),
	UDO: request('http_request_denied'),
	// Bad requests, and those for which there is no route: turned away by what the configuration says.
	IH: request('http_request_denied'),
	DPE: request('http_request_denied'),
	NR: request('http_request_denied'),
	DC: request('client-gone'),
	DR: request('client-gone'),
	// The retries were used up: the flag beside it, or the upstream's own answer, says of what.
	URX: null,
	// A delay that was ordered, and an answer out of a cache.
	DI: null,
	RFCF: null,
};

const AFTER_START = /^upstream_reset_after_response_started/;
const CLIENT_LEFT = /^downstream_remote_disconnect/;

/** Why no connection was made, in the details or the transport's reason; first match wins. Numbers are errno on Linux. */
const CONNECTING: [RegExp, Signal][] = [
	[/connection_timeout|connect_timeout/, 'connection_timeout'],
	[/unreachable|No_route|No route|connect_error:_?(?:101|113)\b/i, 'destination_ip_unroutable'],
	[/Cannot_assign|Cannot assign|Too_many_open|Too many open|connect_error:_?(?:99|24)\b|local_connection_failure/i, 'proxy_internal_error'],
	[/TLS_error|TLS error/i, 'http_protocol_error'],
];

/** @returns for each flag that says why, in the log's order */
export function reasonsOf(line: AccessLine): Reason[] {
	const reasons = line.flags.flatMap((flag) => {
		const known = FLAGS[flag];
		if (!known) return [];
		if (known.ofAttempt && isAfterStart(line)) return [attempt('http_response_incomplete')];
		return [flag === 'UF' ? attempt(connectingSignal(line)) : known];
	});
	// Who leaves after the answer has begun is reported in the details alone by some versions.
	const left = line.details !== null && CLIENT_LEFT.test(line.details) && !reasons.some(({ signal }) => signal === 'client-gone');
	return left ? [...reasons, request('client-gone')] : reasons;
}

export function outcomeOf(line: AccessLine): 'answered' | 'broken' {
	if (line.status === null || line.flags.some((flag) => flag === 'DC' || flag === 'DR')) return 'broken';
	if (line.details !== null && CLIENT_LEFT.test(line.details)) return 'broken';
	return isAfterStart(line) ? 'broken' : 'answered';
}

/** Whether the status that was sent is the upstream's own. */
export function isUpstreamsAnswer(line: AccessLine) {
	if (line.details !== null) return line.details === 'via_upstream' || AFTER_START.test(line.details) || CLIENT_LEFT.test(line.details);
	if (line.upstreamAnswered !== null) return line.upstreamAnswered;
	return line.flags.every((flag) => FLAGS[flag] === null);
}

/** Whether an attempt broke off when its answer had begun. Without details a good status says so: Envoy's own answer would be an error. */
function isAfterStart({ details, status, flags }: AccessLine) {
	if (details !== null) return AFTER_START.test(details);
	return status !== null && status < FIRST_BAD_STATUS && flags.some((flag) => FLAGS[flag]?.ofAttempt);
}

function connectingSignal({ details, failure }: AccessLine): Signal {
	const text = `${details ?? ''} ${failure}`;
	return CONNECTING.find(([pattern]) => pattern.test(text))?.[1] ?? 'connection_refused';
}
