/**
 * Reads what Caddy's handler `metrics` answers, in Prometheus' text format: its file descriptors, which are the one thing that it can run
 * out of by itself, and which upstreams it takes for healthy.
 */

import type { Limit } from '../contract.ts';
import type { Metrics, MetricsSample } from './read.ts';

const HEALTHY = /^caddy_reverse_proxy_upstreams_healthy\{[^}]*\bupstream="([^"]*)"[^}]*\} (\S+)$/;

/** @returns null where it is none */
export function readMetrics(text: string): Metrics | null {
	const openFiles = metricIn(text, 'process_open_fds');
	const mostFiles = metricIn(text, 'process_max_fds');
	const healthy: Record<string, number> = {};
	for (const line of text.split('\n')) {
		const found = HEALTHY.exec(line.trim());
		if (found) healthy[found[1]] = Number(found[2]);
	}
	return openFiles === null && Object.keys(healthy).length === 0 ? null : { openFiles, mostFiles, healthy };
}

function metricIn(text: string, name: string): number | null {
	const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text);
	return found ? Number(found[1]) : null;
}

export function limitsOf(samples: MetricsSample[]): Limit[] {
	const size = samples.find(({ mostFiles }) => mostFiles !== null)?.mostFiles;
	if (!size) return [];
	const used = samples.flatMap(({ t, openFiles }) => (openFiles === null ? [] : [{ t, used: openFiles }]));
	return [{ resource: 'file descriptors', size, used }];
}
