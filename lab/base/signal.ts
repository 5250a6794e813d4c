/** What a service says of a request, whatever its words: the names are those of RFC 9209 where it has one. */

/**
 * What a product's log, counters or state can say, in one vocabulary. Names with underscores are error types of RFC 9209
 * (https://www.rfc-editor.org/rfc/rfc9209#section-2.3); the others are the lab's own, where it has none.
 *
 * Why an attempt to ask a service behind this one failed.
 * - connection_refused: the service behind refused the connection
 * - connection_timeout: the connection to the service behind was not made in time
 * - connection_terminated: the service behind broke the connection before it answered
 * - http_response_incomplete: the service behind broke the connection inside its answer
 * - http_response_timeout: the service behind did not answer in time
 * - http_protocol_error: the service behind sent what is no HTTP
 * - destination_ip_unroutable: no route to the service behind
 * - dns_error: the name of the service behind was not found
 * About the request as a whole, at this service.
 * - destination_unavailable: every service behind was left out or down
 * - connection_limit_reached: the queue or the connections to the services behind were at their limit
 * - queue-timeout: the request waited in this service’s queue for too long
 * - http_request_denied: turned away by a rule or a rate limit
 * - proxy_internal_error: this service was out of file descriptors, local ports or memory
 * - client-gone: the client left before the answer
 * About this service.
 * - table-full-new: the connection table was full, and a new connection was closed
 * - table-full-idle: the connection table was full, and idle connections were closed
 * - ejected: a service behind was left out after failures or failed checks
 * - reinstated: a service behind was taken in again
 * - worker-died: a worker process ended
 * - slow: a statement or command took long
 * - shut-down: it was told to stop
 * Of a program that asks a store through a pool of connections: what the name of its error says.
 * - pool-timeout: no connection of its pool became free in time
 * - pool-cleared: its pool was cleared, after a connection of another request broke
 * - connect-failed: no server was found to connect to
 * - connection-broken: a connection to the server broke, or could not be made
 * - store-timeout: no answer of the server came in time
 * - store-error: the server answered with an error
 * - store-failed: asking the server failed, and why it does not say
 * - queue-failed: the queue failed it
 */
export type Signal =
	| 'connection_refused'
	| 'connection_timeout'
	| 'connection_terminated'
	| 'http_response_incomplete'
	| 'http_response_timeout'
	| 'http_protocol_error'
	| 'destination_ip_unroutable'
	| 'dns_error'
	| 'destination_unavailable'
	| 'connection_limit_reached'
	| 'queue-timeout'
	| 'http_request_denied'
	| 'proxy_internal_error'
	| 'client-gone'
	| 'table-full-new'
	| 'table-full-idle'
	| 'ejected'
	| 'reinstated'
	| 'worker-died'
	| 'slow'
	| 'shut-down'
	| 'pool-timeout'
	| 'pool-cleared'
	| 'connect-failed'
	| 'connection-broken'
	| 'store-timeout'
	| 'store-error'
	| 'store-failed'
	| 'queue-failed';
