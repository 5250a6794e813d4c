/**
 * MongoDB: its log says which clients it refused, which operations took long and that it was told to stop, its own status how many of
 * its connections and tickets were taken.
 */

import type { Adapter } from '../contract.ts';
import { AS_CONTAINER } from '../contract.ts';
import { killed } from '../faults.ts';
import { detectMarked } from '../found-servers.ts';
import { SLOW_MS } from './log.ts';
import { read } from './read.ts';
import { redact } from './redact.ts';
import { releaseState, sampleState } from './state.ts';
import { DURABLE, errorSignal, logOf, OBSERVED, readObserved, store } from './store.ts';
import { without } from './without.ts';

/** mongos is a router in front of it, and has neither tickets nor a store. */
const MARKS = {
	images: /^(mongo|mongodb|mongodb-(community|enterprise)-server|percona-server-mongodb)$/,
	programs: /^mongod$/,
	clients: /^(mongos|mongosh|mongo|mongo(dump|restore|import|export|files|stat|top))$/,
	ports: [27017],
	data: /^\/(data\/db|bitnami\/mongodb)(\/|$)/,
};

export const adapter: Adapter = {
	product: 'mongo',
	title: 'MongoDB',
	detect: (service) => detectMarked('database', service, MARKS),
	watches: () => [
		AS_CONTAINER,
		{
			level: 1,
			gives: `what it says in its log, operations of ${SLOW_MS} ms and above too; connections and tickets, from its own status once a second`,
			needs: 'port 27017 without TLS, and no password but one in its own environment; Doubletake has two connections to it',
		},
	],
	overlay: () => ({}),
	version: { command: ['mongod', '--version'], pattern: /db version v(\d+(?:\.\d+)*)/, component: store.program },
	sample: sampleState,
	release: releaseState,
	durable: DURABLE,
	redact,
	read: (files, about) => (files.beside?.includes(OBSERVED) ? readObserved : read)(files, about),
	unlabelled: ({ name, tier }) => tier === 'database' && /^mongo(-\d+)?$/.test(name),
	recorded: (name) => [OBSERVED, logOf(name)],
	store,
	errorSignal,
	without,
	faults: () => [killed],
};
