/**
 * The arms: medians and extremes over the runs that count, and where each arm's failures were lost.
 *
 * @typedef {import('../../record/comparison.js').LedgerRow} LedgerRow
 * @typedef {import('../../record/experiment-result.js').ExperimentArm} ExperimentArm
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../../catalog/metrics.js').Metric} Metric
 */
import { metrics } from '../../catalog/metrics.js';
import { doubtNote } from '../doubt.js';
import { count, MISSING, percent, plural } from '../format.js';
import { html } from '../html.js';
import { breakdownTable } from '../sections/breakdowns.js';
import { localLink, section, tierChip } from '../sections/parts.js';
import { tierTitle } from '../tiers.js';
import { extremes, FORMATS } from './words.js';

/** @param {ExperimentResult} result */
export function armsSection({ arms }) {
  const shown = shownMetrics(arms);
  return section(
    'arms',
    'Arms',
    html`<p class="lead">Each figure is the median over the runs that count, below it the least and the most. A latency of successes says nothing about the requests that failed, so their share stands with it.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Arms"><table class="arms">
<thead><tr><th scope="col">Arm</th>${shown.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}</tr></thead>
${arms.map((arm) => armRows(arm, shown))}
</table></div>`,
  );
}

/**
 * Those of the metrics table that any arm has a figure for, in its order.
 * @param {ExperimentArm[]} arms
 * @returns {Metric[]}
 */
export const shownMetrics = (arms) => metrics.filter(({ id }) => arms.some((arm) => typeof arm.metrics[id]?.median === 'number'));

/** @type {(arm: ExperimentArm, shown: Metric[]) => import('../html.js').Html} */
function armRows(arm, shown) {
  return html`<tbody>
<tr><th scope="row"><b class="name">${arm.id}</b><span class="service">${arm.title}</span>${doubtNote(arm.doubt)}</th>${shown.map((metric) => html`<td class="number">${metricCell(arm, metric)}</td>`)}</tr>
<tr class="lost"><td colspan="${shown.length + 1}"><div class="within"><span class="runs">${runsText(arm)}</span> ${losses(arm.ledger, arm)} ${arm.typical_run && localLink(arm.typical_run, 'typical run')}</div>${armBreakdowns(arm)}</td></tr>
</tbody>`;
}

/** The scenario's own tables of an arm; an experiment written before there were any has none. @param {ExperimentArm} arm */
function armBreakdowns({ id, runs, breakdowns = [] }) {
  if (breakdowns.length === 0) return null;
  return html`<details class="breakdowns"><summary>Breakdowns of ${id}</summary><p class="lead">Each figure is the median over ${plural(runs, 'run')}.</p>${breakdowns.map(breakdownTable)}</details>`;
}

/** @type {(arm: ExperimentArm, metric: Metric) => import('../html.js').Html} */
function metricCell(arm, { id, unit, of_successes }) {
  const range = arm.metrics[id];
  const median = FORMATS[unit](range?.median);
  const isLoss = id === 'failure_rate' && (range?.median ?? 0) > 0;
  return html`<b class="${isLoss && 'loss'}">${median}</b>${median !== MISSING && html`<span class="service">${extremes(range, FORMATS[unit])}</span>`}${of_successes && median !== MISSING && html`<span class="service failed">${failedText(arm)}</span>`}`;
}

/** What stands beside every latency of successes. @param {ExperimentArm} arm */
export function failedText({ metrics: { failure_rate: failed } }) {
  return typeof failed?.median === 'number' ? `${percent(failed.median)} failed` : 'failed: not known';
}

/** `8 runs count, 1 INVALID left out, 1 of 8 runs SUSPECT: why`. @param {ExperimentArm} arm  one from before reasons were kept has numbers alone */
export function runsText({ runs, suspect, invalid, doubt }) {
  return [
    `${plural(runs, 'run')} ${runs === 1 ? 'counts' : 'count'}`,
    invalid > 0 && `${count(invalid)} INVALID left out`,
    suspect > 0 && (doubt?.text ?? `${count(suspect)} of them SUSPECT`),
  ]
    .filter(Boolean)
    .join(', ');
}

/** @type {(ledger: LedgerRow[], arm: ExperimentArm) => import('../html.js').Html} */
function losses(ledger, { runs }) {
  if (runs === 0) return html`<span>Nothing was measured.</span>`;
  if (ledger.length === 0) return html`<span class="calm">✓ No request was lost.</span>`;
  return html`<ul aria-label="Where its failures were lost">${ledger.map(({ tier, cause_title: cause, count: times, share }) => html`<li>${tierChip(tier, `${tierTitle(tier)}:`)} ${cause} <b>${count(times)}</b> <span class="share">${percent(share)}</span></li>`)}</ul>`;
}
