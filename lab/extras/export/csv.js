/**
 * The series of a run in long form, a line for each second and series, as RFC 4180 has it.
 */
import { stringify } from 'csv-stringify/sync';

const COLUMNS = ['t_s', 'series', 'tier', 'service', 'value', 'unit'];

/**
 * @param {import('./run-series.js').RunSeries[]} series
 * @param {number[]} seconds  from the start of the load, negative in the warm-up
 * @returns {string}
 */
export const formatCsv = (series, seconds) => stringify([COLUMNS, ...series.flatMap((one) => rowsOf(one, seconds))]);

/** @type {(series: import('./run-series.js').RunSeries, seconds: number[]) => (string | number)[][]} */
const rowsOf = ({ name, tier, service, unit, values }, seconds) =>
  values.flatMap((value, index) => (value === null ? [] : [[seconds[index], name, tier, service, value, unit]]));
