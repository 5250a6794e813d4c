/**
 * Both arms on one time axis.
 *
 * @typedef {import('../../define/comparison.js').Comparison} Comparison
 */
import { html } from '../html.js';
import { chartFigure } from '../sections/chart-figure.js';
import { section } from '../sections/parts.js';
import { comparePanels } from './panels.js';

/** @param {Comparison} comparison */
export function timelineSection(comparison) {
  return section(
    'timeline',
    'One time axis',
    html`<p class="lead">Seconds from the start of the load. Lines: the median over the runs that count, ${comparison.base.id} dashed, ${comparison.other.id} solid. Bands: the least and the most. The cursor moves in all panels at once.</p>
${comparePanels(comparison).map(chartFigure)}`,
  );
}
