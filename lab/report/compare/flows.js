/**
 * The two flows beside each other, each of the arm's typical run, and below each where the arm's failures were lost.
 *
 * @typedef {import('../../record/comparison.js').Arm} Arm
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 * @typedef {import('../../record/result.js').Flow} Flow
 */
import { doubtLine } from '../doubt.js';
import { narrowDrawing } from '../flow/drawing.js';
import { PASSED_COLUMNS, passedRows, wireWords } from '../flow/passed.js';
import { count, MISSING, percent, plural } from '../format.js';
import { html } from '../html.js';
import { localLink, section, tierChip } from '../sections/parts.js';
import { dataTable, numeric, table } from '../table.js';
import { armName } from './parts.js';
import { SIDES } from './sides.js';

/** @param {Comparison} comparison */
export function flowsSection(comparison) {
  return section('flows', 'The two flows', html`<div class="flows">${SIDES.map((side) => armFlow(side, comparison[side]))}</div>`);
}

/** @type {(side: import('./parts.js').Side, arm: Arm) => import('../html.js').Html} */
function armFlow(side, arm) {
  const { id, title, headline, typical_run: typical, flow } = arm;
  return html`<article class="flow-of" aria-label="Flow of ${id}">
<h3>${armName(side, id)} <span class="fine">${title}</span></h3>
<div><p class="headline">${headline ?? 'No run counts, so there is none to show.'} ${typical && localLink(typical, 'Report of this run')}</p>
${doubtLine(arm.doubt)}</div>
${flow && flow.nodes.length > 0 && flowFigure(side, flow)}
<h4>Lost where, over all runs that count</h4>
${ledger(arm)}
</article>
`;
}

/** @type {(side: import('./parts.js').Side, flow: Flow) => import('../html.js').Html} */
function flowFigure(side, flow) {
  const lost = flow.outlets.length > 0;
  return html`<figure class="flow-figure">
<div class="stage">${narrowDrawing(flow, side)}${flow.nodes.map((node) => card(flow, node))}</div>
<figcaption>The run whose goodput is nearest to the median. A band is as thick as the requests that passed${lost ? ', a hatched outlet as the share that was lost there' : '; none of them failed'}.${wireWords(flow)}</figcaption>
${dataTable('The flow', PASSED_COLUMNS, passedRows(flow))}
</figure>`;
}

/**
 * What is said of a node when it is pointed at.
 * @type {(flow: Flow, node: Flow['nodes'][number]) => import('../html.js').Html}
 */
function card({ outlets }, { id, label, tier, note, received, answered_ok: well, answered_error: badly }) {
  const facts = [
    ['received', count(received)],
    ['answered well', count(well)],
    ['with an error', count(badly)],
  ].filter(([, value]) => value !== MISSING);
  const lost = outlets.filter(({ at }) => at === id);
  return html`<div class="card" data-card="${id}" hidden>
<p><b>${tierChip(tier, label)}</b> ${note}</p>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${lost.length === 0 ? html`<p class="calm">No failure was placed here.</p>` : lost.map((outlet) => html`<p><b class="loss">${count(outlet.count)}</b> ${outlet.cause_title}, ${percent(outlet.share)} of all requests</p>`)}
</div>`;
}

/** @param {Arm} arm */
function ledger({ id, ledger: rows, runs }) {
  const counting = runs.filter(({ counts }) => counts).length;
  if (counting === 0) return html`<p class="fine">Nothing was measured.</p>`;
  if (rows.length === 0) return html`<p class="calm">✓ No request failed in ${plural(counting, 'run')}.</p>`;
  return table(
    `Failures of ${id}`,
    [{ title: 'Tier' }, { title: 'Cause' }, numeric('Count'), numeric('Share of failures')],
    rows.map(({ tier, cause_title: cause, count: times, share }) => [tierChip(tier), cause, count(times), percent(share)]),
  );
}
