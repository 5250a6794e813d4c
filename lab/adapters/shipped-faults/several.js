import { inConf } from './in-conf.js';

/** Two faults at once, one after the other, and beside something loud that does no harm. @type {Record<string, import('../faults.js').ShippedFault>} */
export const several = {
  'errors-beside-reusing': {
    title: 'the app answers 500 for 3 % of requests, while the balancer closes idle clients',
    architecture: 'a-lb',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'app-error' }],
    services: { 'app-1': { environment: { ERROR_SHARE: '0.03' } } },
    change: inConf(/worker_connections \d+;/, 'worker_connections 128;'),
  },
  'sockets-and-database': {
    title: 'the node destroys the sockets of 30 % of requests, while MongoDB is paused for 4 s, socket time-out 1 s',
    architecture: 'a',
    load: 'calm',
    expected: [
      { tier: 'app', cause: 'broke-off', marked: 'destroyShare' },
      { tier: 'database', cause: 'database-slow', amplifiers: ['pool-cleared'], from_s: 3, to_s: 9 },
    ],
    services: { 'app-1': { environment: { DESTROY_SHARE: '0.3', SOCKET_TIMEOUT_MS: '1000' } } },
    actions: [
      { at: 0.3, service: 'mongo', action: 'pause' },
      { at: 0.7, service: 'mongo', action: 'unpause' },
    ],
  },
  'node-then-database': {
    title: 'the only node killed at 2 s and back at 4 s, MongoDB paused from 6 to 9 s, socket time-out 1 s',
    architecture: 'a',
    load: 'calm',
    expected: [
      // A dial into the void ends up to 3 s later.
      { tier: 'app', cause: 'app-crashed', from_s: 2, to_s: 8 },
      { tier: 'database', cause: 'database-slow', amplifiers: ['pool-cleared'], from_s: 6, to_s: 13 },
    ],
    services: { 'app-1': { environment: { SOCKET_TIMEOUT_MS: '1000' } } },
    actions: [
      { at: 0.2, service: 'app-1', action: 'kill' },
      { at: 0.4, service: 'app-1', action: 'start' },
      { at: 0.6, service: 'mongo', action: 'pause' },
      { at: 0.9, service: 'mongo', action: 'unpause' },
    ],
  },
  'table-and-errors': {
    title: 'worker_connections 64 under a crowd, while the app answers 500 for 3 % of requests',
    architecture: '2a',
    load: 'crowd',
    expected: [
      { tier: 'load-balancer', cause: 'connection-table-full-idle' },
      { tier: 'app', cause: 'app-error' },
      { tier: 'load-balancer', cause: 'connection-table-full-new', may: true },
      { tier: 'load-balancer', cause: 'connection-table-full-upstream', may: true },
    ],
    services: { 'app-1': { environment: { ERROR_SHARE: '0.03' } }, 'app-2': { environment: { ERROR_SHARE: '0.03' } } },
    change: inConf(/worker_connections \d+;/, 'worker_connections 64;'),
  },
};
