/**
 * Redis and what speaks like it (Valkey, KeyDB): it tells of its connections and its memory. A cache, unless the user's file says that it
 * is a queue.
 */

import type { Adapter } from '../contract.ts';
import { AS_CONTAINER } from '../contract.ts';
import { killed } from '../faults.ts';
import { detectMarked } from '../found-servers.ts';
import { read } from './read.ts';
import { redact } from './redact.ts';
import { backlogOf, sampleState } from './state.ts';

const MARKS = {
	images: /^(redis|redis-cluster|redis-stack(-server)?|valkey|valkey-cluster|keydb)$/,
	programs: /^((redis|valkey|keydb)-server|redis-stack(-server)?)$/,
	clients: /^((redis|valkey|keydb)-(cli|benchmark|sentinel))$/,
	ports: [6379],
};

export const adapter: Adapter = {
	product: 'redis',
	title: 'Redis',
	detect: (service) => detectMarked('cache', service, MARKS),
	watches: () => [
		AS_CONTAINER,
		{
			level: 1,
			gives: 'what it says in its log; its connections and memory, from INFO once a second',
			needs: 'redis-cli in the container, and no password but one in its own environment',
		},
	],
	overlay: () => ({}),
	version: {
		command: ['sh', '-c', 'redis-server --version || valkey-server --version || keydb-server --version'],
		pattern: /\bv=(\d+(?:\.\d+)*)/,
	},
	sample: sampleState,
	backlog: backlogOf,
	// https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
	durable:
		'have each write on its disk before it is acknowledged, with appendonly yes and appendfsync always; with everysec the last second may be gone, and without appendonly all since the last snapshot',
	redact,
	read,
	faults: () => [killed],
};
