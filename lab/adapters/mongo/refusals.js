/**
 * What MongoDB's own log tells of moments: that it refused a connection, of which it has no counter before 6.3, and that it was told
 * to stop.
 */
import { LOG_IDS, STOPS } from './log-ids.js';

/** Of "Received signal", the one that ends it; SIGUSR1 turns its log over. */
const STOPPING = new RegExp(`"signal":(?:${STOPS.join('|')})\\b`);

/**
 * @param {string} text of mongod's log, a JSON object a line
 * @returns {number[]} seconds since 1970
 */
export const parseRefusals = (text) => momentsOf(text, LOG_IDS.refused);

/**
 * @param {string} text of mongod's log
 * @returns {number[]} seconds since 1970; it answers what it then interrupts with an error
 */
export const parseStops = (text) => momentsOf(text, LOG_IDS.signal, STOPPING);

/** @type {(text: string, id: number, pattern?: RegExp) => number[]} */
const momentsOf = (text, id, pattern = /^/) =>
  text
    .split('\n')
    .filter((line) => line.includes(`"id":${id},`) && pattern.test(line))
    .map((line) => Date.parse(/"\$date":"([^"]+)"/.exec(line)?.[1] ?? '') / 1000)
    .filter(Number.isFinite);
