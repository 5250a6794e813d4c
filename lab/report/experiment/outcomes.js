/**
 * What became of the requests in each arm, as bars of one scale: what a remedy cures, and what it only calls otherwise.
 *
 * @typedef {import('../../record/experiment-result.js').ExperimentArm} ExperimentArm
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../../record/experiment-result.js').Outcomes} Outcomes
 * @typedef {import('../../record/experiment-result.js').Pair} Pair
 * @typedef {{ arm: ExperimentArm, outcomes: Outcomes }} Drawn
 */
import { MISSING, percent, rate } from '../format.js';
import { html } from '../html.js';
import { localLink, section } from '../sections/parts.js';
import { stamp } from '../stamp.js';
import { byLoad, nameOf } from './by-load.js';
import { priceTable } from './price.js';

const PARTS = /** @type {const} */ ([
  { key: 'done_rps', name: 'done', title: 'done' },
  { key: 'accepted_rps', name: 'accepted', title: 'accepted, not done in the load' },
  { key: 'refused_rps', name: 'refused', title: 'refused' },
  { key: 'failed_rps', name: 'lost', title: 'failed' },
]);

/** @param {ExperimentResult} result */
export function outcomesSection({ arms, pairs = [] }) {
  const drawn = arms.flatMap((arm) => (arm.outcomes ? [{ arm, outcomes: arm.outcomes }] : []));
  if (drawn.length < 2) return null;
  const most = Math.max(...drawn.map(({ outcomes }) => totalOf(outcomes)));
  const isCompared = pairs.length > 0;
  const parts = PARTS.filter(({ key }) => drawn.some(({ outcomes }) => outcomes[key] > 0));
  return section('outcomes', 'What became of the requests', [
    html`<p class="lead">Requests a second of each arm’s typical run, which has the median of the goodput.</p>`,
    html`<ul class="legend outcome-legend">${parts.map(({ name, title }) => html`<li><span class="key part ${name}" aria-hidden="true"></span><span class="name">${title}</span></li>`)}</ul>`,
    html`<table class="outcomes"><thead><tr><th scope="col">Arm</th><th scope="col">Requests a second</th><th scope="col" class="number">Done</th><th scope="col" class="number">Not accepted</th>${isCompared && html`<th scope="col">Verdict</th>`}</tr></thead>
${byLoad(drawn, isCompared ? 5 : 4, (one) => row(one, most, isCompared ? pairs : null))}</table>`,
    priceTable(arms),
  ]);
}

/** @type {(drawn: Drawn, most: number, pairs: Pair[] | null) => import('../html.js').Html} */
function row({ arm, outcomes }, most, pairs) {
  const total = totalOf(outcomes);
  const said = PARTS.filter(({ key }) => outcomes[key] > 0).map(({ key, title }) => `${rate(outcomes[key])} ${title}`);
  return html`<tr><th scope="row"><b class="name">${nameOf(arm, arm.id)}</b>${arm.typical_run && html` ${localLink(arm.typical_run, 'run')}`}</th>
<td class="became"><span class="stack" role="img" aria-label="${said.join(', ')}" title="${said.join(', ')}">${PARTS.filter(({ key }) => outcomes[key] > 0).map(({ key, name }) => html`<span class="part ${name}" style="width:${widthOf(outcomes[key], most)}%"></span>`)}</span></td>
<td class="number" data-title="done">${rate(outcomes.done_rps)}</td>
<td class="number" data-title="not accepted">${total > 0 ? percent((outcomes.refused_rps + outcomes.failed_rps) / total) : MISSING}</td>${pairs && html`<td class="verdicts">${verdictsOn(arm, pairs)}</td>`}</tr>`;
}

/** @type {(arm: ExperimentArm, pairs: Pair[]) => import('../html.js').Html[]} */
const verdictsOn = (arm, pairs) =>
  pairs
    .filter(({ other }) => other === arm.id)
    .map(({ base, href, verdict }) => html`<span>${stamp(verdict.word)} ${localLink(href, `against ${nameOf(arm, base)}`)}</span>`);

/** @param {Outcomes} outcomes */
const totalOf = (outcomes) => PARTS.reduce((total, { key }) => total + outcomes[key], 0);

/** A hundredth of a percent is finer than any screen. @type {(value: number, most: number) => number} */
const widthOf = (value, most) => Number(((value / most) * 100).toFixed(2));
