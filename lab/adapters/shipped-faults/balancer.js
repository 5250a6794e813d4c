import { inConf } from './in-conf.js';

const TIME_OUT_1_S = inConf(/proxy_pass /, 'proxy_read_timeout 1s; proxy_pass ');

/** Faults of the balancer, and of how it is told where to go. @type {Record<string, import('../faults.js').ShippedFault>} */
export const balancer = {
  'table-64': {
    title: 'worker_connections 64',
    architecture: '2a',
    load: 'crowd',
    expected: [
      { tier: 'load-balancer', cause: 'connection-table-full-idle' },
      { tier: 'load-balancer', cause: 'connection-table-full-new', may: true },
      { tier: 'load-balancer', cause: 'connection-table-full-upstream', may: true },
    ],
    change: inConf(/worker_connections \d+;/, 'worker_connections 64;'),
    short: true,
  },
  'table-busy': {
    // Each request holds two slots for 1.5 s, so that there is no idle connection to close instead. Nginx needs some of the slots itself
    // and has an odd number left: one client always finds room, and no room for a socket to the node.
    title: 'worker_connections 64, and answers take 1.5 s',
    architecture: 'a-lb',
    load: 'calm',
    expected: [
      { tier: 'load-balancer', cause: 'connection-table-full-upstream' },
      { tier: 'load-balancer', cause: 'connection-table-full-new', may: true },
      { tier: 'load-balancer', cause: 'connection-table-full-idle', may: true },
    ],
    services: { 'app-1': { environment: { EXTRA_DELAY_MS: '1500' } } },
    change: inConf(/worker_connections \d+;/, 'worker_connections 64;'),
  },
  'table-busy-new': {
    // An even number is left: pairs fill it, and a new client finds no slot.
    title: 'worker_connections 65, and answers take 1.5 s',
    architecture: 'a-lb',
    load: 'calm',
    expected: [
      { tier: 'load-balancer', cause: 'connection-table-full-new' },
      { tier: 'load-balancer', cause: 'connection-table-full-upstream', may: true },
      { tier: 'load-balancer', cause: 'connection-table-full-idle', may: true },
    ],
    services: { 'app-1': { environment: { EXTRA_DELAY_MS: '1500' } } },
    change: inConf(/worker_connections \d+;/, 'worker_connections 65;'),
  },
  'table-128-harmless': {
    title: 'worker_connections 128 under a calm load: it closes idle clients, who dial again',
    architecture: 'a-lb',
    load: 'calm',
    expected: [],
    change: inConf(/worker_connections \d+;/, 'worker_connections 128;'),
  },
  'ports-60': {
    title: '60 local ports for the balancer',
    architecture: '2a',
    load: 'crowd',
    expected: [{ tier: 'load-balancer', cause: 'balancer-exhausted', amplifiers: ['no-live-upstream'] }],
    services: { nginx: { sysctls: { 'net.ipv4.ip_local_port_range': '32768 32827' } } },
  },
  'balancer-64-files': {
    title: '64 file descriptors for the balancer',
    architecture: '2a',
    load: 'crowd',
    expected: [{ tier: 'load-balancer', cause: 'balancer-exhausted', amplifiers: ['no-live-upstream'] }],
    services: { nginx: { ulimits: { nofile: { soft: 64, hard: 64 } } } },
  },
  'balancer-limit': {
    title: 'the balancer lets 20 requests a second through',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [{ tier: 'load-balancer', cause: 'balancer-refused' }],
    change: inConf(/upstream nodes \{/, 'limit_req_zone $server_port zone=all:1m rate=20r/s; limit_req zone=all; upstream nodes {'),
  },
  'nodes-marked-down': {
    title: 'the balancer is told that both nodes are down',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [{ tier: 'load-balancer', cause: 'no-live-upstream' }],
    change: inConf(/:3000;/g, ':3000 down;'),
  },
  'balancer-killed': {
    title: 'the balancer killed mid-run',
    architecture: '2a-tuned',
    load: 'crowd',
    expected: [{ tier: 'load-balancer', cause: 'balancer-down' }],
    actions: [{ at: 0.5, service: 'nginx', action: 'kill' }],
  },
  'worker-crashed': {
    title: 'a worker process of the balancer killed by SIGSEGV',
    architecture: '2a-tuned',
    load: 'crowd',
    // k6 sends a request again by itself whose kept connection broke before any answer: 0, 4 and 60 failed here (measured).
    expected: [{ tier: 'load-balancer', cause: 'worker-crashed', may: true }],
    least: 0,
    near_misses: [{ ids: ['worker-ended'], services: ['nginx'] }],
    actions: [{ at: 0.5, service: 'nginx', action: 'crash-worker' }],
  },
  'balancer-paused': {
    title: 'the balancer paused for 5 s',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [],
    near_misses: [{ ids: ['stood-still'], services: ['nginx'] }],
    actions: [
      { at: 0.3, service: 'nginx', action: 'pause' },
      { at: 0.8, service: 'nginx', action: 'unpause' },
    ],
  },
  'wrong-port': {
    title: 'the balancer asks the node at a port where nothing listens',
    architecture: 'a-lb',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'upstream-refused' }],
    change: inConf(/app-1:3000/, 'app-1:3001'),
  },
  'wrong-port-of-two': {
    title: 'the balancer asks one of two nodes at a port where nothing listens',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [],
    near_misses: [{ ids: ['left-out'], services: ['app-1'] }],
    change: inConf(/app-1:3000/, 'app-1:3001'),
  },
  'slow-node': {
    title: 'the node takes 1.5 s, the balancer waits for 1 s',
    architecture: 'a-lb',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'upstream-timeout' }],
    services: { 'app-1': { environment: { EXTRA_DELAY_MS: '1500' } } },
    change: TIME_OUT_1_S,
  },
  'slow-node-of-two': {
    title: 'one of two nodes takes 1.5 s, the balancer waits for 1 s',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [],
    near_misses: [
      { ids: ['left-out'], services: ['app-2'] },
      { ids: ['retried'], services: ['app-2'] },
    ],
    services: { 'app-2': { environment: { EXTRA_DELAY_MS: '1500' } } },
    change: TIME_OUT_1_S,
  },
  'slow-nodes': {
    // After one time-out Nginx leaves a node out for 10 s, and soon has none to ask.
    title: 'both nodes take 1.5 s, the balancer waits for 1 s and leaves them out',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'upstream-timeout', amplifiers: ['no-live-upstream'] }],
    services: { 'app-1': { environment: { EXTRA_DELAY_MS: '1500' } }, 'app-2': { environment: { EXTRA_DELAY_MS: '1500' } } },
    change: TIME_OUT_1_S,
  },
};
