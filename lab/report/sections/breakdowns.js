/**
 * The tables of a scenario's own: figures by something that it tells apart, such as operation or file.
 *
 * @typedef {import('../../record/result.js').Breakdown} Breakdown
 * @typedef {import('../../record/result.js').Result} Result
 */
import { FORMATS } from '../format.js';
import { html } from '../html.js';
import { numeric, table } from '../table.js';
import { section } from './parts.js';

/** @param {Pick<Result, 'breakdowns'>} result */
export function breakdownsSection({ breakdowns = [] }) {
  return breakdowns.length > 0 ? section('breakdowns', 'Breakdowns', breakdowns.map(breakdownTable)) : null;
}

/** @param {Breakdown} breakdown */
export function breakdownTable(breakdown) {
  const { title, caption, rows_label: name, columns } = breakdown;
  const heads = [{ title: name }, ...columns.map(({ label }) => numeric(label))];
  return html`<div class="breakdown"><h3>${title}</h3><p class="lead">${caption}</p>
${table(title, heads, breakdownRows(breakdown))}</div>
`;
}

/**
 * Each row's name, then its figures as their units are written.
 * @param {Breakdown} breakdown
 * @returns {string[][]}
 */
export const breakdownRows = ({ columns, rows }) =>
  rows.map(({ name, values }) => [name, ...columns.map(({ unit }, index) => FORMATS[unit](values[index]))]);
