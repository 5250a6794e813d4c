/**
 * The script of a run report: it draws the charts, and shows a tier's figures when the tier is pointed at.
 */

import { unfold } from '../drawn.ts';
import { type Drawn, standingPanels, timeLedgerPanel, timelinePanels } from '../panels.ts';
import { drawPanels } from './charts.ts';
import { events } from './event-marks.ts';
import { startCards } from './flow-cards.ts';
import { waitsWriter } from './waits.ts';

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
