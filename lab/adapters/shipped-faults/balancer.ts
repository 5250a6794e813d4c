import type { Change, FaultAction, WrittenFault } from '../faults.ts';

/** The balancer of the systems that these faults are put into: its service, and the folder of its configurations. */
const BALANCER = 'nginx';

/** A change of the balancer's configuration, in each of its files that has what is changed. */
export const inConf = (pattern: RegExp, replacement: string): Change => ({
	service: BALANCER,
	path: '/etc/doubletake',
	name: BALANCER,
	changed: (text) => {
		const changed = text.replace(pattern, replacement);
		return changed === text ? null : changed;
	},
	lacking: `its configuration has nothing like ${pattern}`,
});

/**
 * What begins on a service and ends again.
 * @param from share of the load
 * @param more about both
 */
export const during = (
	from: number,
	to: number,
	service: string,
	[begins, ends]: [begins: FaultAction['action'], ends: FaultAction['action']],
	more: Pick<FaultAction, 'network'> = {},
): FaultAction[] => [
	{ at: from, service, action: begins, ...more },
	{ at: to, service, action: ends, ...more },
];

const TIME_OUT_1_S = inConf(/proxy_pass /, 'proxy_read_timeout 1s; proxy_pass ');

/** Faults of the balancer, and of how it is told where to go. */
export const balancer: Record<string, WrittenFault> = {
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
		expected: [{ tier: 'load-balancer', cause: 'balancer-refused' }],
		change: inConf(/upstream nodes \{/, 'limit_req_zone $server_port zone=all:1m rate=20r/s; limit_req zone=all; upstream nodes {'),
	},
	'nodes-marked-down': {
		title: 'the balancer is told that both nodes are down',
		architecture: '2a-tuned',
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
		expected: [],
		near_misses: [{ ids: ['stood-still'], services: ['nginx'] }],
		actions: during(0.3, 0.8, 'nginx', ['pause', 'unpause']),
	},
	'wrong-port': {
		title: 'the balancer asks the node at a port where nothing listens',
		architecture: 'a-lb',
		expected: [{ tier: 'app', cause: 'upstream-refused' }],
		change: inConf(/app-1:3000/, 'app-1:3001'),
	},
	'wrong-port-of-two': {
		title: 'the balancer asks one of two nodes at a port where nothing listens',
		architecture: '2a-tuned',
		expected: [],
		near_misses: [{ ids: ['left-out'], services: ['app-1'] }],
		change: inConf(/app-1:3000/, 'app-1:3001'),
	},
	'slow-node': {
		title: 'the node takes 1.5 s, the balancer waits for 1 s',
		architecture: 'a-lb',
		expected: [{ tier: 'app', cause: 'upstream-timeout' }],
		services: { 'app-1': { environment: { EXTRA_DELAY_MS: '1500' } } },
		change: TIME_OUT_1_S,
	},
	'slow-node-of-two': {
		title: 'one of two nodes takes 1.5 s, the balancer waits for 1 s',
		architecture: '2a-tuned',
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
		expected: [{ tier: 'app', cause: 'upstream-timeout', amplifiers: ['no-live-upstream'] }],
		services: { 'app-1': { environment: { EXTRA_DELAY_MS: '1500' } }, 'app-2': { environment: { EXTRA_DELAY_MS: '1500' } } },
		change: TIME_OUT_1_S,
	},
};

const SMALL_MEMORY = { mem_limit: '256m', memswap_limit: '256m', environment: { LEAK_MB: '1' } };

/** Faults of the app. */
export const application: Record<string, WrittenFault> = {
	'app-errors': {
		title: 'the app answers 500 for 3 % of requests',
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
		load: 'crowd',
		expected: [{ tier: 'app', cause: 'shed' }],
		services: { 'app-1': { cpu_period: 10_000, cpu_quota: 1000, environment: { SHED_DELAY_MS: '1' } } },
	},
	'app-killed': {
		title: 'the only node killed mid-run',
		load: 'crowd',
		expected: [{ tier: 'app', cause: 'app-crashed' }],
		actions: [{ at: 0.5, service: 'app-1', action: 'kill' }],
	},
	'node-killed': {
		// Nginx asks the other node, so nothing is lost.
		title: 'one of two nodes killed mid-run',
		architecture: '2a-tuned',
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
		load: 'crowd',
		expected: [{ tier: 'app', cause: 'out-of-descriptors', amplifiers: ['pool-cleared'] }],
		services: { 'app-1': { ulimits: { nofile: { soft: 64, hard: 64 } } } },
	},
	'node-out-of-memory': {
		title: 'the only node keeps 1 MB for each request, and has 256 MB',
		expected: [{ tier: 'app', cause: 'out-of-memory' }],
		services: { 'app-1': SMALL_MEMORY },
	},
	'node-of-two-out-of-memory': {
		title: 'one of two nodes keeps 1 MB for each request, and has 256 MB',
		architecture: '2a-tuned',
		expected: [{ tier: 'app', cause: 'out-of-memory', services: ['app-2'], may: true }],
		least: 0,
		near_misses: [{ ids: ['ended'], services: ['app-2'] }],
		services: { 'app-2': SMALL_MEMORY },
	},
	'node-paused': {
		title: 'the only node paused for 5 s',
		expected: [],
		near_misses: [{ ids: ['stood-still'], services: ['app-1'] }],
		actions: during(0.3, 0.8, 'app-1', ['pause', 'unpause']),
	},
	'node-paused-balanced': {
		title: 'the only node paused for 5 s, the balancer waits for 1 s',
		architecture: 'a-lb',
		expected: [{ tier: 'app', cause: 'stood-still', amplifiers: ['pool-wait'] }],
		change: inConf(/proxy_pass /, 'proxy_read_timeout 1s; proxy_pass '),
		actions: during(0.3, 0.8, 'app-1', ['pause', 'unpause']),
	},
	'node-blocked': {
		title: 'each request blocks the event loop of the only node for 0.5 s',
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
		expected: [{ tier: 'app', cause: 'client-gave-up' }],
		unanswered: 150,
		services: { 'app-1': { environment: { EXTRA_DELAY_MS: '60000' } } },
	},
	'node-5-percent': {
		title: 'CPU quota of the node at 5 % of a core',
		load: 'crowd',
		expected: [],
		saturated: 'app',
		services: { 'app-1': { cpu_period: 100_000, cpu_quota: 5000 } },
	},
};

/** Two faults at once, one after the other, and beside something loud that does no harm. */
export const several: Record<string, WrittenFault> = {
	'errors-beside-reusing': {
		title: 'the app answers 500 for 3 % of requests, while the balancer closes idle clients',
		architecture: 'a-lb',
		expected: [{ tier: 'app', cause: 'app-error' }],
		services: { 'app-1': { environment: { ERROR_SHARE: '0.03' } } },
		change: inConf(/worker_connections \d+;/, 'worker_connections 128;'),
	},
	'sockets-and-database': {
		title: 'the node destroys the sockets of 30 % of requests, while MongoDB is paused for 4 s, socket time-out 1 s',
		expected: [
			{ tier: 'app', cause: 'broke-off', marked: 'destroyShare' },
			{ tier: 'database', cause: 'database-slow', amplifiers: ['pool-cleared'], from_s: 3, to_s: 9 },
		],
		services: { 'app-1': { environment: { DESTROY_SHARE: '0.3', SOCKET_TIMEOUT_MS: '1000' } } },
		actions: during(0.3, 0.7, 'mongo', ['pause', 'unpause']),
	},
	'node-then-database': {
		title: 'the only node killed at 2 s and back at 4 s, MongoDB paused from 6 to 9 s, socket time-out 1 s',
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
