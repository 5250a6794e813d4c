/** Writes the table of each chart into the page, from the same values that are drawn. */

import { chartTable } from '../chart-table.ts';
import type { Panel } from '../panels.ts';

export function writeTables(panels: Panel[]) {
	for (const panel of panels)
		document.querySelector(`figure[data-panel="${panel.id}"] details.data .scroll`)?.replaceChildren(tableOf(panel));
}

function tableOf(panel: Panel) {
	const { heads, rows } = chartTable(panel);
	const table = document.createElement('table');
	table.createTHead().append(rowOf(heads.map((text) => cell('th', text, 'col'))));
	table
		.createTBody()
		.append(...rows.map(([second, ...values]) => rowOf([cell('th', second, 'row'), ...values.map((text) => cell('td', text))])));
	return table;
}

function rowOf(cells: HTMLElement[]) {
	const row = document.createElement('tr');
	row.append(...cells);
	return row;
}

function cell(name: 'th' | 'td', text: string, scope?: string): HTMLElement {
	const element = document.createElement(name);
	element.className = 'number';
	element.textContent = text;
	if (scope) element.setAttribute('scope', scope);
	return element;
}
