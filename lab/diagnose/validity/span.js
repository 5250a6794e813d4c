/**
 * The time that a rule looks at: the whole load, or one of its stages. And what a record says of it.
 */
import { lastBefore } from '../time/window.js';

/**
 * @typedef {object} Span   seconds of the load
 * @property {number} from_s
 * @property {number} to_s
 * @property {number | null} stage   its place among the stages; null for the whole load
 */

/** @typedef {import('../time/window.js').Window} Window */

/** @param {Window} window @returns {Span} */
export const wholeLoad = ({ from, to }) => ({ from_s: 0, to_s: to - from, stage: null });

/** @param {import('../../record/result.js').Stage[]} stages @returns {Span[]} */
export const eachStage = (stages) => stages.map(({ from_s, to_s }, stage) => ({ from_s, to_s, stage }));

/**
 * The first and the last reading of counters over a span: what they gained in between is the span's, give or take the time
 * between two readings.
 * @template {{ t: number }} Row
 * @param {Row[]} rows in the order of time
 * @param {Window} window
 * @param {Span} span
 * @returns {{ first: Row, last: Row, elapsed: number } | null} null without two of them
 */
export function endsOf(rows, window, { from_s, to_s }) {
  const [from, to] = [window.from + from_s, window.from + to_s];
  const last = lastBefore(rows, to);
  const first = lastBefore(rows, from) ?? rows.find(({ t }) => t > from);
  return first && last && last.t > first.t ? { first, last, elapsed: last.t - first.t } : null;
}

/**
 * The longest time within a span from one line of a record to the next.
 * @param {{ t: number }[]} rows in the order of time
 * @param {Window} window
 * @param {Span} span
 * @returns {number} seconds, those before and after the span included
 */
export function longestGap(rows, window, { from_s, to_s }) {
  const [from, to] = [window.from + from_s, window.from + to_s];
  const inLoad = rows.map(({ t }) => t).filter((t) => t > window.from && t < window.to);
  const times = [window.from, ...inLoad, window.to];
  return Math.max(0, ...times.slice(1).flatMap((t, index) => (t > from && times[index] < to ? [t - times[index]] : [])));
}
