import { inConf } from './in-conf.js';

const SMALL_MEMORY = { mem_limit: '256m', memswap_limit: '256m', environment: { LEAK_MB: '1' } };

/** Faults of the app. @type {Record<string, import('../faults.js').ShippedFault>} */
export const application = {
  'app-errors': {
    title: 'the app answers 500 for 3 % of requests',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'app-error' }],
    services: { 'app-1': { environment: { ERROR_SHARE: '0.03' } } },
  },
  'sold-out': {
    title: 'only 500 tickets to sell',
    architecture: 'tickets-1',
    load: 'smoke',
    expected: [{ tier: 'app', cause: 'sold-out' }],
    variables: { STOCK: '500' },
  },
  'node-sheds': {
    // At a tenth of a core its event loop is late on every machine.
    title: 'the only node refuses requests when its event loop is 1 ms late, and has a tenth of a core',
    architecture: 'a',
    load: 'crowd',
    expected: [{ tier: 'app', cause: 'shed' }],
    services: { 'app-1': { cpu_period: 10_000, cpu_quota: 1000, environment: { SHED_DELAY_MS: '1' } } },
  },
  'app-killed': {
    title: 'the only node killed mid-run',
    architecture: 'a',
    load: 'crowd',
    expected: [{ tier: 'app', cause: 'app-crashed' }],
    actions: [{ at: 0.5, service: 'app-1', action: 'kill' }],
  },
  'node-killed': {
    // Nginx asks the other node, so nothing is lost.
    title: 'one of two nodes killed mid-run',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [],
    near_misses: [
      { ids: ['ended'], services: ['app-2'] },
      { ids: ['left-out'], services: ['app-2'] },
    ],
    actions: [{ at: 0.5, service: 'app-2', action: 'kill' }],
  },
  'node-64-files': {
    // Half of them are its own; its pool and its users share the rest.
    title: '64 file descriptors for the only node',
    architecture: 'a',
    load: 'crowd',
    expected: [{ tier: 'app', cause: 'out-of-descriptors', amplifiers: ['pool-cleared'] }],
    services: { 'app-1': { ulimits: { nofile: { soft: 64, hard: 64 } } } },
  },
  'node-out-of-memory': {
    title: 'the only node keeps 1 MB for each request, and has 256 MB',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'out-of-memory' }],
    services: { 'app-1': SMALL_MEMORY },
  },
  'node-of-two-out-of-memory': {
    title: 'one of two nodes keeps 1 MB for each request, and has 256 MB',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'out-of-memory', services: ['app-2'], may: true }],
    least: 0,
    near_misses: [{ ids: ['ended'], services: ['app-2'] }],
    services: { 'app-2': SMALL_MEMORY },
  },
  'node-paused': {
    title: 'the only node paused for 5 s',
    architecture: 'a',
    load: 'calm',
    expected: [],
    near_misses: [{ ids: ['stood-still'], services: ['app-1'] }],
    actions: [
      { at: 0.3, service: 'app-1', action: 'pause' },
      { at: 0.8, service: 'app-1', action: 'unpause' },
    ],
  },
  'node-paused-balanced': {
    title: 'the only node paused for 5 s, the balancer waits for 1 s',
    architecture: 'a-lb',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'stood-still', amplifiers: ['pool-wait'] }],
    change: inConf(/proxy_pass /, 'proxy_read_timeout 1s; proxy_pass '),
    actions: [
      { at: 0.3, service: 'app-1', action: 'pause' },
      { at: 0.8, service: 'app-1', action: 'unpause' },
    ],
  },
  'node-blocked': {
    title: 'each request blocks the event loop of the only node for 0.5 s',
    architecture: 'a',
    load: 'crowd',
    expected: [
      { tier: 'app', cause: 'event-loop-busy', amplifiers: ['pool-wait'], may: true },
      { tier: 'app', cause: 'stood-still', amplifiers: ['pool-wait'], may: true },
      { tier: 'app', cause: 'never-read', may: true },
      { tier: 'app', cause: 'client-gave-up', may: true },
    ],
    services: { 'app-1': { environment: { BUSY_MS: '500' } } },
  },
  'node-never-ends': {
    title: 'the node works for a minute on each request',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'client-gave-up' }],
    unanswered: 150,
    services: { 'app-1': { environment: { EXTRA_DELAY_MS: '60000' } } },
  },
  'node-5-percent': {
    title: 'CPU quota of the node at 5 % of a core',
    architecture: 'a',
    load: 'crowd',
    expected: [],
    saturated: 'app',
    services: { 'app-1': { cpu_period: 100_000, cpu_quota: 5000 } },
  },
};
