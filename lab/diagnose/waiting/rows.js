/**
 * What was read of a container or of the machine once a second, by moments: counters as what they grew by a second, all else as it stood.
 */
import { average, some, upTo } from './spread.js';

/** More moments tell no more. */
const MOMENTS_MOST = 200;
/** Readings come once a second; one that is farther from a moment says nothing of it. */
export const READING_MOST_S = 3;

export class Rows {
  #rows;
  #times;

  /** @param {any[]} rows  with `t`, in the order of time */
  constructor(rows) {
    this.#rows = rows;
    this.#times = rows.map(({ t }) => t);
  }

  /**
   * @template T
   * @param {number[]} moments
   * @param {(row: any) => T | null | undefined} read
   * @returns {T[]} of each moment that has a reading
   */
  levels(moments, read) {
    return some(moments, MOMENTS_MOST).flatMap((at) => {
      const row = this.#rows[upTo(this.#times, at) - 1] ?? this.#rows[0];
      const value = row && Math.abs(row.t - at) <= READING_MOST_S ? read(row) : null;
      return value === null || value === undefined ? [] : [value];
    });
  }

  /**
   * @param {number[]} moments
   * @param {(row: any) => number | null | undefined} read  a counter
   * @returns {number | null} what it grew by in a second, as a mean; null where it was not read
   */
  rate(moments, read) {
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
}
