/**
 * Every limited resource that is watched: slots of the balancer, pools, event loops, the database's connections, and what the
 * kernel limits. A record without a reading gives no limit.
 */

import type { Limit, Tier } from '../../record/types.js';
import { max, rounded, sum } from '../../stats/numbers.ts';
import { answersOf } from '../database-rows.ts';
import type { Facts } from '../ledger/facts.ts';
import { tableOf } from '../ledger/hop-records.ts';
import { machineName } from '../measured-system.ts';
import type { Raw } from '../read-raw.ts';
import { secondOf, secondsOf } from '../time/seconds.ts';
import type { Window } from '../time/window.ts';
import { SATURATED_SHARE } from './saturation.ts';

/*
 * What the kernel limits, service by service: local ports, accept queues, open files and memory; and the table in which
 * it tracks the machine's connections. Records made before these were read have none of them.
 */

/** Seconds between two counts of the ports, which cost a walk through all sockets. */
const PORTS_EVERY_S = 5;
/**
 * Of the local ports, taken towards one destination, from which on every connect() walks through the taken ones. Linux first
 * tries the ports of one parity, half of them, and goes on to the other half when none is free (`__inet_hash_connect`,
 * net/ipv4/inet_hashtables.c; Cloudflare, "connect() - why are you so slow?", 2024).
 */
const PARITY_SHARE = 1 / 2;
/**
 * Share of the time in which something waited for memory, from which on memory is the limit: systemd-oomd's
 * DefaultMemoryPressureLimit (oomd.conf(5)), which counts times in which all waited, so that this is reached a little sooner.
 */
const MEMORY_PRESSURE_SHARE = 0.6;

type Service = { name: string; tier: Tier };

function kernelLimits({ raw, machines }: Facts): Watched[] {
	const services = (raw.manifest.services ?? []) as { name: string; tier: string }[];
	const watched = services.filter(({ tier }) => tier !== 'observer') as Service[];
	const perService = watched.flatMap((service) => {
		const kernel = raw.kernel.filter(({ name }) => name === service.name);
		const containers = raw.containers.filter(({ name }) => name === service.name);
		return [
			...portLimits(service, kernel),
			...acceptLimits(service, kernel),
			...fileLimits(service, containers),
			...memoryLimits(service, containers, (row) => row.pressure?.memory_s),
		];
	});
	// Where the kernel counts no waiting for each container it may count that of the whole machine.
	const perMachine = machines.flatMap((one) => {
		const name = one.hosts.join('-') || 'machine';
		return [
			...memoryLimits({ name, tier: 'machine' }, one.rows, (row) => row.pressure?.memory),
			...trackingLimits(name, machineName(one, machines), one.rows),
		];
	});
	return [...perService, ...perMachine];
}

function portLimits({ name, tier }: Service, kernel: any[]): Watched[] {
	const rows = kernel.filter(({ ports }) => ports);
	if (rows.length === 0) return [];
	const [first, last] = rows[0].ports.range;
	const common = { tier, service: name, unit: 'ports', rows, every_s: PORTS_EVERY_S };
	const taken = (row: any) => Object.values(row.ports.by_destination) as number[];
	return [
		{
			...common,
			id: `ports-${name}`,
			label: `local ports of ${name} to one destination`,
			limit: Math.floor((last - first + 1) * PARITY_SHARE),
			note: 'the limit is half of the ports, from which on a free one takes longer to find',
			read: (row) => max(taken(row)) ?? 0,
		},
		// Two destinations share no ports. The record keeps those that took most.
		{
			...common,
			id: `ports-all-${name}`,
			label: `local ports of ${name} to its busiest destinations`,
			limit: null,
			note: 'each destination has a limit of its own',
			read: (row) => sum(taken(row)),
		},
	];
}

/**
 * The kernel tells how many connections wait to be accepted at each port, and not how many may. That one was too many is in a counter
 * of overflows which all ports of a service share, so they are told together: which of them it was is not on record.
 */
function acceptLimits({ name, tier }: Service, kernel: any[]): Watched[] {
	const rows = kernel
		.map((row, index) => ({ ...row, overflows: overflowsIn(row) - overflowsIn(kernel[index - 1] ?? row) }))
		.filter(({ accept }) => accept);
	const ports = [...new Set(rows.flatMap(({ accept }) => accept.map(({ port }: Queue) => port)))];
	if (ports.length === 0) return [];
	const isOne = ports.length === 1;
	return [
		{
			id: `accept-${name}`,
			label: isOne ? `accept queue of ${name}, port ${ports[0]}` : `accept queues of ${name}, ports ${ports.join(' and ')} together`,
			tier,
			service: name,
			limit: null,
			unit: 'connections',
			rows,
			read: ({ accept }) => sum(accept.map(({ queued }: Queue) => queued)),
			isReached: (_, row) => row.overflows > 0,
			what: isOne ? 'it overflowed' : 'one of them overflowed',
		},
	];
}

type Queue = { port: number; queued: number };

const overflowsIn = ({ counters }: any) => counters?.ListenOverflows ?? 0;

function fileLimits({ name, tier }: Service, containers: any[]): Watched[] {
	const rows = containers.filter(({ fds }) => fds);
	return rows.length === 0
		? []
		: [
				{
					id: `files-${name}`,
					label: `open files of ${name}`,
					tier,
					service: name,
					limit: max(rows.map(({ fds }) => fds.limit)),
					unit: 'files',
					rows,
					read: (row) => row.fds.open_files,
				},
			];
}

/** @param waitedIn seconds since some moment that something waited for memory */
function memoryLimits(
	{ name, tier }: { name: string; tier: Watched['tier'] },
	readings: any[],
	waitedIn: (row: any) => number | undefined,
): Watched[] {
	const known = readings.filter((row) => typeof waitedIn(row) === 'number');
	const rows = known.slice(1).map((row, index) => ({
		t: row.t,
		share: (Number(waitedIn(row)) - Number(waitedIn(known[index]))) / Math.max(0.1, row.t - known[index].t),
	}));
	if (rows.length === 0) return [];
	return [
		{
			id: `memory-pressure-${name}`,
			label: `memory pressure of ${name}`,
			tier,
			service: name,
			limit: 1,
			unit: 'share of the time',
			what: 'most of the time waited for memory',
			rows,
			read: (row) => row.share,
			isReached: (value) => value >= MEMORY_PRESSURE_SHARE,
		},
	];
}

/** New connections are dropped when the table is full. */
function trackingLimits(service: string, machine: string, host: any[]): Watched[] {
	const rows = host.filter(({ conntrack }) => conntrack);
	if (rows.length === 0) return [];
	return [
		{
			id: service === 'machine' ? 'conntrack' : `conntrack-${service}`,
			label: `tracked connections of ${machine}`,
			tier: 'machine',
			service,
			limit: rows[0].conntrack.max,
			unit: 'connections',
			rows,
			read: (row) => row.conntrack.count,
		},
	];
}

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

type Watched = {
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
