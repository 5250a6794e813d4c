/**
 * The tables of a scenario's own over several runs of an arm: the median of each figure.
 *
 * @typedef {import('../record/result.js').Breakdown} Breakdown
 */
import { median } from '../stats/numbers.js';

/**
 * @param {{ breakdowns?: Breakdown[] }[]} results of one arm's runs; all have the same tables, row by row
 * @returns {Breakdown[]}
 */
export function medianBreakdowns(results) {
  const [first] = results;
  return (first?.breakdowns ?? []).map((table, index) => ({
    ...table,
    rows: table.rows.map(({ name }, row) => ({
      name,
      values: table.columns.map((_, column) => median(results.map(({ breakdowns = [] }) => breakdowns[index]?.rows[row]?.values[column]))),
    })),
  }));
}
