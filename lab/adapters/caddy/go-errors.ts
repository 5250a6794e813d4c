/** What the errors of Go's network and HTTP packages mean, as Caddy writes them. */

import type { Signal } from '../../base/signal.ts';
import type { Reason } from './requests.ts';

/** First match wins. */
const ERRORS: [RegExp, Signal, boolean][] = [
	// Go wraps the first in the second while it connects (modules/caddyhttp/reverseproxy, statusError).
	[/context canceled|operation was canceled/, 'client-gone', false],
	[/no upstreams available/, 'destination_unavailable', false],
	[/too many open files|cannot assign requested address|no buffer space available|cannot allocate memory/, 'proxy_internal_error', false],
	[/no such host|\blookup .*(?:i\/o timeout|server misbehaving|connection refused)/, 'dns_error', true],
	[/connect: connection refused/, 'connection_refused', true],
	[/no route to host|network is unreachable/, 'destination_ip_unroutable', true],
	[/\bdial .*(?:i\/o timeout|connection timed out)/, 'connection_timeout', true],
	[/timeout awaiting response headers|deadline exceeded|i\/o timeout/, 'http_response_timeout', true],
	[/malformed HTTP|\btls: |does not look like a TLS handshake|HTTP response to HTTPS client/, 'http_protocol_error', true],
	[
		/\bEOF\b|connection reset by peer|broken pipe|closed idle connection|transport connection broken|closed network connection/,
		'connection_terminated',
		true,
	],
];

/** Of an answer that broke off: what failed was the way to the client. */
const TO_CLIENT = /context canceled|^writing|\bwrite tcp\b|short write|client disconnected|http2: stream closed/;

const ADDRESS = /(?:\bdial tcp |->)(\[[^\]]+\]:\d+|[\d.]+:\d+)/;

/** @returns null for an error that is not of the way to the services behind */
export function reasonOf(error: string): Reason | null {
	const found = ERRORS.find(([pattern]) => pattern.test(error));
	return found ? { signal: found[1], ofAttempt: found[2] } : null;
}

export const abortReasonOf = (error: string): Reason =>
	TO_CLIENT.test(error) ? { signal: 'client-gone', ofAttempt: false } : { signal: 'http_response_incomplete', ofAttempt: true };

/**
 * Where a failed attempt went, as far as its error says.
 * @returns empty where it does not
 */
export const addressIn = (error: string): string => ADDRESS.exec(error)?.[1] ?? '';

/** Whether it failed before there was a connection. */
export const isDialing = (error: string) => /^dial |\bdial tcp\b|no such host/.test(error);
