/**
 * What was read of a container or of the machine once a second, by moments: counters as what they grew by a second, all else as it stood.
 */

import { upTo } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import { average } from './spread.ts';

/** More moments tell no more. */
export const MOMENTS_MOST = 200;
/** Readings come once a second; one that is farther from a moment says nothing of it. */
export const READING_MOST_S = 3;

export class Rows {
	#rows;
	#times;

	/** @param rows with `t`, in the order of time */
	constructor(rows: any[]) {
		this.#rows = rows;
		this.#times = rows.map(({ t }) => t);
	}

	/** @returns of each moment that has a reading */
	levels<T>(moments: number[], read: (row: any) => T | null | undefined): T[] {
		return some(moments, MOMENTS_MOST).flatMap((at) => {
			const row = this.#rows[upTo(this.#times, at) - 1] ?? this.#rows[0];
			const value = row && Math.abs(row.t - at) <= READING_MOST_S ? read(row) : null;
			return value === null || value === undefined ? [] : [value];
		});
	}

	/**
	 * @param read a counter
	 * @returns what it grew by in a second, as a mean; null where it was not read
	 */
	rate(moments: number[], read: (row: any) => number | null | undefined): number | null {
		const found = some(moments, MOMENTS_MOST).flatMap((at) => {
			const next = upTo(this.#times, at);
			const [before, after] = [this.#rows[next - 1], this.#rows[next]];
			if (!before || !after || after.t - before.t > READING_MOST_S) return [];
			const [from, to] = [read(before), read(after)];
			// One that was started again counts from zero again.
			return typeof from !== 'number' || typeof to !== 'number' || to < from ? [] : [(to - from) / (after.t - before.t)];
		});
		return found.length === 0 ? null : average(found);
	}

	/**
	 * @param read a counter
	 * @returns what it grew by in all of that time; null where it was not read
	 */
	growth({ from, to }: { from: number; to: number }, read: (row: any) => number | null | undefined): number | null {
		const rows = this.#rows.slice(Math.max(0, upTo(this.#times, from) - 1), upTo(this.#times, to) + 1);
		const counts = rows.flatMap((row) => read(row) ?? []);
		if (counts.length < 2) return null;
		return counts.slice(1).reduce((sum, count, index) => sum + Math.max(0, count - counts[index]), 0);
	}
}
