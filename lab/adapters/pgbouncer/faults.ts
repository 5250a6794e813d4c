/** Known troubles: a pool of one connection, and a slow statement on it. */

import type { ServiceModel } from '../contract.ts';
import type { ProductFault } from '../faults.ts';
import { ON_SOCKET, OPTIONS } from './state.ts';

/** Where Debian's package has it, and images that make it of variables. */
const DEFAULT_PATH = '/etc/pgbouncer/pgbouncer.ini';

/** In the section of PgBouncer itself; what a database says of its own is in its line. Seconds are whole ones. */
const SETTINGS = Object.entries({ default_pool_size: 1, min_pool_size: 0, reserve_pool_size: 0, query_wait_timeout: 1 });
const OF_DATABASES = /\b(pool_size|min_pool_size|reserve_pool(?:_size)?)\s*=\s*\d+/g;

/** On the pool that has most clients, as the user and the database that it is of. */
const HOLD = `
psql=$1 seconds=$2
ask() { sh -c "$psql" sh -X -A -t -q -w "$@"; }
set -- $(ask -F ' ' -U pgbouncer -d pgbouncer -c 'show pools' | grep -v '^pgbouncer ' | sort -k3,3nr | head -n 1)
[ -n "$2" ] || { echo 'nobody uses a pool'; exit 1; }
ask -U "$2" -d "$1" -c "select pg_sleep($seconds)"`;

export function faults(service: ServiceModel): ProductFault[] {
	return [
		{
			id: 'small-pool',
			title: 'pools of one connection, clients wait for 1 s at most (query_wait_timeout), and a statement holds it for a fifth of the load',
			// The statement that held the connection is on record in the database, and explains it as well.
			expected: [
				...['turned-away', 'pool-full', 'workers-taken'].map((cause) => ({ cause })),
				...['lock', 'held-by-one', 'slow-kind'].map((cause) => ({ cause, tier: 'database' as const })),
			],
			least: 1,
			reported: { level: 1, gives: 'which clients waited for too long, from its log' },
			change: {
				path: pathOf(service),
				name: 'pgbouncer.ini',
				changed: withSmallPools,
				lacking: 'its configuration has no section [pgbouncer]',
			},
			needs: {
				command: ['sh', '-c', ON_SOCKET, 'sh', ...OPTIONS, '-c', 'show version'],
				otherwise: 'psql is not in its container, or its console did not let Doubletake in over the Unix socket',
			},
			actions: [
				{ at: 0.3, action: 'execute', lasts: 0.2, command: (seconds) => ['sh', '-c', HOLD, 'sh', ON_SOCKET, String(Math.ceil(seconds))] },
			],
		},
	];
}

function pathOf({ command, mounts }: ServiceModel) {
	const words = command.flatMap((part) => part.split(/\s+/));
	return (
		words.find((word) => word.endsWith('.ini')) ?? mounts.find(({ target }) => target.endsWith('/pgbouncer.ini'))?.target ?? DEFAULT_PATH
	);
}

/** @returns null where the text is none of PgBouncer's */
function withSmallPools(text: string): string | null {
	const lines = text.replace(/\r\n/g, '\n').split('\n');
	const start = lines.findIndex((line) => /^\s*\[pgbouncer\]/i.test(line));
	if (start < 0) return null;
	const kept = lines.map((line) => line.replace(OF_DATABASES, (_, name) => `${name}=${name === 'pool_size' ? 1 : 0}`));
	const replaced = new RegExp(`^\\s*(${SETTINGS.map(([name]) => name).join('|')})\\s*=`, 'i');
	return [
		...kept.slice(0, start + 1).filter((line) => !replaced.test(line)),
		...SETTINGS.map(([name, value]) => `${name} = ${value}`),
		...kept.slice(start + 1).filter((line) => !replaced.test(line)),
	].join('\n');
}
