/**
 * What MongoDB's own log tells of moments: that it refused a connection, of which it has no counter before 6.3, and that it was told
 * to stop.
 */
import { LOG_IDS, STOPS } from './log-ids.js';

/** Of "Received signal", the one that ends it; SIGUSR1 turns its log over. */
const STOPPING = new RegExp(`"signal":(?:${STOPS.join('|')})\\b`);

/** Of whom it refused, up to the port. */
const REMOTE = /"remote":"([^"]*):\d+"/;

/**
 * @param {string} text of mongod's log, a JSON object a line
 * @param {string[]} [own]  addresses of the lab's own observers, who are no clients
 * @returns {number[]} seconds since 1970
 */
export const parseRefusals = (text, own = []) => momentsOf(text, LOG_IDS.refused, (line) => !own.includes(REMOTE.exec(line)?.[1] ?? ''));

/**
 * @param {string} text of mongod's log
 * @returns {number[]} seconds since 1970; it answers what it then interrupts with an error
 */
export const parseStops = (text) => momentsOf(text, LOG_IDS.signal, (line) => STOPPING.test(line));

/** @type {(text: string, id: number, isWanted: (line: string) => boolean) => number[]} */
const momentsOf = (text, id, isWanted) =>
  text
    .split('\n')
    .filter((line) => line.includes(`"id":${id},`) && isWanted(line))
    .map((line) => Date.parse(/"\$date":"([^"]+)"/.exec(line)?.[1] ?? '') / 1000)
    .filter(Number.isFinite);
