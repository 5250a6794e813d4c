/**
 * PgBouncer: its console says how full its pools are.
 */

import { type Adapter, AS_CONTAINER } from '../contract.ts';
import { detectMarked } from '../found-servers.ts';
import { faults } from './faults.ts';
import { read } from './read.ts';
import { sampleState } from './state.ts';

const MARKS = {
	images: /^(crunchy-)?pgbouncer$/,
	programs: /^pgbouncer$/,
	clients: /^psql$/,
	ports: [6432],
};

export const adapter: Adapter = {
	product: 'pgbouncer',
	title: 'PgBouncer',
	detect: (service) => detectMarked('pool', service, MARKS),
	watches: () => [
		AS_CONTAINER,
		{
			level: 1,
			gives: 'what it says in its log; how full its pools are, from its console',
			needs: 'psql in the container, and a Unix socket (unix_socket_dir, on by default)',
		},
	],
	overlay: () => ({}),
	version: { command: ['pgbouncer', '--version'], pattern: /PgBouncer (\d+(?:\.\d+)*)/ },
	sample: sampleState,
	read,
	faults,
};
