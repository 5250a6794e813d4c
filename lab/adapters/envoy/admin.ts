/**
 * Reads what Envoy's administration interface answers: `/stats?format=json`, and `/clusters` with the sizes of the circuit breakers and
 * the state of every host (https://www.envoyproxy.io/docs/envoy/latest/operations/admin).
 */

import type { Signal } from '../../base/signal.ts';
import { jsonIn } from '../../base/values.ts';
import type { Limit, Message } from '../contract.ts';
import { serviceAt } from '../hop-counts.ts';

type Cluster = {
	/** of its circuit breakers, default priority: max_connections, max_pending_requests, ... */
	sizes: Record<string, number>;
	/** of each host by its address: `healthy`, or why it is left out */
	health: Record<string, string>;
};

export type Admin = { stats: Record<string, number>; clusters: Record<string, Cluster> };

type AdminSample = Admin & { t: number };

/** The lab's own listener and cluster, which has the lab's questions. */
export const OWN_NAME = 'doubletake';

/** A gauge of a cluster, the size that it runs into, and what that is called. */
const LIMITS: [string, string, (cluster: string) => string][] = [
	['upstream_cx_active', 'max_connections', (cluster) => `connections to cluster ${cluster}`],
	['upstream_rq_pending_active', 'max_pending_requests', (cluster) => `requests that wait for a connection to cluster ${cluster}`],
	['upstream_rq_active', 'max_requests', (cluster) => `requests to cluster ${cluster}`],
];
const CLUSTER_STATS = LIMITS.map(([stat]) => stat).join('|');

/** A regular expression for the interface, so that it writes only what is kept. */
export const STATS_FILTER = `(${CLUSTER_STATS})$`;

const CLUSTER_STAT = new RegExp(`^cluster\\.(.+)\\.(${CLUSTER_STATS})$`);

/** `cluster::address::health_flags::value`; an address may have colons of its own. */
const HEALTH = /^(.+?)::(.+)::health_flags::(.+)$/;
const SIZE = /^(.+?)::default_priority::(max_\w+)::(\d+)$/;
const HEALTHY = 'healthy';

/**
 * @param stats answer to `/stats?format=json`
 * @param clusters answer to `/clusters`
 * @returns null where one is missing
 */
export function readAdmin(stats: string | null, clusters: string | null): Admin | null {
	const values = stats === null || clusters === null ? null : readValues(stats);
	return values === null || clusters === null ? null : { stats: values, clusters: readClusters(clusters) };
}

function readValues(text: string): Record<string, number> | null {
	const answer = jsonIn(text);
	if (answer === null) return null;
	const rows = (answer.stats ?? []) as { name?: string; value?: number }[];
	const known = rows.filter(({ name = '' }) => (CLUSTER_STAT.exec(name)?.[1] ?? OWN_NAME) !== OWN_NAME);
	return Object.fromEntries(known.map(({ name = '', value = 0 }) => [name, value]));
}

function readClusters(text: string): Record<string, Cluster> {
	const clusters: Map<string, Cluster> = new Map();
	const clusterOf = (name: string) => {
		const cluster = clusters.get(name) ?? { sizes: {}, health: {} };
		clusters.set(name, cluster);
		return cluster;
	};
	for (const line of text.split('\n').filter((one) => !one.startsWith(`${OWN_NAME}::`))) {
		const size = SIZE.exec(line);
		const health = HEALTH.exec(line);
		if (size) clusterOf(size[1]).sizes[size[2]] = Number(size[3]);
		else if (health) clusterOf(health[1]).health[health[2]] = health[3];
	}
	return Object.fromEntries(clusters);
}

export function limitsOf(samples: AdminSample[]): Limit[] {
	const first = samples[0];
	if (!first) return [];
	return Object.entries(first.clusters).flatMap(([cluster, { sizes }]) =>
		LIMITS.flatMap(([stat, size, resource]) => {
			if (!sizes[size]) return [];
			const used = samples.flatMap(({ t, stats }) => {
				const value = stats[`cluster.${cluster}.${stat}`];
				return value === undefined ? [] : [{ t, used: value }];
			});
			return used.length === 0 ? [] : [{ resource: resource(cluster), size: sizes[size], used }];
		}),
	);
}

/** Hosts that were left out or taken in again between two samples: Envoy writes no line about it by itself. */
export function healthMessages(samples: AdminSample[], names: Map<string, string>): Message[] {
	return samples.slice(1).flatMap(({ t, clusters }, index) =>
		Object.entries(clusters).flatMap(([cluster, { health }]) =>
			Object.entries(health).flatMap(([address, now]) => {
				const before = samples[index].clusters[cluster]?.health[address];
				if (before === undefined || (before === HEALTHY) === (now === HEALTHY)) return [];
				const signal = (now === HEALTHY ? 'reinstated' : 'ejected') as Signal;
				return [{ signal, t, text: `${cluster}::${address}::health_flags::${now}`, to: serviceAt(address, names) }];
			}),
		),
	);
}
