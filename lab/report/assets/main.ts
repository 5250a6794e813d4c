/**
 * The script of a run report: it draws the charts, and shows a tier's figures when the tier is pointed at.
 */
import { unfold } from '../drawn.ts';
import { figure } from '../format.ts';
import type { Drawn, DrawnStanding } from '../panels.ts';
import { standingPanels, timeLedgerPanel, timelinePanels } from '../panels.ts';
import type { Waits } from '../wire-rows.ts';
import { connectionsText, edgeName, gaveUpText, waitingText, waitsAt } from '../wire-rows.ts';
import { drawPanels } from './charts.ts';
import { events } from './event-marks.ts';
import { startCards } from './flow-cards.ts';

startCards();
drawCharts(unfold(JSON.parse(document.getElementById('result')?.textContent ?? 'null')));

/** The panels of a run: where requests stood, the timeline, and where the time went. */
function drawCharts(result: Drawn) {
	const [standing, ...under] = standingPanels(result);
	const waits = result.standing && waitsWriter(result.standing);
	drawPanels(
		[
			...(standing && waits ? [{ ...standing, onSecond: waits }, ...under] : []),
			...timelinePanels(result),
			...(result.time_ledger ? [timeLedgerPanel(result.time_ledger, result.timeline)] : []),
		],
		result.stages,
		{ faults: result.faults, over: events },
	);
}

/*
 * Who waited for whom in the second that is pointed at; in the worst ten where none is.
 */

/** @returns index: of the panels' values, whose first is the begin of the first step */
function waitsWriter(standing: DrawnStanding): (index: number | null) => void {
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
