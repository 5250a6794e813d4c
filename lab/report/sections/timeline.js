/**
 * Everything that was measured over time, on one axis.
 *
 * @typedef {import('../../record/result.js').Result} Result
 */
import { html } from '../html.js';
import { timelinePanels } from '../panels.js';
import { isProgram } from '../scenario.js';
import { chartFigure } from './chart-figure.js';
import { section } from './parts.js';

/** @param {Result} result */
export function timelineSection(result) {
  // A program counts its work when it is done: nothing is known of its seconds.
  if (isProgram(result)) return null;
  const hasWarmup = result.timeline.some((row) => row.warmup);
  return section(
    'timeline',
    'One time axis',
    html`<p class="lead">Seconds from the start of the load. The cursor moves in all panels at once.${hasWarmup && ' Shaded: the warm-up, which is in no figure.'}</p>
${timelinePanels(result).map(chartFigure)}`,
  );
}
