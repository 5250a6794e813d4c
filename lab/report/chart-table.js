/**
 * The data of a chart as a table, a row for each second. The page's script writes it, from the data that the page holds already: as markup
 * these tables were two fifths of a report.
 *
 * @typedef {import('./panels.js').Panel} Panel
 */
import { figure } from './format.js';

/**
 * @param {Panel} panel
 * @returns {{ heads: string[], rows: string[][] }} the first cell of each row is its second
 */
export const chartTable = ({ t_s, series }) => ({
  heads: ['second', ...series.map(({ label }) => label)],
  rows: t_s.map((t, index) => [figure(t), ...series.map(({ text }) => text(index))]),
});
