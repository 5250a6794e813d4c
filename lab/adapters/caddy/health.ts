/**
 * Which services behind Caddy left out and took in again: by its active health checks, which write a line for each check that fails and one
 * for each return, else by the gauge that it keeps of every upstream.
 */

import type { Signal } from '../../base/signal.ts';
import type { Message } from '../contract.ts';
import { serviceAt } from '../hop-counts.ts';
import type { Entry } from './log-entry.ts';
import type { MetricsSample } from './read.ts';
import { messageOf } from './requests.ts';

const UP = 'host is up';
/** What a failed check writes (modules/caddyhttp/reverseproxy/healthchecks.go, doActiveHealthCheck). */
const DOWN = new Set([
	'HTTP request failed',
	'unexpected status code',
	'status code out of tolerances',
	'failed to read response body',
	'response body failed expectations',
]);

/**
 * @param entries of health checks, in the order of time
 * @returns one for each change
 */
export function checkMessages(entries: Entry[], names: Map<string, string>): Message[] {
	const down: Set<string> = new Set();
	return entries.flatMap((entry) => {
		const to = serviceAt(entry.host, names);
		if (entry.message === UP && down.delete(entry.host)) return [messageOf(entry, 'reinstated', to)];
		if (!DOWN.has(entry.message) || down.has(entry.host)) return [];
		down.add(entry.host);
		return [messageOf(entry, 'ejected', to)];
	});
}

/** @returns Caddy brings the gauge up to date every ten seconds, so each is up to that late */
export function gaugeMessages(samples: MetricsSample[], names: Map<string, string>): Message[] {
	return samples.slice(1).flatMap(({ t, healthy }, index) =>
		Object.entries(healthy).flatMap(([upstream, now]) => {
			const before = samples[index].healthy[upstream];
			if (before === undefined || before === now) return [];
			const signal = (now === 1 ? 'reinstated' : 'ejected') as Signal;
			const text = `caddy_reverse_proxy_upstreams_healthy{upstream="${upstream}"} ${now}`;
			return [{ signal, t, text, to: serviceAt(upstream, names) }];
		}),
	);
}
