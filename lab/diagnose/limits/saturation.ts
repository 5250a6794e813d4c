/** When a share counts as all of it. */

import { grouped } from '../../base/values.ts';
import type { Resource } from '../../record/types.js';
import { max, mean, rounded, sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Raw } from '../read-raw.ts';
import { lastBefore } from '../time/increments.ts';
import { secondsOf } from '../time/seconds.ts';
import type { Window } from '../time/window.ts';

/** Share of its quota at which a tier counts as saturated: quotas are enforced in 10 ms slices, readings once a second. */
export const SATURATED_SHARE = 0.95;

/*
 * How much CPU a service might use between two readings of its container. It is read, not planned: a quota may be changed while a service runs.
 */

/**
 * @param planned cores, by the manifest; for records whose readings do not tell it
 * @param after readings
 * @returns cores; null where nothing limited it
 */
export function limitBetween(planned: number | null, before: any, after: any): number | null {
	const [one, other] = [before, after].map(({ cpu_limit_cores: limit }) => (limit === undefined ? planned : limit));
	// Of a second in which it was changed, the one that accuses less.
	return one === null || other === null ? null : Math.max(one, other);
}

/** Whether the kernel let it wait for its next period in all of them, whatever its limit was. */
export function isHeldBack(before: any, after: any) {
	const periods = after.periods - before.periods;
	return periods > 0 && (after.throttled_periods - before.throttled_periods) / periods >= SATURATED_SHARE;
}

/*
 * CPU, throttling and memory of every service, over the load and second by second.
 */

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

/*
 * How much of the machine's cores was in use: without quotas tiers can be held back by each other, and none of them by a
 * limit of its own.
 */

/** Share of the machine's cores from which on there was none left for anybody. */
export const FULL_SHARE = 0.9;

/**
 * @param from_s second of the load
 * @returns 0 to 1, of the busiest where there are several; 0 where it is not known
 */
export function machineBusyIn({ machines, window }: Facts, from_s: number, to_s: number): number {
	const to = Math.min(window.from + to_s, window.to);
	return Math.max(...machines.map(({ rows }) => busyBetween(rows.filter(({ t }) => t > window.from + from_s && t <= to))));
}

/**
 * @param rows of one machine, from the first to the last
 * @returns 0 to 1; 0 where it is not known
 */
export function busyBetween(rows: any[]): number {
	const [first, last] = [rows[0], rows.at(-1)];
	if (!first || !last || last.cpu_total_s <= first.cpu_total_s) return 0;
	return (last.cpu_busy_s - first.cpu_busy_s) / (last.cpu_total_s - first.cpu_total_s);
}

/**
 * Second by second, of the busiest machine where there are several.
 * @param seconds of the timeline
 * @returns 0 to 1; null without a reading
 */
export function machineBusyBySecond({ machines: all, window }: Facts, seconds: number[]): (number | null)[] {
	const machines = all.map(({ rows }) => {
		const placed = secondsOf(rows, window);
		return new Map(rows.slice(1).map((row, index) => [placed[index + 1], busyBetween([rows[index], row])]));
	});
	return seconds.map((t_s) => max(machines.map((bySecond) => bySecond.get(t_s))));
}

/**
 * Share of a machine that programs used which are not the run's: neither its containers nor the lab nor the engine.
 * @param containers rows of those on it
 * @param ends rows of the machine
 * @returns 0 to 1; null where the containers were not read
 */
export function othersBetween(containers: any[], { first, last }: { first: any; last: any }): number | null {
	const own = containersCpu(containers, first.t, last.t);
	if (own === null) return null;
	const increment = (of: (row: any) => number) => of(last) - of(first);
	// Packets are served by the kernel for everybody, mostly for the run itself: no program's time.
	const busy = increment((row) => row.cpu_busy_s - (row.stat?.softirq ?? 0));
	const known = own + increment((row) => row.lab_cpu_s + (row.engine_cpu_s ?? 0));
	return (busy - known) / increment((row) => row.cpu_total_s);
}

/**
 * Containers are read at moments of their own: what they had used at the host's is interpolated between the readings around it. A mean of
 * more than that would take the idle second before a load for part of its first.
 * @returns seconds
 */
function containersCpu(rows: any[], from: number, to: number): number | null {
	const read = [...grouped(rows, ({ name }) => name).values()].filter((own) => own.some(({ t }) => t >= from - 1 && t <= to + 1));
	if (read.length === 0) return null;
	return sum(read.map((own) => Math.max(0, usedAt(own, to) - usedAt(own, from))));
}

/** @param rows of one container, in the order of time */
function usedAt(rows: { t: number; cpu_s: number }[], t: number) {
	const next = rows.findIndex((row) => row.t >= t);
	if (next <= 0) return (next === 0 ? rows[0] : rows[rows.length - 1]).cpu_s;
	const [before, after] = [rows[next - 1], rows[next]];
	return before.cpu_s + ((after.cpu_s - before.cpu_s) * (t - before.t)) / (after.t - before.t);
}

/**
 * What other programs had while hardly a core was free, of all machines together.
 * @returns busy, others: 0 to 1; null where that never was, or is not known
 */
export function othersWhileFull({
	machines,
	raw,
	window,
}: Pick<Facts, 'machines' | 'raw' | 'window'>): { busy: number; others: number; seconds: number } | null {
	const full = machines.flatMap(({ rows, holds }) => {
		const containers = raw.containers.filter(({ name }) => holds(name));
		const inLoad = rows.filter(({ t }) => t > window.from && t <= window.to);
		return inLoad.slice(1).flatMap((last, index) => {
			const busy = busyBetween([inLoad[index], last]);
			const others = busy < FULL_SHARE ? null : othersBetween(containers, { first: inLoad[index], last });
			return others === null ? [] : [{ busy, others, seconds: last.t - inLoad[index].t }];
		});
	});
	const [busy, others] = [mean(full.map((one) => one.busy)), mean(full.map((one) => one.others))];
	return busy === null || others === null ? null : { busy, others, seconds: sum(full.map((one) => one.seconds)) };
}
