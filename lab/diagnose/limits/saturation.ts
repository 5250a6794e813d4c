/** When a share counts as all of it. */

import { grouped } from '../../base/values.ts';
import { mean, sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import { busyBetween, FULL_SHARE } from './machine-busy.ts';

/** Share of its quota at which a tier counts as saturated: quotas are enforced in 10 ms slices, readings once a second. */
export const SATURATED_SHARE = 0.95;

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
