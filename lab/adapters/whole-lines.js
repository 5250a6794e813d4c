/**
 * The lines of a service's log that fall into the load.
 */
import { stampedLines } from './log-lines.js';

/** @typedef {import('./contract.js').About['window']} Window */

/**
 * A last line without its end is left out: what it would have said is not known.
 * @param {string} log
 * @returns {{ t: number, text: string }[]}
 */
export const wholeLines = (log) => stampedLines(log.slice(0, log.lastIndexOf('\n') + 1));

/** @param {number} t @param {Window} window */
export const isDuring = (t, { from, to }) => t > from && t <= to;
