/**
 * Known faults, for the test of the diagnosis itself: each is put into a small stack, and the ledger has to name tier and
 * cause. The fault reaches the containers alone; nothing of it is written to the record that the diagnosis reads.
 *
 * @typedef {object} Fault
 * @property {string} title
 * @property {string} architecture
 * @property {string} load
 * @property {{ tier: string, cause: string }} expected  a cause ending in `*` stands for all that begin so; tier `none` is
 *   a healthy run; cause `saturated` is a tier named by the bottleneck, with no failures
 * @property {Record<string, object>} [services]  settings by the service's name (`app-1`, `nginx`), as compose.yaml spells them
 * @property {[RegExp, string]} [conf]           a change of the balancer's conf
 * @property {Action[]} [actions]                what is done to containers while the load goes on
 * @property {boolean} [short]                   part of the short form that runs with the tests
 *
 * @typedef {{ after_s: number, service: string, action: 'kill' | 'pause' | 'unpause' }} Action  seconds from the load's start
 */

const NONE = { tier: 'none', cause: 'none' };

/** @type {Record<string, Fault>} */
export const faults = {
  healthy: { title: 'nothing (control)', architecture: 'a', load: 'calm', expected: NONE, short: true },
  'healthy-balanced': { title: 'nothing, with two nodes (control)', architecture: '2a-tuned', load: 'calm', expected: NONE },
  'table-64': {
    title: 'worker_connections 64',
    architecture: '2a',
    load: 'crowd',
    expected: { tier: 'load-balancer', cause: 'connection-table-full*' },
    conf: [/worker_connections \d+;/, 'worker_connections 64;'],
    short: true,
  },
  'pool-1': {
    title: 'pool of 1, waitQueueTimeoutMS 50',
    architecture: 'a',
    load: 'crowd',
    expected: { tier: 'pool', cause: 'pool-wait-timeout' },
    services: { 'app-1': { environment: { MAX_POOL_SIZE: '1', WAIT_QUEUE_TIMEOUT_MS: '50' } } },
    short: true,
  },
  'app-killed': {
    title: 'the only node killed mid-run',
    architecture: 'a',
    load: 'crowd',
    expected: { tier: 'app', cause: 'app-crashed' },
    actions: [{ after_s: 5, service: 'app-1', action: 'kill' }],
  },
  'node-killed': {
    // Nginx asks the other node, so nothing is lost, and the node that is left is the limit.
    title: 'one of two nodes killed mid-run',
    architecture: '2a-tuned',
    load: 'crowd',
    expected: { tier: 'app', cause: 'saturated' },
    actions: [{ after_s: 5, service: 'app-2', action: 'kill' }],
  },
  'balancer-killed': {
    title: 'the balancer killed mid-run',
    architecture: '2a-tuned',
    load: 'crowd',
    expected: { tier: 'load-balancer', cause: 'balancer-down' },
    actions: [{ after_s: 5, service: 'nginx', action: 'kill' }],
  },
  'database-paused': {
    title: 'MongoDB paused for 5 s, socket timeout 1 s',
    architecture: 'a',
    load: 'crowd',
    expected: { tier: 'database', cause: 'database-slow' },
    services: { 'app-1': { environment: { SOCKET_TIMEOUT_MS: '1000' } } },
    actions: [
      { after_s: 3, service: 'mongo', action: 'pause' },
      { after_s: 8, service: 'mongo', action: 'unpause' },
    ],
  },
  'database-killed': {
    title: 'MongoDB killed mid-run',
    architecture: 'a',
    load: 'crowd',
    expected: { tier: 'database', cause: 'database-down' },
    services: { 'app-1': { environment: { SERVER_SELECTION_TIMEOUT_MS: '1000' } } },
    actions: [{ after_s: 5, service: 'mongo', action: 'kill' }],
  },
  'generator-256': {
    title: 'k6 with 256 file descriptors',
    architecture: 'a',
    load: 'crowd',
    expected: { tier: 'generator', cause: 'generator-exhausted' },
    services: { k6: { ulimits: { nofile: { soft: 256, hard: 256 } } } },
  },
  'node-5-percent': {
    title: 'CPU quota of the node at 5 %',
    architecture: 'a',
    load: 'calm',
    expected: { tier: 'app', cause: 'saturated' },
    services: { 'app-1': { cpu_period: 100_000, cpu_quota: 5000 } },
  },
  'app-errors': {
    title: 'the app answers 500 for 3 % of requests',
    architecture: 'a',
    load: 'calm',
    expected: { tier: 'app', cause: 'app-error' },
    services: { 'app-1': { environment: { ERROR_SHARE: '0.03' } } },
    short: true,
  },
  'slow-node': {
    title: 'the node takes 1.5 s, the balancer waits for 1 s',
    architecture: 'a-lb',
    load: 'calm',
    expected: { tier: 'app', cause: 'upstream-timeout' },
    services: { 'app-1': { environment: { EXTRA_DELAY_MS: '1500' } } },
    conf: [/proxy_pass /, 'proxy_read_timeout 1s; proxy_pass '],
  },
  'benched-nodes': {
    // After one time-out Nginx leaves a node out for 10 s, and soon has none to ask.
    title: 'both nodes take 1.5 s, the balancer waits for 1 s and benches them',
    architecture: '2a-tuned',
    load: 'calm',
    expected: { tier: 'load-balancer', cause: 'no-live-upstream' },
    services: { 'app-1': { environment: { EXTRA_DELAY_MS: '1500' } }, 'app-2': { environment: { EXTRA_DELAY_MS: '1500' } } },
    conf: [/proxy_pass /, 'proxy_read_timeout 1s; proxy_pass '],
  },
  'balancer-limit': {
    title: 'the balancer lets 20 requests a second through',
    architecture: '2a-tuned',
    load: 'calm',
    expected: { tier: 'load-balancer', cause: 'balancer-refused' },
    conf: [/upstream nodes \{/, 'limit_req_zone $server_port zone=all:1m rate=20r/s; limit_req zone=all; upstream nodes {'],
  },
  'balancer-paused': {
    title: 'the balancer paused for 5 s',
    architecture: '2a-tuned',
    load: 'calm',
    expected: { tier: 'load-balancer', cause: 'saturated' },
    actions: [
      { after_s: 3, service: 'nginx', action: 'pause' },
      { after_s: 8, service: 'nginx', action: 'unpause' },
    ],
  },
  'generator-10-percent': {
    title: 'CPU quota of k6 at 10 %',
    architecture: 'a',
    load: 'crowd',
    expected: { tier: 'generator', cause: 'saturated' },
    services: { k6: { cpu_period: 10_000, cpu_quota: 1000 } },
  },
  'backlog-2': {
    title: 'a queue of 2 connections to be accepted, overflow answered with a reset',
    architecture: 'a',
    load: 'crowd',
    expected: { tier: 'app', cause: 'accept-backlog-overflow' },
    services: { 'app-1': { environment: { LISTEN_BACKLOG: '2' }, sysctls: { 'net.ipv4.tcp_abort_on_overflow': '1' } } },
  },
};
