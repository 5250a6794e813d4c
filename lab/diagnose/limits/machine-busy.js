/**
 * How much of the machine's cores was in use: without quotas tiers can be held back by each other, and none of them by a
 * limit of its own.
 */

import { max } from '../../stats/numbers.js';
import { secondsOf } from '../time/seconds.js';
import { machinesOf } from './machines.js';

/** Share of the machine's cores from which on there was none left for anybody. */
export const FULL_SHARE = 0.9;

/**
 * @param {import('../ledger/facts.js').Facts} facts
 * @param {number} from_s second of the load
 * @param {number} to_s
 * @returns {number} 0 to 1, of the busiest where there are several; 0 where it is not known
 */
export function machineBusyIn({ raw, window }, from_s, to_s) {
  const to = Math.min(window.from + to_s, window.to);
  return Math.max(...machinesOf(raw).map(({ rows }) => busyBetween(rows.filter(({ t }) => t > window.from + from_s && t <= to))));
}

/** @param {any[]} rows  of one machine, from the first to the last @returns {number} 0 to 1; 0 where it is not known */
export function busyBetween(rows) {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || last.cpu_total_s <= first.cpu_total_s) return 0;
  return (last.cpu_busy_s - first.cpu_busy_s) / (last.cpu_total_s - first.cpu_total_s);
}

/** Over all the load. @param {import('../ledger/facts.js').Facts} facts */
export const machineBusy = (facts) => machineBusyIn(facts, 0, Number.POSITIVE_INFINITY);

/**
 * Second by second, of the busiest machine where there are several.
 * @param {import('../ledger/facts.js').Facts} facts
 * @param {number[]} seconds of the timeline
 * @returns {(number | null)[]} 0 to 1; null without a reading
 */
export function machineBusyBySecond({ raw, window }, seconds) {
  const machines = machinesOf(raw).map(({ rows }) => {
    const placed = secondsOf(rows, window);
    return new Map(rows.slice(1).map((row, index) => [placed[index + 1], busyBetween([rows[index], row])]));
  });
  return seconds.map((t_s) => max(machines.map((bySecond) => bySecond.get(t_s))));
}
