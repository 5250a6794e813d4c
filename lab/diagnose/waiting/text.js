/**
 * How findings speak: counts, shares, times, ends.
 */
import { GOOD } from './seen.js';

const SECONDS_FROM = 1;
const MILLI = 1000;

/** @param {number} number */
export const counted = (number) => Math.round(number).toLocaleString('en-US');

/** @param {number} part 0 to 1 */
export const percent = (part) => `${Math.round(part * 100)} %`;

/** @param {number} seconds */
export const seconds = (seconds) =>
  seconds >= SECONDS_FROM ? `${seconds.toFixed(2)} s` : `${(seconds * MILLI).toFixed(seconds < 0.01 ? 1 : 0)} ms`;

/** Small numbers of things, as means. @param {number} number */
export const few = (number) => (number >= 10 || Number.isInteger(number) ? counted(number) : number.toFixed(1));

/** @param {number} number @param {string} one @param {string} [several] */
export const things = (number, one, several = `${one}s`) => `${few(number)} ${number === 1 ? one : several}`;

/** @param {string} text */
export const capital = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** What is asked: a protocol without paths and statements has commands. @param {string} kind  verb and template */
export const asked = (kind) => (kind.includes(' ') ? kind : `the command ${kind}`);

/** @type {Record<string, string>} */
const ENDS = {
  [GOOD]: 'answered',
  error: 'answered with an error',
  'given-up': 'given up before a byte of the answer',
  closed: 'closed without an answer',
  reset: 'reset without an answer',
  cut: 'cut short within the answer',
  open: 'not answered before the recording ended',
  raced: 'sent on a connection that had been closed',
  refused: 'refused',
  unanswered: 'not connected: no answer',
  unasked: 'accepted and closed before anything was asked',
};

/** How a call ended. @param {string} sign */
export const ended = (sign) => ENDS[sign] ?? `answered ${sign.replace('code ', '')}`;
