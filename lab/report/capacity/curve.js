/**
 * The curve of a capacity plan, with its table and its law.
 *
 * @typedef {import('../../record/capacity-plan.js').CapacityPlan} CapacityPlan
 */
import { extremes } from '../experiment/words.js';
import { count, figure, rate } from '../format.js';
import { html } from '../html.js';
import { section } from '../sections/parts.js';
import { dataTable, numeric } from '../table.js';
import { capacityDrawings } from './drawing.js';

/** @param {CapacityPlan} plan */
export function capacityCurveSection(plan) {
  const { curve, law, hold_out: check } = plan;
  const rows = curve.points.map(({ n, arm, values, measured, fitted }) => [
    count(n),
    arm,
    rate(measured.median),
    extremes(measured, rate),
    rate(fitted),
    count(values.length),
  ]);
  return section(
    'curve',
    'Capacity by nodes',
    html`<figure class="chart curve-figure">
<figcaption><b>goodput by nodes.</b> See where the lower edge of the band crosses the target: there is the plan. Dashed, no run was made.</figcaption>
<ul class="legend">${key('ring', 'measured: one run')}${key('dot', 'measured: median')}${key('fit', 'fitted, with its 95 % prediction interval')}${key('beyond', 'extrapolated')}${key('target', 'target')}${key('peak', 'planned')}${key('held-out', `what the others predict for ${count(check.n)}`)}</ul>
${capacityDrawings(plan)}
${dataTable('Data of the chart goodput by nodes', [numeric('Nodes'), { title: 'Arm' }, ...['Median', 'Range', 'Fitted', 'Runs'].map(numeric)], rows)}
</figure>
<p class="fine">λ ${figure(law.lambda)} rps for one node, σ ${figure(law.sigma)} contention, κ ${figure(law.kappa)} coherence. ${law.method}</p>`,
  );
}

/** @param {string} kind @param {string} text */
const key = (kind, text) => html`<li><span class="key ${kind}" aria-hidden="true"></span> ${text}</li>`;
