/**
 * The refused connections in MongoDB's own log. Before 6.3 it has no counter of them.
 */

/** MongoDB's own number for "Connection refused because there are too many open connections". */
const REFUSED_LOG_ID = 22942;

/**
 * @param {string} text of mongod's log, a JSON object a line
 * @returns {number[]} seconds since 1970
 */
export function parseRefusals(text) {
  return text
    .split('\n')
    .filter((line) => line.includes(`"id":${REFUSED_LOG_ID}`))
    .map((line) => Date.parse(/"\$date":"([^"]+)"/.exec(line)?.[1] ?? '') / 1000)
    .filter(Number.isFinite);
}
