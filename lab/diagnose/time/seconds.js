/**
 * Places records on the seconds of the load.
 */

/**
 * The second of the load that a moment ends: 1 is the first.
 * @param {number} t  seconds since 1970
 * @param {import('./window.js').Window} window
 */
export const secondOf = (t, window) => Math.round(t - window.from);

/**
 * The same for what is recorded once a second. Where its clock ticks at half seconds, two readings round to one second and none to the
 * next; so all are moved by the same part of a second, the one at which that clock mostly ticks.
 * @param {{ t: number }[]} rows  of one record
 * @param {import('./window.js').Window} window
 * @returns {number[]} the second of each row
 */
export function secondsOf(rows, window) {
  const phase = phaseOf(rows.map(({ t }) => t - window.from));
  return rows.map(({ t }) => Math.round(t - window.from - phase));
}

/** The mean of angles, a second being the full circle. @param {number[]} times @returns {number} -0.5 to 0.5 */
function phaseOf(times) {
  const turns = times.map((t) => 2 * Math.PI * t);
  const total = (/** @type {(turn: number) => number} */ part) => turns.reduce((sum, turn) => sum + part(turn), 0);
  return Math.atan2(total(Math.sin), total(Math.cos)) / (2 * Math.PI);
}
