/**
 * Every limited resource that is watched: slots of the balancer, pools, event loops, the database's connections, and what the
 * kernel limits. A record without a reading gives no limit.
 */

import type { Limit, Tier } from '../../record/types.js';
import { max, rounded, sum } from '../../stats/numbers.ts';
import { answersOf } from '../database-rows.ts';
import { tableOf } from '../ledger/entry-proxy.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Raw } from '../read-raw.ts';
import { secondOf, secondsOf } from '../time/seconds.ts';
import type { Window } from '../time/window.ts';
import { kernelLimits } from './limits-kernel.ts';
import { SATURATED_SHARE } from './saturation.ts';

/** @param seconds of the timeline */
export function limitsOf(facts: Facts, seconds: number[]): WatchedLimit[] {
	return [...balancerLimits(facts), ...nodeLimits(facts), ...databaseLimits(facts), ...reportedLimits(facts), ...kernelLimits(facts)].map(
		(watched) => watchedLimit(watched, facts.window, seconds),
	);
}

function balancerLimits({ raw, entryProxy }: Facts): Watched[] {
	if (!entryProxy) return [];
	const { service: name } = entryProxy;
	const table = tableOf(entryProxy);
	return [
		{
			id: 'balancer-connections',
			// The kernel's count holds the sockets that wait to be accepted too, so a full table with a queue exceeds the limit.
			label: 'balancer sockets, including those not yet accepted',
			tier: 'load-balancer',
			service: name,
			limit: table?.size ?? null,
			unit: 'connections',
			note: 'those not yet accepted take no connection slot',
			rows: raw.kernel.filter((row) => row.name === name),
			read: (row) => row.sockets.inuse,
			...(table && { isReached: (value: number) => value >= (table.full ?? table.size) }),
		},
	];
}

/** What a service tells of its own limits. */
function reportedLimits({ hops }: Facts): Watched[] {
	return hops.flatMap(({ service, tier, limits }) =>
		limits
			.filter(({ used }) => used.length > 0)
			.map(({ resource, size, used, unit = 'connections', full = size, fills = false }) => ({
				id: `${service}-${resource.replaceAll(/\W+/g, '-')}`,
				label: `${resource} of ${service}`,
				tier: tier as Tier,
				service,
				limit: size,
				unit,
				rows: used,
				read: (row) => row.used,
				isReached: (value) => value >= full,
				fills,
			})),
	);
}

function nodeLimits({ raw }: Facts): Watched[] {
	return Object.entries(raw.nodes).flatMap(([node, rows]) => {
		const pool: Watched = {
			id: `pool-${node}`,
			label: `pool of ${node}`,
			tier: 'pool',
			service: node,
			limit: max(rows.map(({ max_pool_size: size }) => size)),
			unit: 'connections',
			rows,
			read: (row) => row.pool?.in_use,
			queues: true,
			// A pool that is used up and that nobody waits for holds nobody back.
			isReached: (value, row) => pool.limit !== null && value >= pool.limit && row.pool.waiting > 0,
		};
		const loop: Watched = {
			id: `loop-${node}`,
			label: `event loop of ${node}`,
			tier: 'app',
			service: node,
			limit: 1,
			unit: 'busy share',
			what: 'always busy',
			rows,
			read: (row) => row.busy_share,
			isReached: (value) => value >= SATURATED_SHARE,
		};
		// A node without a database has no pool of connections to one.
		return rows.some((row) => row.pool) ? [pool, loop] : [loop];
	});
}

function databaseLimits({ raw, window, databases, store }: Facts): Watched[] {
	const waitingIn = waitingBySecond(raw, window);
	return databases.flatMap(({ name }) => {
		const answered = answersOf(raw.database, name);
		if (name === null || answered.length === 0) return [];
		const { open, free } = answered[0].connections;
		const isOne = databases.length === 1;
		return [
			{
				id: isOne ? 'database-connections' : `database-connections ${name}`,
				label: `${store.title} connections${isOne ? '' : ` of ${name}`}`,
				tier: 'database',
				service: name,
				limit: open + free,
				unit: 'connections',
				rows: answered,
				read: (row) => row.connections.open,
				queues: true,
				// Pools that want no more do not notice that there are none.
				isReached: (value, row) => value >= open + free && (waitingIn.get(secondOf(row.t, window)) ?? 0) > 0,
			},
		];
	});
}

/** Requests that wait for a pooled connection, all nodes. */
function waitingBySecond({ nodes }: Raw, window: Window): Map<number, number> {
	const waiting: Map<number, number> = new Map();
	for (const row of Object.values(nodes).flat()) {
		const t_s = secondOf(row.t, window);
		waiting.set(t_s, sum([waiting.get(t_s), row.pool?.waiting]));
	}
	return waiting;
}

/** A limited resource on the seconds of the timeline: what was used of it, and whether its limit was reached. */
export type WatchedLimit = Limit & Extra;

/**
 * service: whose limit it is; queues, fills, what: as in Watched; reached: null in a second without a reading, and without a limit on record
 */
type Extra = { service: string; queues: boolean; fills: boolean; what: string; reached: (boolean | null)[] };

export type Watched = {
	id: string;
	label: string;
	tier: Limit['tier'];
	service: string;
	/** null: not on record */
	limit: number | null;
	unit: string;
	/** why more than the limit may be used, or why there is none */
	note?: string;
	/** of one record, with the moment `t` */
	rows: any[];
	read: (row: any) => number | null | undefined;
	/** at the limit, where one is known, unless given */
	isReached?: (value: number, row: any) => boolean;
	/** the limit in words, where it is no number */
	what?: string;
	/** what is used up are places in which requests wait for the work behind them */
	queues?: boolean;
	/** it is room, and no places: who finds it full does not wait for it */
	fills?: boolean;
	/** seconds between two readings; 1 unless given */
	every_s?: number;
};

/** @param seconds of the timeline */
function watchedLimit(watched: Watched, window: Window, seconds: number[]): WatchedLimit {
	const { id, label, tier, service, limit, unit, note, rows, read, queues = false, fills = false, every_s = 1 } = watched;
	// Of a limit that is not on record nobody knows whether it was reached.
	const isReached = watched.isReached ?? ((value) => (limit === null ? null : value >= limit));
	const what = watched.what ?? `at its limit of ${(limit ?? 0).toLocaleString('en-US')}`;
	const placed = secondsOf(rows, window);
	const readings = new Map(rows.map((row, index) => [placed[index], row]));
	const onSeconds = seconds.map((t_s) => latest(readings, t_s, every_s));
	const values = onSeconds.map((row) => (row === undefined ? null : rounded(read(row))));
	const reached = values.map((value, index) => (value === null ? null : isReached(value, onSeconds[index])));
	return { id, label, tier, service, limit, unit, note, queues, fills, what, values, reached };
}

/** A reading stands until the next one is due, and no longer. */
function latest(readings: Map<number, any>, t_s: number, every_s: number): any {
	for (let age = 0; age < every_s; age += 1) if (readings.has(t_s - age)) return readings.get(t_s - age);
	return undefined;
}

/** As it is drawn. */
export const drawnLimit = ({ id, label, tier, limit, unit, note, values }: WatchedLimit): Limit => ({
	id,
	label,
	tier,
	limit,
	unit,
	...(note === undefined ? {} : { note }),
	values,
});
