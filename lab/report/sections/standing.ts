/** The first picture: where requests stood, with the answers under it and who waited for whom beside it. */

import type { Result, StandingInterval } from '../../record/types.js';
import { carryStanding } from '../drawn.ts';
import { figure, unsaid } from '../format.ts';
import { type Html, html } from '../html.ts';
import { standingPanels } from '../panels.ts';
import { connectionsText, edgeName, gaveUpText, waitingText, worstText } from '../wire-rows.ts';
import { section } from './parts.ts';
import { chartFigure } from './time-ledger.ts';

/** @returns null where nothing was recorded */
export function standingSection(result: Result): Html | null {
	const standing = result.wire?.standing;
	if (!standing) return null;
	const { text, marks } = standing;
	return section(
		'standing',
		'Requests in flight, by service',
		html`<p class="saw">${unsaid(text, result.headline)}</p>
<div class="standing">
<div>${standingPanels({ standing: carryStanding(result), resources: result.resources }).map(chartFigure)}
${marks.length > 0 && html`<ol class="marks">${marks.map(({ t_s, text: what }) => html`<li><b>${figure(t_s)} s</b> ${what}</li>`)}</ol>`}</div>
${whoWaited(standing.worst)}
</div>`,
	);
}

/** The script says another second in its place. */
const whoWaited = (worst: StandingInterval) => html`<div class="waits" role="group" aria-labelledby="waits-title">
<h3 id="waits-title">Calls waiting for a response</h3>
<p class="fine at" data-worst="${worstText(worst)}">${worstText(worst)}</p>
<ul>${worst.edges.map(
	(edge) =>
		html`<li data-edge="${edgeName(edge)}"><span class="who">${edgeName(edge)}</span><b class="number">${waitingText(edge)}</b><span class="states">${connectionsText(edge)}</span><span class="gave-up">${gaveUpText(edge)}</span></li>`,
)}</ul>
<p class="fine">The large number is the mean number of calls that wait for a response. The line below it counts the connections between the two services.</p>
</div>`;
