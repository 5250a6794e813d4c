/**
 * The causes that a failed request can have, as reports name them, and what may relieve them.
 *
 * @typedef {object} Cause
 * @property {string} title  in words, fit for "lost at the load balancer: <title>"
 * @property {string} rule   how a failure comes to be placed here
 * @property {boolean} [refusal]  the tier said no and was right to: nothing was lost
 */

/** @type {Record<string, Cause>} */
export const causes = {
  'generator-exhausted': {
    title: 'the load generator ran out of file descriptors or ports',
    rule: "k6's error says so itself (too many open files, cannot assign requested address); no such request left the generator",
  },
  'cut-at-end': {
    title: 'cut off when the load ended',
    rule: 'k6\'s error is "context canceled": the generator itself stopped waiting when its time was up',
  },
  'connection-table-full-idle': {
    title: 'its connection table was full, and it closed idle clients',
    rule: 'k6 lost the connection without an answer (EOF, reset, closed idle connection) while Nginx logged "worker_connections are not enough, reusing connections"; the request is in no tier\'s log',
  },
  'connection-table-full-new': {
    title: 'its connection table was full, and it closed new sockets',
    rule: 'as many lost connections as Nginx counts accepted but not handled, while it logged "worker_connections are not enough"',
  },
  'connection-table-full-upstream': {
    title: 'its connection table was full, and it had no slot for a socket to a node',
    rule: 'Nginx answered 500 without asking a node',
  },
  'no-live-upstream': {
    title: 'it held every node for dead',
    rule: 'Nginx answered 502 without asking a node and logged "no live upstreams"',
  },
  'balancer-refused': {
    title: 'it refused the request by its own rules',
    rule: 'Nginx answered with an error of its own without asking a node',
  },
  'balancer-exhausted': {
    title: 'it ran out of file descriptors or ports',
    rule: 'Nginx logged "Too many open files" or "Cannot assign requested address" while requests failed',
  },
  'balancer-down': {
    title: 'it was down',
    rule: "the balancer's container had ended, or was not yet back, when the connection failed",
  },
  'sold-out': {
    title: 'nothing was left to sell',
    rule: 'the app answered 409, which is right when the stock is gone',
    refusal: true,
  },
  'not-there': {
    title: 'what was asked for is not there',
    rule: 'the app answered 404',
    refusal: true,
  },
  taken: {
    title: 'what was to be created is there already',
    rule: 'the app answered 409',
    refusal: true,
  },
  'upstream-refused': {
    title: 'it refused connections',
    rule: 'Nginx answered 502: it could not connect to the node, whose container ran',
  },
  'upstream-reset': {
    title: 'it broke off the connection',
    rule: 'Nginx answered 502: the node closed the connection before an answer, and its container ran',
  },
  'upstream-timeout': {
    title: 'it did not answer in time',
    rule: 'Nginx answered 504: the node took longer than proxy_read_timeout or proxy_connect_timeout',
  },
  'accept-backlog-overflow': {
    title: 'its queue of connections to be accepted overflowed',
    rule: "connecting timed out or was reset while the kernel counted listen overflows in this tier's network namespace",
  },
  'app-crashed': { title: 'the app had crashed', rule: "the node's container had ended, or was not yet back, when the request failed" },
  'out-of-memory': {
    title: 'the kernel killed it for want of memory',
    rule: "the node's container had ended, killed for want of memory, when the request failed",
  },
  'app-error': { title: 'the app answered an error of its own', rule: "the node answered with an error that is not the database driver's" },
  'pool-wait-timeout': {
    title: 'no pooled connection came free in time',
    rule: 'the driver gave up waiting for a pooled connection (waitQueueTimeoutMS)',
  },
  'pool-cleared': {
    title: 'the driver had cleared the pool',
    rule: 'the driver failed the checkout because it had cleared its pool after a network error',
  },
  'database-refused': {
    title: 'it refused connections',
    rule: "the driver's connection failed while MongoDB counted rejected connections",
  },
  'database-slow': {
    title: 'it did not answer in time',
    rule: 'the driver gave up on a socket or on finding a server while the container of MongoDB ran',
  },
  'database-down': { title: 'it was down', rule: 'the driver lost MongoDB, and the container of MongoDB had ended' },
  'database-error': { title: 'it answered an error', rule: 'MongoDB answered the command with an error' },
  'client-gave-up': {
    title: 'the client gave up waiting (its time-out)',
    rule: "k6's request timed out; placed on the tier where requests stood waiting",
  },
  unreachable: {
    title: 'no connection to it could be made',
    rule: 'connecting failed (refused, no route, no such name) although its container ran',
  },
  'keep-alive-race': {
    title: 'it closed an idle connection just as the next request was sent on it',
    rule: 'a kept-alive connection was closed without an answer, with no sign of a full table, a crash or an overflow',
  },
};
