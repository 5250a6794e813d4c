/**
 * What PgBouncer's reasons mean, by whose connection they are about. Of a reason only words that stand in PgBouncer or PostgreSQL
 * are kept: "server login failed" goes on with what the server said, which names a user. Reasons are those of 1.18 (src/client.c,
 * server.c, janitor.c, objects.c) and a few of later versions.
 *
 * @typedef {import('../contract.js').Signal} Signal
 * @typedef {{ signal: Signal, text: string }} Meaning
 */

/** What PostgreSQL says when it does not let PgBouncer in; handed on to clients that wait for the first login. */
const SERVER_SAID = [
  'sorry, too many clients already',
  'remaining connection slots are reserved',
  'too many connections for (?:role|database)',
  '(?:password|Peer) authentication failed',
  'the database system is (?:shutting down|starting up|in recovery mode)',
].join('|');

/** Why a client's connection was closed. First match wins; what matches is what is kept. @type {[Signal, RegExp][]} */
const OF_CLIENTS = [
  ['pool-wait-timeout', /^query_wait_timeout/],
  ['connections-exhausted', /^(no more connections allowed|client connections exceeded) \(max_\w+\)/],
  ['http_response_timeout', /^query[_ ]timeout/],
  ['connection_refused', /^server login has been failing/],
  ['connection_refused', new RegExp(`^(?:${SERVER_SAID})`)],
  ['connection_terminated', /^server conn crashed\?/],
  ['destination_unavailable', /^client_login_timeout \(server down\)/],
  ['shut-down', /^(pooler is shutting down|server shutting down)/],
  ['out-of-memory', /^(bouncer resources exhaustion|no memory for [a-z ]+)/],
];

/** Why a server's connection was closed. @type {[Signal, RegExp][]} */
const OF_SERVERS = [
  ['connection_refused', /^connect failed/],
  ['connection_refused', /^login failed/],
  ['connection_timeout', /^connect timeout/],
  ['dns_error', /^server DNS lookup failed/],
  ['connection_terminated', /^server conn crashed\?/],
  ['http_response_timeout', /^query timeout/],
];

/** What it says of no connection. @type {[Signal, RegExp][]} */
const OF_ITSELF = [
  ['connection_refused', new RegExp(`^(?:S: |server )login failed: [A-Z]+:?(?: (?:${SERVER_SAID}))?`)],
  ['shut-down', /^got SIG(TERM|INT|QUIT)\b/i],
  ['proxy_internal_error', /^accept\(\) failed: (Too many open files|Cannot allocate memory|No buffer space available)/],
  ['out-of-memory', /^(out of memory|cannot allocate client struct)/],
];

/** Reasons that a server's connection and the client that was on it have in common. */
export const SHARED = new Set(['connection_terminated', 'http_response_timeout']);

/** @param {[Signal, RegExp][]} reasons @returns {(reason: string) => Meaning | null} */
const meaningIn = (reasons) => (reason) => {
  for (const [signal, pattern] of reasons) {
    const found = pattern.exec(reason);
    if (found) return { signal, text: found[0] };
  }
  return null;
};

export const meaningForClient = meaningIn(OF_CLIENTS);
export const meaningForServer = meaningIn(OF_SERVERS);
export const meaningForItself = meaningIn(OF_ITSELF);
