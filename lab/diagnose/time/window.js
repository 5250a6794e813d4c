/**
 * The load's window of time, and what each tier's cumulative counters gained in it. A record's line from before the load
 * is subtracted, so the warm-up is in no count.
 */
import { loadDuration } from '../../../k6/lib/shapes.js';
import { gained } from '../../stats/numbers.js';
import { isScript } from './load-end.js';

/**
 * @typedef {object} Window  seconds since 1970
 * @property {number} from   start of the load
 * @property {number} to     the last answer, or the last thing recorded
 * @property {number} warmupFrom
 */

/**
 * @param {import('../read-raw.js').Raw} raw
 * @returns {Window | null} null when the load never began
 */
export function windowOf(raw) {
  const { manifest, snapshots, program } = raw;
  if (program) return { from: program.began_s, to: program.ended_s, warmupFrom: program.began_s };
  const from = manifest.load_began_s;
  if (typeof from !== 'number') return null;
  const last = snapshots.filter(({ metrics }) => (metrics.lab_finished?.count ?? 0) > 0).at(-1);
  const to = endedAt(raw) ?? last?.t ?? from;
  if (to <= from) return null;
  return { from, to, warmupFrom: manifest.warmup_began_s };
}

/**
 * When k6 ended the load, by its own time. Of a script that time has its setup and teardown in it, so the script's wrapper tells the moment;
 * and a user who sleeps in k6's graceful stop, after the last answer and beyond the script's time, makes no load.
 * @param {import('../read-raw.js').Raw} raw
 * @returns {number | null} seconds since 1970; null where k6 did not come to say
 */
function endedAt({ manifest, summary, ending: { at_s: told, last_s: last } }) {
  const byK6 = summary === null ? null : manifest.warmup_began_s + summary.state.testRunDurationMs / 1000;
  if (!isScript(manifest)) return byK6;
  const planned = manifest.load_began_s + loadDuration(manifest.shape);
  // An earlier record does not tell the moment; then k6 had ended at least.
  const ended = told ?? (byK6 === null ? null : Math.min(byK6, manifest.load_ended_s ?? byK6));
  return ended === null ? null : Math.min(ended, Math.max(planned, last ?? ended));
}

/**
 * @template {{ t: number }} Row
 * @param {Row[]} rows in the order of time
 * @param {number} moment
 * @returns {Row | undefined} the last one at or before the moment
 */
export const lastBefore = (rows, moment) => rows.filter(({ t }) => t <= moment).at(-1);

/**
 * What a node's counters gained from a moment to the end of its record. A node that was started again counts from zero
 * again, so each life is added up.
 * @param {any[]} rows of one node
 * @param {number} from
 */
export function nodeGains(rows, from) {
  const lives = splitLives(rows);
  const none = () => /** @type {Record<string, number>} */ ({});
  const total = {
    received: 0,
    aborted: 0,
    answered: none(),
    errors: none(),
    checkoutsFailed: none(),
    checkouts: 0,
    waitMs: 0,
    cleared: 0,
    okMs: none(),
    inFlight: 0,
    own: none(),
  };
  for (const life of lives) {
    const after = life.at(-1);
    if (after.t <= from) continue;
    const before = lastBefore(life, from);
    total.received += after.received - (before?.received ?? 0);
    total.aborted += after.aborted - (before?.aborted ?? 0);
    total.checkouts += (after.pool?.checkouts ?? 0) - (before?.pool?.checkouts ?? 0);
    total.waitMs += (after.pool?.wait_ms ?? 0) - (before?.pool?.wait_ms ?? 0);
    total.cleared += (after.pool?.cleared ?? 0) - (before?.pool?.cleared ?? 0);
    total.inFlight += after.in_flight;
    total.answered = added(total.answered, gained(after.answered, before?.answered));
    total.errors = added(total.errors, gained(after.errors, before?.errors));
    total.checkoutsFailed = added(total.checkoutsFailed, gained(after.pool?.failed ?? {}, before?.pool?.failed));
    total.own = added(total.own, gained(after.own ?? {}, before?.own));
    total.okMs = added(total.okMs, gained(after.ok_ms, before?.ok_ms));
  }
  return { ...total, lives: lives.length };
}

/** @typedef {ReturnType<typeof nodeGains>} NodeGains */

/** @param {any[]} rows */
function splitLives(rows) {
  /** @type {any[][]} */
  const lives = [];
  for (const row of rows) {
    if (row.event === 'start' || lives.length === 0) lives.push([]);
    lives[lives.length - 1].push(row);
  }
  return lives;
}

/** @type {(one: Record<string, number>, other: Record<string, number>) => Record<string, number>} */
function added(one, other) {
  const total = { ...one };
  for (const [key, value] of Object.entries(other)) total[key] = (total[key] ?? 0) + value;
  return total;
}

/**
 * What a container's kernel counters gained in the load.
 * @param {any[]} rows of all containers
 * @param {string} name
 * @param {Window} window
 * @returns {{ before: Record<string, number>, after: Record<string, number>, gained: Record<string, number> }}
 */
export function kernelGains(rows, name, window) {
  const own = rows.filter((row) => row.name === name);
  const before = (lastBefore(own, window.from) ?? own[0])?.counters ?? {};
  const after = own.at(-1)?.counters ?? {};
  return { before, after, gained: gained(after, before) };
}
