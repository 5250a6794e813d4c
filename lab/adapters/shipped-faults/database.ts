import type { WrittenFault } from '../faults.ts';
import { during, inConf } from './balancer.ts';

/** Faults of MongoDB, of the way to it and of the pool before it. */
export const database: Record<string, WrittenFault> = {
	'pool-1': {
		title: 'pool of 1, waitQueueTimeoutMS 50',
		load: 'crowd',
		expected: [{ tier: 'pool', cause: 'pool-wait-timeout' }],
		services: { 'app-1': { environment: { MAX_POOL_SIZE: '1', WAIT_QUEUE_TIMEOUT_MS: '50' } } },
		short: true,
	},
	'pool-1-slow-queries': {
		title: 'pool of 1, queries take 0.1 s, the balancer waits for 1 s',
		architecture: 'a-lb',
		expected: [{ tier: 'pool', cause: 'pool-wait' }],
		services: { 'app-1': { environment: { MAX_POOL_SIZE: '1', SLOW_QUERY_SHARE: '1', SLOW_QUERY_MS: '100' } } },
		change: inConf(/proxy_pass /, 'proxy_read_timeout 1s; proxy_pass '),
	},
	'slow-queries-clear-the-pool': {
		// The driver takes a socket that is silent for too long as broken, and clears its pool.
		title: '5 % of queries take 2 s, socket time-out 0.5 s',
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
		load: 'crowd',
		expected: [{ tier: 'database', cause: 'database-slow', amplifiers: ['pool-cleared', 'pool-wait'] }],
		services: { 'app-1': { environment: { SOCKET_TIMEOUT_MS: '1000' } } },
		actions: during(0.3, 0.8, 'mongo', ['pause', 'unpause']),
	},
	'breaker-opens': {
		// Some fail by its time-out before it opens, and one each time that it tries again.
		title: 'MongoDB paused for 5 s, the only node has a circuit breaker: time-out 1 s, it tries again after 2 s',
		expected: [
			{ tier: 'database', cause: 'database-slow', amplifiers: ['pool-wait', 'pool-cleared'] },
			{ tier: 'database', cause: 'database-slow', amplifiers: ['breaker-open'], amplified: true },
		],
		services: { 'app-1': { environment: { BREAKER_TIMEOUT_MS: '1000', BREAKER_RESET_MS: '2000' } } },
		actions: during(0.3, 0.8, 'mongo', ['pause', 'unpause']),
	},
	'database-stopped': {
		title: 'MongoDB paused at second 4 for good, no time-outs',
		load: 'crowd',
		expected: [{ tier: 'database', cause: 'database-slow', amplifiers: ['pool-wait', 'pool-cleared'] }],
		// Every user hangs; after half a minute the driver may end what waits by itself.
		least: 290,
		actions: [{ at: 0.4, service: 'mongo', action: 'pause' }],
	},
	'database-killed': {
		title: 'MongoDB killed mid-run',
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
		actions: during(0.3, 0.8, 'mongo-2', ['pause', 'unpause']),
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
		expected: [{ tier: 'database', cause: 'database-error' }],
		services: { 'app-1': { environment: { WRONG_COMMAND_SHARE: '0.03' } } },
	},
	'database-packets-lost': {
		title: '70 % of the packets between the node and MongoDB lost for 5 s, in each direction, socket time-out 1 s',
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
		expected: [{ tier: 'database', cause: 'database-unreachable', amplifiers: ['pool-cleared', 'pool-wait'] }],
		services: { 'app-1': { environment: { SOCKET_TIMEOUT_MS: '1000', SERVER_SELECTION_TIMEOUT_MS: '1000' } } },
		actions: [
			{ at: 0.3, service: 'app-1', other: 'mongo', action: 'delay', delay_ms: 1500 },
			{ at: 0.8, service: 'app-1', other: 'mongo', action: 'delay-no-more' },
		],
	},
	'database-cut-off': {
		title: 'the node cut off from MongoDB alone for 4 s, socket time-out 1 s',
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
		actions: during(0.3, 0.7, 'app-1', ['disconnect', 'connect'], { network: 'private' }),
	},
};

const each = (environment: Record<string, string>) => ({ 'app-1': { environment }, 'app-2': { environment } });

/** Faults of the connections to the nodes. */
export const connections: Record<string, WrittenFault> = {
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
		expected: [{ tier: 'app', cause: 'broke-off', amplifiers: ['no-live-upstream'] }],
		services: each({ DESTROY_SHARE: '0.3' }),
	},
	'node-destroys-sockets': {
		title: 'the node destroys the sockets of 30 % of requests, of direct users',
		expected: [{ tier: 'app', cause: 'broke-off' }],
		services: { 'app-1': { environment: { DESTROY_SHARE: '0.3' } } },
	},
	'node-destroys-connections': {
		title: 'the node destroys 30 % of new connections, of direct users',
		expected: [{ tier: 'app', cause: 'closed-unread' }],
		services: { 'app-1': { environment: { DESTROY_CONNECTIONS_SHARE: '0.3' } } },
	},
	'node-ignores-connections': {
		title: 'the node accepts 10 % of connections and never reads from them',
		expected: [{ tier: 'app', cause: 'never-read' }],
		services: { 'app-1': { environment: { IGNORE_CONNECTIONS_SHARE: '0.1' } } },
	},
	'node-cuts-answers': {
		title: 'the node closes the connection in the middle of 10 % of answers',
		expected: [{ tier: 'app', cause: 'answer-lost' }],
		services: { 'app-1': { environment: { CUT_ANSWER_SHARE: '0.1' } } },
	},
	'invalid-answers': {
		title: 'the node answers 10 % of requests with what is not HTTP, behind the balancer',
		architecture: 'a-lb',
		expected: [{ tier: 'app', cause: 'invalid-answer' }],
		services: { 'app-1': { environment: { INVALID_SHARE: '0.1' } } },
	},
	'invalid-answers-direct': {
		title: 'the node answers 10 % of requests with what is not HTTP, to direct users',
		expected: [{ tier: 'app', cause: 'invalid-answer' }],
		services: { 'app-1': { environment: { INVALID_SHARE: '0.1' } } },
	},
	'wrong-target': {
		title: 'users dial a port of the node where nothing listens',
		expected: [{ tier: 'app', cause: 'refused' }],
		variables: { TARGET: 'http://app-1:3001/' },
	},
	'node-unreachable': {
		title: 'the only node cut off the network from second 4 on',
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
		expected: [
			{ tier: 'app', cause: 'unreachable', services: ['app-2'], may: true },
			{ tier: 'database', cause: 'database-unreachable', may: true },
		],
		least: 0,
		near_misses: [{ ids: ['left-out', 'dialled-again', 'sent-again', 'retried'], services: ['app-2', 'nginx'] }],
		actions: during(0.3, 0.7, 'app-2', ['disconnect', 'connect']),
	},
	'backlog-2-reset': {
		title: 'a queue of 2 connections to be accepted, overflow answered with a reset',
		load: 'crowd',
		expected: [{ tier: 'app', cause: 'accept-backlog-overflow' }],
		services: { 'app-1': { environment: { LISTEN_BACKLOG: '2' }, sysctls: { 'net.ipv4.tcp_abort_on_overflow': '1' } } },
	},
	'backlog-1': {
		title: 'a queue of 1 connection to be accepted, overflow left unanswered: users dial again',
		load: 'crowd',
		expected: [],
		near_misses: [{ ids: ['slow-accept'], services: ['app-1'] }],
		services: { 'app-1': { environment: { LISTEN_BACKLOG: '1' } } },
	},
};

/** Faults of the load generator. */
export const generator: Record<string, WrittenFault> = {
	'generator-256-files': {
		title: 'k6 with 256 file descriptors',
		load: 'crowd',
		expected: [{ tier: 'generator', cause: 'generator-exhausted' }],
		services: { k6: { ulimits: { nofile: { soft: 256, hard: 256 } } } },
	},
	'generator-10-percent': {
		// Nothing else has a quota, or on some machines the node would be at its own.
		title: 'CPU quota of k6 at 10 % of a core, none for the others',
		load: 'crowd',
		expected: [],
		saturated: 'generator',
		validity: 'not VALID',
		services: { k6: { cpu_period: 10_000, cpu_quota: 1000 }, 'app-1': { cpu_quota: 0 }, mongo: { cpu_quota: 0 } },
	},
	'generator-5-percent': {
		title: 'CPU quota of k6 at 5 % of a core, in periods of 100 ms, under a crowd',
		load: 'crowd',
		validity: 'not VALID',
		services: { k6: { cpu_period: 100_000, cpu_quota: 5000 } },
	},
	'generator-stutters': {
		// It stands still for most of each period, in which its clocks run on; on average it has CPU left.
		title: 'CPU quota of k6 at 10 % of a core, in periods of 100 ms, under a calm load',
		validity: 'not VALID',
		services: { k6: { cpu_period: 100_000, cpu_quota: 10_000 } },
	},
	'generator-throttled-midway': {
		title: 'CPU quota of k6 at 2 % of a core from second 3 to 8',
		load: 'crowd',
		validity: 'not VALID',
		actions: [
			{ at: 0.3, service: 'k6', action: 'quota', cores: 0.02 },
			{ at: 0.8, service: 'k6', action: 'quota' },
		],
	},
};
