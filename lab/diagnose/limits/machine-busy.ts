/**
 * How much of the machine's cores was in use: without quotas tiers can be held back by each other, and none of them by a
 * limit of its own.
 */

import { max } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import { secondsOf } from '../time/seconds.ts';

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
