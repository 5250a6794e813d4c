import { inConf } from './in-conf.js';

/** Faults of MongoDB, of the way to it and of the pool before it. @type {Record<string, import('../faults.js').ShippedFault>} */
export const database = {
  'pool-1': {
    title: 'pool of 1, waitQueueTimeoutMS 50',
    architecture: 'a',
    load: 'crowd',
    expected: [{ tier: 'pool', cause: 'pool-wait-timeout' }],
    services: { 'app-1': { environment: { MAX_POOL_SIZE: '1', WAIT_QUEUE_TIMEOUT_MS: '50' } } },
    short: true,
  },
  'pool-1-slow-queries': {
    title: 'pool of 1, queries take 0.1 s, the balancer waits for 1 s',
    architecture: 'a-lb',
    load: 'calm',
    expected: [{ tier: 'pool', cause: 'pool-wait' }],
    services: { 'app-1': { environment: { MAX_POOL_SIZE: '1', SLOW_QUERY_SHARE: '1', SLOW_QUERY_MS: '100' } } },
    change: inConf(/proxy_pass /, 'proxy_read_timeout 1s; proxy_pass '),
  },
  'slow-queries-clear-the-pool': {
    // The driver takes a socket that is silent for too long as broken, and clears its pool.
    title: '5 % of queries take 2 s, socket time-out 0.5 s',
    architecture: 'a',
    load: 'crowd',
    expected: [
      { tier: 'database', cause: 'database-slow', amplifiers: ['pool-cleared'] },
      { tier: 'pool', cause: 'pool-cleared', may: true },
    ],
    services: {
      'app-1': { environment: { SLOW_QUERY_SHARE: '0.05', SLOW_QUERY_MS: '2000', SOCKET_TIMEOUT_MS: '500', MAX_POOL_SIZE: '10' } },
    },
  },
  'database-paused': {
    title: 'MongoDB paused for 5 s, socket time-out 1 s',
    architecture: 'a',
    load: 'crowd',
    expected: [{ tier: 'database', cause: 'database-slow', amplifiers: ['pool-cleared', 'pool-wait'] }],
    services: { 'app-1': { environment: { SOCKET_TIMEOUT_MS: '1000' } } },
    actions: [
      { at: 0.3, service: 'mongo', action: 'pause' },
      { at: 0.8, service: 'mongo', action: 'unpause' },
    ],
  },
  'breaker-opens': {
    // Some fail by its time-out before it opens, and one each time that it tries again.
    title: 'MongoDB paused for 5 s, the only node has a circuit breaker: time-out 1 s, it tries again after 2 s',
    architecture: 'a',
    load: 'calm',
    expected: [
      { tier: 'database', cause: 'database-slow', amplifiers: ['pool-wait', 'pool-cleared'] },
      { tier: 'database', cause: 'database-slow', amplifiers: ['breaker-open'], amplified: true },
    ],
    services: { 'app-1': { environment: { BREAKER_TIMEOUT_MS: '1000', BREAKER_RESET_MS: '2000' } } },
    actions: [
      { at: 0.3, service: 'mongo', action: 'pause' },
      { at: 0.8, service: 'mongo', action: 'unpause' },
    ],
  },
  'database-stopped': {
    title: 'MongoDB paused at second 4 for good, no time-outs',
    architecture: 'a',
    load: 'crowd',
    expected: [{ tier: 'database', cause: 'database-slow', amplifiers: ['pool-wait', 'pool-cleared'] }],
    // Every user hangs; after half a minute the driver may end what waits by itself.
    least: 290,
    actions: [{ at: 0.4, service: 'mongo', action: 'pause' }],
  },
  'database-killed': {
    title: 'MongoDB killed mid-run',
    architecture: 'a',
    load: 'crowd',
    expected: [{ tier: 'database', cause: 'database-down', amplifiers: ['pool-cleared'] }],
    services: { 'app-1': { environment: { SERVER_SELECTION_TIMEOUT_MS: '1000' } } },
    actions: [{ at: 0.5, service: 'mongo', action: 'kill' }],
  },
  'shard-paused': {
    title: 'one of two MongoDBs that share the documents paused for 5 s, socket time-out 1 s',
    architecture: '2a-shard',
    load: 'crowd',
    expected: [
      { tier: 'database', cause: 'database-slow', services: ['mongo-2'], amplifiers: ['pool-cleared', 'pool-wait', 'no-live-upstream'] },
    ],
    services: {
      'app-1': { environment: { SOCKET_TIMEOUT_MS: '1000' } },
      'app-2': { environment: { SOCKET_TIMEOUT_MS: '1000' } },
    },
    actions: [
      { at: 0.3, service: 'mongo-2', action: 'pause' },
      { at: 0.8, service: 'mongo-2', action: 'unpause' },
    ],
  },
  'primary-killed': {
    title: 'the MongoDB of three that takes the writes killed mid-run, until the others elect another',
    architecture: '2a-replica',
    load: 'crowd',
    expected: [
      { tier: 'database', cause: 'database-down', services: ['mongo-1'], amplifiers: ['pool-cleared', 'pool-wait', 'no-live-upstream'] },
    ],
    services: {
      'app-1': { environment: { SERVER_SELECTION_TIMEOUT_MS: '1000' } },
      'app-2': { environment: { SERVER_SELECTION_TIMEOUT_MS: '1000' } },
    },
    actions: [{ at: 0.5, service: 'mongo-1', action: 'kill' }],
  },
  'wrong-commands': {
    title: '3 % of requests send MongoDB a command that it does not know',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'database', cause: 'database-error' }],
    services: { 'app-1': { environment: { WRONG_COMMAND_SHARE: '0.03' } } },
  },
  'database-packets-lost': {
    title: '70 % of the packets between the node and MongoDB lost for 5 s, in each direction, socket time-out 1 s',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'database', cause: 'database-unreachable', amplifiers: ['pool-cleared', 'pool-wait'] }],
    services: { 'app-1': { environment: { SOCKET_TIMEOUT_MS: '1000', SERVER_SELECTION_TIMEOUT_MS: '1000' } } },
    actions: [
      { at: 0.3, service: 'app-1', other: 'mongo', action: 'lose', share: 0.7 },
      { at: 0.8, service: 'app-1', other: 'mongo', action: 'lose-no-more', share: 0.7 },
    ],
  },
  'database-packets-delayed': {
    // MongoDB answers as soon as ever: it is the way to it that is long.
    title: 'each round trip between the node and MongoDB takes 1.5 s longer for 5 s, socket time-out 1 s',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'database', cause: 'database-unreachable', amplifiers: ['pool-cleared', 'pool-wait'] }],
    services: { 'app-1': { environment: { SOCKET_TIMEOUT_MS: '1000', SERVER_SELECTION_TIMEOUT_MS: '1000' } } },
    actions: [
      { at: 0.3, service: 'app-1', other: 'mongo', action: 'delay', delay_ms: 1500 },
      { at: 0.8, service: 'app-1', other: 'mongo', action: 'delay-no-more' },
    ],
  },
  'database-cut-off': {
    title: 'the node cut off from MongoDB alone for 4 s, socket time-out 1 s',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'database', cause: 'database-unreachable', amplifiers: ['pool-cleared', 'pool-wait'] }],
    // Docker's first network by its name is the one that services are known by.
    networks: ['private'],
    services: {
      mongo: { networks: { lab: {}, private: { aliases: ['mongo-private'] } } },
      'app-1': {
        networks: { lab: {}, private: {} },
        environment: {
          DATABASE_URL: 'mongodb://mongo-private:27017/doubletake',
          SOCKET_TIMEOUT_MS: '1000',
          SERVER_SELECTION_TIMEOUT_MS: '1000',
        },
      },
    },
    actions: [
      { at: 0.3, service: 'app-1', action: 'disconnect', network: 'private' },
      { at: 0.7, service: 'app-1', action: 'connect', network: 'private' },
    ],
  },
};
