const each = (/** @type {Record<string, string>} */ environment) => ({ 'app-1': { environment }, 'app-2': { environment } });

/** Faults of the connections to the nodes. @type {Record<string, import('../faults.js').ShippedFault>} */
export const connections = {
  'nodes-close-idle': {
    title: 'both nodes close idle connections after 5 ms, the balancer keeps them for 4 s',
    architecture: '2a-tuned',
    load: 'crowd',
    expected: [{ tier: 'app', cause: 'closed-unread', amplifiers: ['no-live-upstream'] }],
    services: each({ KEEP_ALIVE_TIMEOUT_MS: '5' }),
    short: true,
  },
  'node-closes-idle': {
    // Its users write as well as read; a client may send a read again by itself, and does.
    title: 'the node closes idle connections after 1 ms, under users who send at once',
    architecture: 'crud',
    load: 'smoke',
    expected: [
      { tier: 'app', cause: 'keep-alive-race', may: true },
      { tier: 'app', cause: 'closed-unread', may: true },
    ],
    services: { 'app-1': { environment: { KEEP_ALIVE_TIMEOUT_MS: '1' } } },
  },
  'nodes-destroy-sockets': {
    title: 'both nodes destroy the sockets of 30 % of requests, behind the balancer',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'broke-off', amplifiers: ['no-live-upstream'] }],
    services: each({ DESTROY_SHARE: '0.3' }),
  },
  'node-destroys-sockets': {
    title: 'the node destroys the sockets of 30 % of requests, of direct users',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'broke-off' }],
    services: { 'app-1': { environment: { DESTROY_SHARE: '0.3' } } },
  },
  'node-destroys-connections': {
    title: 'the node destroys 30 % of new connections, of direct users',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'closed-unread' }],
    services: { 'app-1': { environment: { DESTROY_CONNECTIONS_SHARE: '0.3' } } },
  },
  'node-ignores-connections': {
    title: 'the node accepts 10 % of connections and never reads from them',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'never-read' }],
    services: { 'app-1': { environment: { IGNORE_CONNECTIONS_SHARE: '0.1' } } },
  },
  'node-cuts-answers': {
    title: 'the node closes the connection in the middle of 10 % of answers',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'answer-lost' }],
    services: { 'app-1': { environment: { CUT_ANSWER_SHARE: '0.1' } } },
  },
  'invalid-answers': {
    title: 'the node answers 10 % of requests with what is not HTTP, behind the balancer',
    architecture: 'a-lb',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'invalid-answer' }],
    services: { 'app-1': { environment: { INVALID_SHARE: '0.1' } } },
  },
  'invalid-answers-direct': {
    title: 'the node answers 10 % of requests with what is not HTTP, to direct users',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'invalid-answer' }],
    services: { 'app-1': { environment: { INVALID_SHARE: '0.1' } } },
  },
  'wrong-target': {
    title: 'users dial a port of the node where nothing listens',
    architecture: 'a',
    load: 'calm',
    expected: [{ tier: 'app', cause: 'refused' }],
    variables: { TARGET: 'http://app-1:3001/' },
  },
  'node-unreachable': {
    title: 'the only node cut off the network from second 4 on',
    architecture: 'a',
    load: 'calm',
    expected: [
      { tier: 'app', cause: 'unreachable' },
      // On connections that were open, what is sent is never answered, and nobody says why.
      { tier: 'app', cause: 'never-read', may: true },
    ],
    actions: [{ at: 0.4, service: 'app-1', action: 'disconnect' }],
  },
  'node-cut-off': {
    title: 'one of two nodes cut off the network for 4 s',
    architecture: '2a-tuned',
    load: 'calm',
    expected: [
      { tier: 'app', cause: 'unreachable', services: ['app-2'], may: true },
      { tier: 'database', cause: 'database-unreachable', may: true },
    ],
    least: 0,
    near_misses: [{ ids: ['left-out', 'dialled-again', 'sent-again', 'retried'], services: ['app-2', 'nginx'] }],
    actions: [
      { at: 0.3, service: 'app-2', action: 'disconnect' },
      { at: 0.7, service: 'app-2', action: 'connect' },
    ],
  },
  'backlog-2-reset': {
    title: 'a queue of 2 connections to be accepted, overflow answered with a reset',
    architecture: 'a',
    load: 'crowd',
    expected: [{ tier: 'app', cause: 'accept-backlog-overflow' }],
    services: { 'app-1': { environment: { LISTEN_BACKLOG: '2' }, sysctls: { 'net.ipv4.tcp_abort_on_overflow': '1' } } },
  },
  'backlog-1': {
    title: 'a queue of 1 connection to be accepted, overflow left unanswered: users dial again',
    architecture: 'a',
    load: 'crowd',
    expected: [],
    near_misses: [{ ids: ['slow-accept'], services: ['app-1'] }],
    services: { 'app-1': { environment: { LISTEN_BACKLOG: '1' } } },
  },
};
