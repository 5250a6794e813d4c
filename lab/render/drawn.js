/**
 * What the charts of a report are drawn from, as the page carries it: of a result only what its script needs, since the rest is in the page
 * already, and a list for each figure of the seconds, since a row for each would repeat its keys.
 *
 * @typedef {import('../define/result.js').Result} Result
 * @typedef {import('./panels.js').Drawn} Drawn
 * @typedef {Omit<Drawn, 'timeline'> & { timeline: Record<string, unknown[]> }} Carried
 */
import { isUsed } from './panels.js';

/**
 * @param {Result} result
 * @returns {Carried}
 */
export const carry = ({ timeline, series, metrics, queue, resources, time_ledger, stages, faults }) => ({
  timeline: columnsOf(timeline),
  series: { ...series, limits: series.limits.filter(isUsed) },
  metrics,
  queue,
  resources,
  time_ledger,
  stages,
  faults,
});

/**
 * @param {Carried} carried
 * @returns {Drawn}
 */
export const unfold = ({ timeline, ...rest }) => ({ ...rest, timeline: /** @type {Drawn['timeline']} */ (rowsOf(timeline)) });

/** @param {Record<string, any>[]} rows  all with the same keys */
const columnsOf = (rows) => Object.fromEntries(Object.keys(rows[0] ?? {}).map((key) => [key, rows.map((row) => row[key])]));

/** @param {Record<string, any[]>} columns */
function rowsOf(columns) {
  const keys = Object.keys(columns);
  return (columns[keys[0]] ?? []).map((_, index) => Object.fromEntries(keys.map((key) => [key, columns[key][index]])));
}
