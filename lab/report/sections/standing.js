/**
 * The first picture: where requests stood, with the answers under it and who waited for whom beside it.
 *
 * @typedef {import('../../record/result.js').Result} Result
 */
import { carryStanding } from '../drawn.js';
import { figure } from '../format.js';
import { html } from '../html.js';
import { standingPanels } from '../standing-panels.js';
import { connectionsText, edgeName, gaveUpText, waitingText, worstText } from '../standing-rows.js';
import { chartFigure } from './chart-figure.js';
import { section } from './parts.js';

/** @param {Result} result @returns {import('../html.js').Html | null} null where nothing was recorded */
export function standingSection(result) {
  const standing = result.wire?.standing;
  if (!standing) return null;
  const { text, marks } = standing;
  return section(
    'standing',
    'Where requests stood',
    html`<p class="saw">${text}</p>
<div class="standing">
<div>${standingPanels({ standing: carryStanding(result), resources: result.resources }).map(chartFigure)}
${marks.length > 0 && html`<ol class="marks">${marks.map(({ t_s, text: what }) => html`<li><b>${figure(t_s)} s</b> ${what}</li>`)}</ol>`}</div>
${whoWaited(standing.worst)}
</div>`,
  );
}

/** The script says another second in its place. @param {import('../../record/result.js').StandingSpell} worst */
const whoWaited = (worst) => html`<div class="waits" role="group" aria-labelledby="waits-title">
<h3 id="waits-title">Who waited for whom</h3>
<p class="fine at" data-worst="${worstText(worst)}">${worstText(worst)}</p>
<ul>${worst.edges.map(
  (edge) =>
    html`<li data-edge="${edgeName(edge)}"><span class="who">${edgeName(edge)}</span><b class="number">${waitingText(edge)}</b><span class="states">${connectionsText(edge)}</span><span class="gave-up">${gaveUpText(edge)}</span></li>`,
)}</ul>
<p class="fine">Calls that are waited for, and under each edge its connections.</p>
</div>`;
