/** Who waited for whom in the second that is pointed at; in the worst ten where none is. */

import { figure } from '../format.ts';
import type { DrawnStanding } from '../panels.ts';
import { connectionsText, edgeName, gaveUpText, type Waits, waitingText, waitsAt } from '../wire-rows.ts';

/** @returns index: of the panels' values, whose first is the begin of the first step */
export function waitsWriter(standing: DrawnStanding): (index: number | null) => void {
	const place = document.querySelector('.waits');
	const [at, list] = [place?.querySelector('.at'), place?.querySelector('ul')];
	const worst = [...(list?.children ?? [])];
	const { step_s: step, from_s: from } = standing;
	return (index) => {
		if (!at || !list) return;
		if (index === null || index === 0) {
			at.textContent = (at as HTMLElement).dataset.worst ?? '';
			list.replaceChildren(...worst);
			return;
		}
		const end = from + index * step;
		at.textContent = `Second ${figure(end - step)} to ${figure(end)}`;
		list.replaceChildren(...waitsAt(standing, index - 1).map(rowOf));
	};
}

function rowOf(waits: Waits) {
	const row = document.createElement('li');
	row.append(
		piece('span', 'who', edgeName(waits)),
		piece('b', 'number', waitingText(waits)),
		piece('span', 'states', connectionsText(waits)),
		piece('span', 'gave-up', gaveUpText(waits)),
	);
	return row;
}

function piece(name: string, className: string, text: string): HTMLElement {
	const element = document.createElement(name);
	element.className = className;
	element.textContent = text;
	return element;
}
