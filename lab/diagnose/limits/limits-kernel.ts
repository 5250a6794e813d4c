/**
 * What the kernel limits, service by service: local ports, accept queues, open files and memory; and the table in which
 * it tracks the machine's connections. Records made before these were read have none of them.
 */

import type { Tier } from '../../record/types.js';
import { max, sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import { machineName } from '../measured-system.ts';
import type { Watched } from './limits.ts';

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

export function kernelLimits({ raw, machines }: Facts): Watched[] {
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
