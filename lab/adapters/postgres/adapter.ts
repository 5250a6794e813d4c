/**
 * PostgreSQL: its log says what took long, its own views say how many of its connections were taken.
 */

import { type Adapter, AS_CONTAINER } from '../contract.ts';
import { detectMarked } from '../found-servers.ts';
import { faults } from './faults.ts';
import { commandWithSettings } from './overlay.ts';
import { read } from './read.ts';
import { redact } from './redact.ts';
import { sampleState } from './state.ts';
import { SLOW_MS } from './statements.ts';

const MARKS = {
	images: /^((crunchy-)?postgres(ql)?(-?\d+)?(-alpine)?|postgis|timescaledb(-ha)?|pgvector|citus)$/,
	programs: /^(postgres|postmaster|pg_ctlcluster)$/,
	clients: /^(psql|pg_dump(all)?|pg_restore|pg_basebackup|pg_isready|pgbench|createdb|vacuumdb)$/,
	ports: [5432],
	data: /^\/(var\/lib|bitnami)\/postgresql(\/|$)/,
};

export const adapter: Adapter = {
	product: 'postgres',
	title: 'PostgreSQL',
	detect: (service) => detectMarked('database', service, MARKS),
	watches: (service) => [
		AS_CONTAINER,
		{
			level: 1,
			gives: 'what it says in its log; connections, locks and transactions, from its own views once a second',
			needs: 'psql in the container, which lets its own user in without a password (as the official image does)',
		},
		...(commandWithSettings(service) === null
			? []
			: [
					{
						level: 2 as const,
						gives: `also statements of ${SLOW_MS} ms and above, and waits for locks`,
						needs: 'consent: settings are added to its command; the text of slow statements then stands in its log, never in the report',
					},
				]),
	],
	overlay: (service, level) => {
		const command = level >= 2 ? commandWithSettings(service) : null;
		return command === null ? {} : { command };
	},
	// Debian's package has the server outside the path.
	version: {
		command: ['sh', '-c', 'postgres --version || /usr/lib/postgresql/*/bin/postgres --version'],
		pattern: /\(PostgreSQL\) (\d+(?:\.\d+)*)/,
	},
	sample: sampleState,
	redact,
	read,
	faults,
};
