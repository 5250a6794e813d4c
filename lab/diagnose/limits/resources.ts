/** CPU, throttling and memory of every service, over the load and second by second. */

import type { Resource } from '../../record/types.js';
import { max, mean, rounded } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Raw } from '../read-raw.ts';
import { lastBefore } from '../time/increments.ts';
import { secondsOf } from '../time/seconds.ts';
import type { Window } from '../time/window.ts';
import { isHeldBack, limitBetween } from './cpu-limit.ts';

export function resourcesOf({ containers, manifest }: Raw, window: Window): Record<string, Resource> {
	return Object.fromEntries(
		(manifest.services ?? []).map((service: { name: string; tier: any; cpu_quota_cores: number | null }) => {
			const rows = containers.filter(({ name, t }) => name === service.name && t <= window.to + 1);
			const inLoad = rows.filter(({ t }) => t > window.from);
			const before = lastBefore(rows, window.from);
			const last = inLoad.at(-1);
			const usage = cpuBetween(rows).filter(({ t }) => t > window.from);
			const whole = before && last ? (last.cpu_s - before.cpu_s) / (last.t - before.t) : mean(usage.map(({ cores }) => cores));
			const periods = (last?.periods ?? 0) - (before?.periods ?? 0);
			return [
				service.name,
				{
					tier: service.tier,
					cpu_quota_cores: service.cpu_quota_cores,
					cpu_cores: { mean: rounded(whole), max: rounded(max(usage.map(({ cores }) => cores))) },
					cpu_throttled_fraction: periods > 0 ? rounded((last.throttled_periods - (before?.throttled_periods ?? 0)) / periods) : null,
					memory_bytes: {
						mean: rounded(mean(inLoad.map(({ memory_bytes }) => memory_bytes)), 0),
						max: rounded(max(inLoad.map(({ memory_bytes }) => memory_bytes)), 0),
					},
				},
			];
		}),
	);
}

/**
 * Each service's CPU as a share of what it might use then, or of the host's cores where nothing limits it; all of it where the kernel held it back.
 * @param seconds of the timeline
 */
export function cpuShares(
	{ raw: { containers, manifest }, window, coresUnder }: Pick<Facts, 'raw' | 'window' | 'coresUnder'>,
	seconds: number[],
): Record<string, (number | null)[]> {
	return Object.fromEntries(
		(manifest.services ?? []).map(({ name, cpu_quota_cores: quota }: { name: string; cpu_quota_cores: number | null }) => {
			const rows = containers.filter((row) => row.name === name);
			const usage = cpuBetween(rows);
			const placed = secondsOf(usage, window);
			const shares = usage.map(({ cores }, index) => {
				const [before, after] = [rows[index], rows[index + 1]];
				const share = cores / (limitBetween(quota, before, after) ?? coresUnder(name));
				return isHeldBack(before, after) ? Math.max(1, share) : share;
			});
			const bySecond = new Map(shares.map((share, index) => [placed[index], share]));
			return [name, seconds.map((t_s) => rounded(bySecond.get(t_s)))];
		}),
	);
}

/** @param rows of one container */
function cpuBetween(rows: any[]): { t: number; cores: number }[] {
	return rows
		.slice(1)
		.map((row, index) => ({ t: row.t, cores: Math.max(0, row.cpu_s - rows[index].cpu_s) / Math.max(0.1, row.t - rows[index].t) }));
}
