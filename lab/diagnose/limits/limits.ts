/**
 * Every limited resource that is watched: slots of the balancer, pools, event loops, the database's connections, and what the
 * kernel limits. A record without a reading gives no limit.
 *
 * @import { Limit, Tier } from '../../record/types.js'
 * @import { Facts } from '../ledger/facts.ts'
 * @import { Raw } from '../read-raw.ts'
 * @import { Window } from '../time/window.ts'
 */

import { max, rounded, sum } from '../../stats/numbers.ts';
import { answersOf } from '../database-rows.ts';
import { tableOf } from '../ledger/hop-records.ts';
import { machineName } from '../measured-system.ts';
import { secondOf, secondsOf } from '../time/seconds.ts';
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

/** @typedef {{ name: string, tier: Tier }} Service */

/** @param {Facts} facts @returns {Watched[]} */
function kernelLimits({ raw, machines }) {
	const services = /** @type {{ name: string, tier: string }[]} */ (raw.manifest.services ?? []);
	const watched = /** @type {Service[]} */ (services.filter(({ tier }) => tier !== 'observer'));
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

/** @param {Service} service @param {any[]} kernel @returns {Watched[]} */
function portLimits({ name, tier }, kernel) {
	const rows = kernel.filter(({ ports }) => ports);
	if (rows.length === 0) return [];
	const [first, last] = rows[0].ports.range;
	const common = { tier, service: name, unit: 'ports', rows, every_s: PORTS_EVERY_S };
	const taken = (/** @type {any} */ row) => /** @type {number[]} */ (Object.values(row.ports.by_destination));
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
 * @param {Service} service
 * @param {any[]} kernel
 * @returns {Watched[]}
 */
function acceptLimits({ name, tier }, kernel) {
	const rows = kernel
		.map((row, index) => ({ ...row, overflows: overflowsIn(row) - overflowsIn(kernel[index - 1] ?? row) }))
		.filter(({ accept }) => accept);
	const ports = [...new Set(rows.flatMap(({ accept }) => accept.map((/** @type {Queue} */ { port }) => port)))];
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
			read: ({ accept }) => sum(accept.map((/** @type {Queue} */ { queued }) => queued)),
			isReached: (_, row) => row.overflows > 0,
			what: isOne ? 'it overflowed' : 'one of them overflowed',
		},
	];
}

/** @typedef {{ port: number, queued: number }} Queue */

/** @param {any} row */
const overflowsIn = ({ counters }) => counters?.ListenOverflows ?? 0;

/** @param {Service} service @param {any[]} containers @returns {Watched[]} */
function fileLimits({ name, tier }, containers) {
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

/**
 * @param {{ name: string, tier: Watched['tier'] }} owner
 * @param {any[]} readings
 * @param {(row: any) => number | undefined} waitedIn seconds since some moment that something waited for memory
 * @returns {Watched[]}
 */
function memoryLimits({ name, tier }, readings, waitedIn) {
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

/** New connections are dropped when the table is full. @type {(service: string, machine: string, host: any[]) => Watched[]} */
function trackingLimits(service, machine, host) {
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

/**
 * @param {Facts} facts
 * @param {number[]} seconds of the timeline
 * @returns {WatchedLimit[]}
 */
export function limitsOf(facts, seconds) {
	return [...balancerLimits(facts), ...nodeLimits(facts), ...databaseLimits(facts), ...reportedLimits(facts), ...kernelLimits(facts)].map(
		(watched) => watchedLimit(watched, facts.window, seconds),
	);
}

/** @param {Facts} facts @returns {Watched[]} */
function balancerLimits({ raw, entryProxy }) {
	if (!entryProxy) return [];
	const { service: name } = entryProxy;
	const table = tableOf(entryProxy);
	return [
		{
			id: 'balancer-connections',
			// The kernel's count holds the sockets that wait to be accepted too, so a full table with a queue exceeds the limit.
			label: 'balancer sockets, waiting ones included',
			tier: 'load-balancer',
			service: name,
			limit: table?.size ?? null,
			unit: 'connections',
			note: 'those that wait to be accepted take no slot yet',
			rows: raw.kernel.filter((row) => row.name === name),
			read: (row) => row.sockets.inuse,
			...(table && { isReached: (/** @type {number} */ value) => value >= (table.full ?? table.size) }),
		},
	];
}

/** What a service tells of its own limits. @param {Facts} facts @returns {Watched[]} */
function reportedLimits({ hops }) {
	return hops.flatMap(({ service, tier, limits }) =>
		limits
			.filter(({ used }) => used.length > 0)
			.map(({ resource, size, used, unit = 'connections', full = size, fills = false }) => ({
				id: `${service}-${resource.replaceAll(/\W+/g, '-')}`,
				label: `${resource} of ${service}`,
				tier: /** @type {Tier} */ (tier),
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

/** @param {Facts} facts @returns {Watched[]} */
function nodeLimits({ raw }) {
	return Object.entries(raw.nodes).flatMap(([node, rows]) => {
		/** @type {Watched} */
		const pool = {
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
		/** @type {Watched} */
		const loop = {
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

/** @param {Facts} facts @returns {Watched[]} */
function databaseLimits({ raw, window, databases, store }) {
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

/** Requests that wait for a pooled connection, all nodes. @type {(raw: Raw, window: Window) => Map<number, number>} */
function waitingBySecond({ nodes }, window) {
	/** @type {Map<number, number>} */
	const waiting = new Map();
	for (const row of Object.values(nodes).flat()) {
		const t_s = secondOf(row.t, window);
		waiting.set(t_s, sum([waiting.get(t_s), row.pool?.waiting]));
	}
	return waiting;
}

/**
 * A limited resource on the seconds of the timeline: what was used of it, and whether its limit was reached.
 *
 * @typedef {Limit & Extra} WatchedLimit
 * @typedef {{ service: string, queues: boolean, fills: boolean, what: string, reached: (boolean | null)[] }} Extra
 *   service: whose limit it is; queues, fills, what: as in Watched; reached: null in a second without a reading, and without a limit on record
 *
 * @typedef {object} Watched
 * @property {string} id
 * @property {string} label
 * @property {Limit['tier']} tier
 * @property {string} service
 * @property {number | null} limit     null: not on record
 * @property {string} unit
 * @property {string} [note]           why more than the limit may be used, or why there is none
 * @property {any[]} rows              of one record, with the moment `t`
 * @property {(row: any) => number | null | undefined} read
 * @property {(value: number, row: any) => boolean} [isReached]  at the limit, where one is known, unless given
 * @property {string} [what]            the limit in words, where it is no number
 * @property {boolean} [queues]        what is used up are places in which requests wait for the work behind them
 * @property {boolean} [fills]         it is room, and no places: who finds it full does not wait for it
 * @property {number} [every_s]        seconds between two readings; 1 unless given
 */

/**
 * @param {Watched} watched
 * @param {Window} window
 * @param {number[]} seconds of the timeline
 * @returns {WatchedLimit}
 */
function watchedLimit(watched, window, seconds) {
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

/**
 * A reading stands until the next one is due, and no longer.
 * @type {(readings: Map<number, any>, t_s: number, every_s: number) => any}
 */
function latest(readings, t_s, every_s) {
	for (let age = 0; age < every_s; age += 1) if (readings.has(t_s - age)) return readings.get(t_s - age);
	return undefined;
}

/** As it is drawn. @param {WatchedLimit} watched @returns {Limit} */
export const drawnLimit = ({ id, label, tier, limit, unit, note, values }) => ({
	id,
	label,
	tier,
	limit,
	unit,
	...(note === undefined ? {} : { note }),
	values,
});
