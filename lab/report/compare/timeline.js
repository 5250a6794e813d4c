/**
 * Both arms on one time axis.
 *
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 */
import { html } from '../html.js';
import { isMeasured } from '../panels.js';
import { chartFigure } from '../sections/chart-figure.js';
import { section } from '../sections/parts.js';
import { comparePanels } from './panels.js';

/** @param {Comparison} comparison */
export function timelineSection(comparison) {
  const panels = comparePanels(comparison);
  // Where a program made the load, nothing is known of its seconds.
  if (!panels.some(({ series }) => series.some(isMeasured))) return null;
  return section(
    'timeline',
    'One time axis',
    html`<p class="lead">Seconds from the start of the load. Lines: the median over the runs that count, ${comparison.base.id} dashed, ${comparison.other.id} solid. Bands: the least and the most. The cursor moves in all panels at once.</p>
${panels.map(chartFigure)}`,
  );
}
