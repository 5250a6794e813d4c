/**
 * When a share counts as all of it.
 *
 * @import { Resource } from '../../record/types.js'
 * @import { Facts } from '../ledger/facts.ts'
 * @import { Raw } from '../read-raw.ts'
 * @import { Window } from '../time/window.ts'
 */

import { grouped } from '../../base/values.ts';
import { max, mean, rounded, sum } from '../../stats/numbers.ts';
import { lastBefore } from '../time/increments.ts';
import { secondsOf } from '../time/seconds.ts';

/** Share of its quota at which a tier counts as saturated: quotas are enforced in 10 ms slices, readings once a second. */
export const SATURATED_SHARE = 0.95;

/*
 * How much CPU a service might use between two readings of its container. It is read, not planned: a quota may be changed while a service runs.
 */

/**
 * @param {number | null} planned  cores, by the manifest; for records whose readings do not tell it
 * @param {any} before
 * @param {any} after  readings
 * @returns {number | null} cores; null where nothing limited it
 */
export function limitBetween(planned, before, after) {
	const [one, other] = [before, after].map(({ cpu_limit_cores: limit }) => (limit === undefined ? planned : limit));
	// Of a second in which it was changed, the one that accuses less.
	return one === null || other === null ? null : Math.max(one, other);
}

/** Whether the kernel let it wait for its next period in all of them, whatever its limit was. @param {any} before @param {any} after */
export function isHeldBack(before, after) {
	const periods = after.periods - before.periods;
	return periods > 0 && (after.throttled_periods - before.throttled_periods) / periods >= SATURATED_SHARE;
}

/*
 * CPU, throttling and memory of every service, over the load and second by second.
 */

/**
 * @param {Raw} raw
 * @param {Window} window
 * @returns {Record<string, Resource>}
 */
export function resourcesOf({ containers, manifest }, window) {
	return Object.fromEntries(
		(manifest.services ?? []).map((/** @type {{ name: string, tier: any, cpu_quota_cores: number | null }} */ service) => {
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
 * @param {Pick<Facts, 'raw' | 'window' | 'coresUnder'>} facts
 * @param {number[]} seconds of the timeline
 * @returns {Record<string, (number | null)[]>}
 */
export function cpuShares({ raw: { containers, manifest }, window, coresUnder }, seconds) {
	return Object.fromEntries(
		(manifest.services ?? []).map((/** @type {{ name: string, cpu_quota_cores: number | null }} */ { name, cpu_quota_cores: quota }) => {
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

/** @param {any[]} rows of one container @returns {{ t: number, cores: number }[]} */
function cpuBetween(rows) {
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
 * @param {Facts} facts
 * @param {number} from_s second of the load
 * @param {number} to_s
 * @returns {number} 0 to 1, of the busiest where there are several; 0 where it is not known
 */
export function machineBusyIn({ machines, window }, from_s, to_s) {
	const to = Math.min(window.from + to_s, window.to);
	return Math.max(...machines.map(({ rows }) => busyBetween(rows.filter(({ t }) => t > window.from + from_s && t <= to))));
}

/** @param {any[]} rows  of one machine, from the first to the last @returns {number} 0 to 1; 0 where it is not known */
export function busyBetween(rows) {
	const [first, last] = [rows[0], rows.at(-1)];
	if (!first || !last || last.cpu_total_s <= first.cpu_total_s) return 0;
	return (last.cpu_busy_s - first.cpu_busy_s) / (last.cpu_total_s - first.cpu_total_s);
}

/**
 * Second by second, of the busiest machine where there are several.
 * @param {Facts} facts
 * @param {number[]} seconds of the timeline
 * @returns {(number | null)[]} 0 to 1; null without a reading
 */
export function machineBusyBySecond({ machines: all, window }, seconds) {
	const machines = all.map(({ rows }) => {
		const placed = secondsOf(rows, window);
		return new Map(rows.slice(1).map((row, index) => [placed[index + 1], busyBetween([rows[index], row])]));
	});
	return seconds.map((t_s) => max(machines.map((bySecond) => bySecond.get(t_s))));
}

/**
 * Share of a machine that programs used which are not the run's: neither its containers nor the lab nor the engine.
 * @param {any[]} containers  rows of those on it
 * @param {{ first: any, last: any }} ends  rows of the machine
 * @returns {number | null} 0 to 1; null where the containers were not read
 */
export function othersBetween(containers, { first, last }) {
	const own = containersCpu(containers, first.t, last.t);
	if (own === null) return null;
	const increment = (/** @type {(row: any) => number} */ of) => of(last) - of(first);
	// Packets are served by the kernel for everybody, mostly for the run itself: no program's time.
	const busy = increment((row) => row.cpu_busy_s - (row.stat?.softirq ?? 0));
	const known = own + increment((row) => row.lab_cpu_s + (row.engine_cpu_s ?? 0));
	return (busy - known) / increment((row) => row.cpu_total_s);
}

/**
 * Containers are read at moments of their own: what they had used at the host's is interpolated between the readings around it. A mean of
 * more than that would take the idle second before a load for part of its first.
 * @param {any[]} rows @param {number} from @param {number} to @returns {number | null} seconds
 */
function containersCpu(rows, from, to) {
	const read = [...grouped(rows, ({ name }) => name).values()].filter((own) => own.some(({ t }) => t >= from - 1 && t <= to + 1));
	if (read.length === 0) return null;
	return sum(read.map((own) => Math.max(0, usedAt(own, to) - usedAt(own, from))));
}

/** @param {{ t: number, cpu_s: number }[]} rows of one container, in the order of time @param {number} t */
function usedAt(rows, t) {
	const next = rows.findIndex((row) => row.t >= t);
	if (next <= 0) return (next === 0 ? rows[0] : rows[rows.length - 1]).cpu_s;
	const [before, after] = [rows[next - 1], rows[next]];
	return before.cpu_s + ((after.cpu_s - before.cpu_s) * (t - before.t)) / (after.t - before.t);
}

/**
 * What other programs had while hardly a core was free, of all machines together.
 * @param {Pick<Facts, 'machines' | 'raw' | 'window'>} facts
 * @returns {{ busy: number, others: number, seconds: number } | null} busy, others: 0 to 1; null where that never was, or is not known
 */
export function othersWhileFull({ machines, raw, window }) {
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
