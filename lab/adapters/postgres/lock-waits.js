/**
 * Statements that waited for a lock, by PostgreSQL's own views once a second. Its log tells of one only when it has ended, and by default
 * not even then: what waits to the end of the load stands here alone.
 *
 * @typedef {import('../contract.js').Message} Message
 * @typedef {{ pid: number, began: number, waited: number, seen: number }} Wait  seconds; began and seen since 1970
 */
import { isDuring } from '../whole-lines.js';

/** Samples are taken once a second: what waits for less is seen by chance. */
const LONG_S = 1;
/** A sample may be asked for, and answered, so much later than another. */
const APART_S = 1;

/**
 * @param {any[]} samples
 * @param {import('../whole-lines.js').Window} window
 * @param {boolean} logged  the log has a line for each statement that took long and ended
 * @returns {Message[]} one for each wait that began in the load and is in no log
 */
export function lockWaits(samples, window, logged) {
  const during = samples.filter(({ t, lock_waits: waits }) => isDuring(t, window) && waits !== undefined);
  const last = during.at(-1)?.t;
  return waitsIn(during)
    .filter(({ began, waited, seen }) => began >= window.from && waited >= LONG_S && (!logged || seen === last))
    .map(({ pid, waited, seen }) => ({
      signal: 'slow',
      t: seen,
      text: `process ${pid} waits for a lock, for ${Math.round(waited * 1000)} ms so far`,
      source: 'pg_stat_activity',
    }));
}

/** Each with the last that was seen of it. @param {any[]} samples @returns {Wait[]} */
function waitsIn(samples) {
  /** @type {Wait[]} */
  const waits = [];
  for (const { t, lock_waits: found } of samples) {
    for (const [pid, waited] of found ?? []) {
      const known = waits.findLast((wait) => wait.pid === pid);
      const isSame = known && waited > known.waited && Math.abs(t - waited - known.began) <= APART_S;
      if (isSame) Object.assign(known, { waited, seen: t });
      else waits.push({ pid, began: t - waited, waited, seen: t });
    }
  }
  return waits;
}
