/**
 * The panel that shows where the time of good answers went.
 *
 * @typedef {import('../record/result.js').TimeLedger} TimeLedger
 * @typedef {import('./panels.js').Panel} Panel
 */
import { milliseconds } from './format.js';
import { panelSeries } from './panels.js';
import { tierColour } from './tiers.js';

/**
 * @param {TimeLedger} ledger
 * @returns {Panel}
 */
export function timeLedgerPanel({ parts, series }) {
  const areas = parts.map(({ id, label, tier, waits }) =>
    panelSeries({ label, colour: tierColour(tier), values: series.parts[id] ?? [], kind: 'area', hatched: waits }, milliseconds),
  );
  const measured = panelSeries({ label: 'as k6 measured it', colour: '--ink', values: series.measured_ms, stroke: 'dashed' }, milliseconds);
  return {
    id: 'time-ledger',
    title: 'Mean time of a good answer',
    caption:
      'By part, in the order that a request meets them. Hatched parts wait, plain ones work. The dashed line is what k6 measured: the gap to it is time that no part explains.',
    t_s: series.t_s,
    series: [...areas, measured],
    tick: milliseconds,
    logarithmic: false,
    reference: null,
    height: 220,
    marksStages: false,
  };
}
