/**
 * Writes the table of each chart into the page, from the same values that are drawn.
 *
 * @typedef {import('../panels.js').Panel} Panel
 */
import { chartTable } from '../chart-table.js';

/** @param {Panel[]} panels */
export function writeTables(panels) {
  for (const panel of panels)
    document.querySelector(`figure[data-panel="${panel.id}"] details.data .scroll`)?.replaceChildren(tableOf(panel));
}

/** @param {Panel} panel */
function tableOf(panel) {
  const { heads, rows } = chartTable(panel);
  const table = document.createElement('table');
  table.createTHead().append(rowOf(heads.map((text) => cell('th', text, 'col'))));
  table
    .createTBody()
    .append(...rows.map(([second, ...values]) => rowOf([cell('th', second, 'row'), ...values.map((text) => cell('td', text))])));
  return table;
}

/** @param {HTMLElement[]} cells */
function rowOf(cells) {
  const row = document.createElement('tr');
  row.append(...cells);
  return row;
}

/** @type {(name: 'th' | 'td', text: string, scope?: string) => HTMLElement} */
function cell(name, text, scope) {
  const element = document.createElement(name);
  element.className = 'number';
  element.textContent = text;
  if (scope) element.setAttribute('scope', scope);
  return element;
}
