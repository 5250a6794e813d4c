/**
 * A limited resource on the seconds of the timeline: what was used of it, and whether its limit was reached.
 *
 * @typedef {import('../../record/result.js').Limit & Extra} WatchedLimit
 * @typedef {{ service: string, queues: boolean, what: string, reached: (boolean | null)[] }} Extra
 *   service: whose limit it is; queues, what: as in Watched; reached: null in a second without a reading, and without a limit on record
 *
 * @typedef {object} Watched
 * @property {string} id
 * @property {string} label
 * @property {import('../../record/result.js').Limit['tier']} tier
 * @property {string} service
 * @property {number | null} limit     null: not on record
 * @property {string} unit
 * @property {string} [note]           why more than the limit may be used, or why there is none
 * @property {any[]} rows              of one record, with the moment `t`
 * @property {(row: any) => number | null | undefined} read
 * @property {(value: number, row: any) => boolean} [isReached]  at the limit, where one is known, unless given
 * @property {string} [what]            the limit in words, where it is no number
 * @property {boolean} [queues]        what is used up are places in which requests wait for the work behind them
 * @property {number} [every_s]        seconds between two readings; 1 unless given
 */
import { rounded } from '../../stats/numbers.js';
import { secondsOf } from '../time/seconds.js';

/**
 * @param {Watched} watched
 * @param {import('../time/window.js').Window} window
 * @param {number[]} seconds of the timeline
 * @returns {WatchedLimit}
 */
export function watchedLimit(watched, window, seconds) {
  const { id, label, tier, service, limit, unit, note, rows, read, queues = false, every_s = 1 } = watched;
  // Of a limit that is not on record nobody knows whether it was reached.
  const isReached = watched.isReached ?? ((value) => (limit === null ? null : value >= limit));
  const what = watched.what ?? `at its limit of ${(limit ?? 0).toLocaleString('en-US')}`;
  const placed = secondsOf(rows, window);
  const readings = new Map(rows.map((row, index) => [placed[index], row]));
  const onSeconds = seconds.map((t_s) => latest(readings, t_s, every_s));
  const values = onSeconds.map((row) => (row === undefined ? null : rounded(read(row))));
  const reached = values.map((value, index) => (value === null ? null : isReached(value, onSeconds[index])));
  return { id, label, tier, service, limit, unit, note, queues, what, values, reached };
}

/**
 * A reading stands until the next one is due, and no longer.
 * @type {(readings: Map<number, any>, t_s: number, every_s: number) => any}
 */
function latest(readings, t_s, every_s) {
  for (let age = 0; age < every_s; age += 1) if (readings.has(t_s - age)) return readings.get(t_s - age);
  return undefined;
}

/** As it is drawn. @param {WatchedLimit} watched @returns {import('../../record/result.js').Limit} */
export const drawnLimit = ({ id, label, tier, limit, unit, note, values }) => ({
  id,
  label,
  tier,
  limit,
  unit,
  ...(note === undefined ? {} : { note }),
  values,
});
