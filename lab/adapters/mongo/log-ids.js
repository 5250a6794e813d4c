/**
 * MongoDB's own numbers for what it logs. The words of a message may change from version to version, its number does not
 * (https://www.mongodb.com/docs/manual/reference/log-messages/).
 */
export const LOG_IDS = Object.freeze({
  /** "Connection refused because there are too many open connections" */
  refused: 22942,
  /** "Received signal" */
  signal: 23377,
  /** "Slow query": any operation that took longer than `slowms`, 100 unless it is set */
  slow: 51803,
  /** "MongoDB starting" */
  starting: 4615611,
});

/** Numbers of the signals that end it: SIGINT and SIGTERM. */
export const STOPS = [2, 15];
