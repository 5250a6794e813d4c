/**
 * The series of a run in long form, a line for each second and series, as RFC 4180 has it.
 */

const COLUMNS = ['t_s', 'series', 'tier', 'service', 'value', 'unit'];

/**
 * @param {import('./run-series.js').RunSeries[]} series
 * @param {number[]} seconds  from the start of the load, negative in the warm-up
 * @returns {string}
 */
export const formatCsv = (series, seconds) =>
  [COLUMNS, ...series.flatMap((one) => rowsOf(one, seconds))].map((row) => `${row.map(cell).join(',')}\n`).join('');

/** @type {(series: import('./run-series.js').RunSeries, seconds: number[]) => (string | number)[][]} */
const rowsOf = ({ name, tier, service, unit, values }, seconds) =>
  values.flatMap((value, index) => (value === null ? [] : [[seconds[index], name, tier, service, value, unit]]));

/** @param {string | number} value */
const cell = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
