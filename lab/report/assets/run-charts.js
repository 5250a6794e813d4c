/**
 * Draws the panels of a run: where requests stood, the timeline, and where the time went.
 */
import { standingPanels, timeLedgerPanel, timelinePanels } from '../panels.js';
import { drawPanels } from './charts.js';
import { events } from './event-marks.js';
import { waitsWriter } from './waits.js';

/** @param {import('../panels.js').Drawn} result */
export function drawCharts(result) {
  const [standing, ...under] = standingPanels(result);
  const waits = result.standing && waitsWriter(result.standing);
  drawPanels(
    [
      ...(standing && waits ? [{ ...standing, onSecond: waits }, ...under] : []),
      ...timelinePanels(result),
      ...(result.time_ledger ? [timeLedgerPanel(result.time_ledger)] : []),
    ],
    result.stages,
    { faults: result.faults, over: events },
  );
}
