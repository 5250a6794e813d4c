/**
 * The known faults of the shipped systems.
 */

import type { WrittenFault } from './faults.ts';
import { application, balancer, several } from './shipped-faults/balancer.ts';
import { connections, database, generator } from './shipped-faults/database.ts';

const written: Record<string, WrittenFault> = {
	healthy: { title: 'nothing (control)', expected: [], saturated: null, validity: 'VALID' },
	'healthy-balanced': {
		title: 'nothing, with two nodes (control)',
		architecture: '2a-tuned',
		expected: [],
		saturated: null,
		validity: 'VALID',
	},
	...generator,
	...balancer,
	...connections,
	...application,
	...database,
	...several,
};

export const faults = Object.fromEntries(Object.entries(written).map(([id, fault]) => [id, { architecture: 'a', load: 'calm', ...fault }]));

/** Causes that no fault here has, and why. */
export const NOT_INJECTED = {
	'queue-full': 'Nginx has no queue: it is a proxy of a user’s own system that says so',
	'broke-connection': 'it is said where no record tells whether a request had been read, and those of the lab’s own programs do',
	'cut-at-end': 'every request has a time-out that ends before k6 stops its users; only an interrupted run has requests that k6 cut off',
	'database-refused':
		'the driver keeps to the connections that it has, and no request fails for those that it is refused (tried: 20 connections for a pool of 50)',
	'database-lost': 'wherever a connection to MongoDB was broken on purpose, what broke it was recorded, and is the cause',
	'not-there': 'a refusal by the rules of one app, told by its status, as sold-out is; its users ask only for what they own',
	taken: 'a refusal by the rules of one app, told by its status, as sold-out is; its users give each document a name of its own',
};

/** What is known to happen to such systems, and is not put in here. */
export const NOT_TRIED = {
	'memory pressure short of a kill': 'how much a tier uses before it suffers depends on the machine, so that no dose of it fits all',
};
