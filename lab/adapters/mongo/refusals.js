/**
 * What MongoDB's own log tells of moments: that it refused a connection, of which it has no counter before 6.3, and that it was told
 * to stop.
 */

/** MongoDB's own number for "Connection refused because there are too many open connections". */
const REFUSED_LOG_ID = 22942;
/** Of "Received signal": SIGINT or SIGTERM; SIGUSR1 turns its log over. */
const SIGNAL_LOG_ID = 23377;
const STOPS = /"signal":(?:2|15)\b/;

/**
 * @param {string} text of mongod's log, a JSON object a line
 * @returns {number[]} seconds since 1970
 */
export const parseRefusals = (text) => momentsOf(text, REFUSED_LOG_ID);

/**
 * @param {string} text of mongod's log
 * @returns {number[]} seconds since 1970; it answers what it then interrupts with an error
 */
export const parseStops = (text) => momentsOf(text, SIGNAL_LOG_ID, STOPS);

/** @type {(text: string, id: number, pattern?: RegExp) => number[]} */
const momentsOf = (text, id, pattern = /^/) =>
  text
    .split('\n')
    .filter((line) => line.includes(`"id":${id},`) && pattern.test(line))
    .map((line) => Date.parse(/"\$date":"([^"]+)"/.exec(line)?.[1] ?? '') / 1000)
    .filter(Number.isFinite);
