/** What PgBouncer's console said once a second of a load. What it logged is read as any service's (lab/diagnose/waiting/logs.ts). */

import { bareRecord } from '../bare-record.ts';
import type { Window } from '../complete-lines.ts';
import { limitOf, sampledExtent } from '../complete-lines.ts';
import type { About, Files, HopRecord, Limit } from '../contract.ts';
import type { Pool, State } from './state.ts';

type Sample = State & { t: number };

export function read({ samples }: Files, about: About): HopRecord {
	const { service, window } = about;
	return {
		...bareRecord(about, 'pgbouncer'),
		coverage: { requests: 'none', reasons: 'none', limits: sampledExtent(samples, window) },
		uncovered: [`PgBouncer knows no requests: a client that ${service} turned away belongs to no single one`],
		limits: [...poolLimits(samples, window), ...clientLimit(samples, window)],
	};
}

/** One for each database, with its fullest pool: each user has a pool of its own, as large. */
function poolLimits(samples: Sample[], window: Window): Limit[] {
	const databases = [...new Set(samples.flatMap(({ pools = [] }) => pools.map(({ database }) => database)))];
	return databases.flatMap((name) =>
		limitOf(
			databases.length === 1 ? 'server connections of the pool' : `server connections of the pool of ${name}`,
			samples,
			window,
			({ sizes }) => sizes?.[name],
			({ pools = [] }) => fullest(pools, name),
		),
	);
}

const clientLimit = (samples: Sample[], window: Window): Limit[] =>
	limitOf(
		'client connections',
		samples,
		window,
		({ settings }) => Number(settings?.max_client_conn),
		({ clients }) => clients,
	);

/** Busy connections of a database's fullest pool. */
const fullest = (pools: Pool[], name: string) => Math.max(0, ...pools.filter(({ database }) => database === name).map(({ busy }) => busy));
