/**
 * The scaling curve: what each further node, worker or thread adds, and where that ends.
 *
 * @typedef {import('../../record/experiment-result.js').CurveResult} CurveResult
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../../record/experiment-result.js').Usl} Usl
 */
import { figure, MISSING, percent } from '../format.js';
import { html } from '../html.js';
import { section } from '../sections/parts.js';
import { dataTable, numeric } from '../table.js';
import { curveDrawings } from './curve-drawing.js';
import { extremes, FORMATS } from './words.js';

/** @param {ExperimentResult} result */
export function curveSection({ curve }) {
  if (!curve) return null;
  return section('curve', 'Scaling curve', [
    html`<p class="lead">${curve.sentence}</p>`,
    html`<div class="curve-sides">${curveFigure(curve)}<div class="reading">${parameters(curve)}${ends(curve)}</div></div>`,
  ]);
}

/** @param {CurveResult} curve */
function curveFigure(curve) {
  const { metric_label, x_label, points, usl } = curve;
  const hasLinear = points.some(({ efficiency }) => efficiency !== null);
  const fitted = usl
    ? 'the gap below the dashed line: it is lost scaling. Where the fit turns down, adding more reduces throughput.'
    : 'the gap between the medians and the dashed line: it is lost scaling.';
  return html`<figure class="chart curve-figure">
<figcaption><b>${metric_label} by ${x_label}.</b> See ${hasLinear ? fitted : 'how the medians move, and how far the runs of one arm differ.'}</figcaption>
<ul class="legend">${key('ring', 'one run')}${key('dot', 'median')}${hasLinear && key('linear', 'in proportion to the first')}${usl && key('fit', 'fitted, with its 95 % band')}${usl?.peak && key('peak', 'predicted peak; its 95 % interval on the axis')}</ul>
${curveDrawings(curve) ?? html`<p class="fine">Nothing was measured that could be drawn.</p>`}
${dataTable(`Data of the chart ${metric_label} by ${x_label}`, [numeric(x_label), { title: 'Arm' }, ...['Median', 'Range', 'Efficiency', 'Failed'].map(numeric)], rowsOf(curve))}
</figure>
`;
}

/** @type {(kind: string, label: string) => import('../html.js').Html} */
const key = (kind, label) => html`<li><span class="key ${kind}" aria-hidden="true"></span><span class="name">${label}</span></li>`;

/** @param {CurveResult} curve */
const rowsOf = ({ points, unit }) =>
  points.map(({ x, arm, value, efficiency, failure_rate: failed }) => [
    figure(x),
    arm,
    FORMATS[unit](value.median),
    extremes(value, FORMATS[unit]),
    percent(efficiency),
    percent(failed.median),
  ]);

/** @param {CurveResult} curve */
function parameters({ usl, usl_refused: refused, unit }) {
  if (!usl) return html`<div class="finding doubts"><p><b>No fit</b></p><p>${refused ?? 'The curve was not fitted.'}</p></div>`;
  return html`<h3>Universal Scalability Law</h3><dl class="parameters">
${parameter('λ', 'throughput of one', usl.lambda, FORMATS[unit])}
${parameter('σ', 'contention: the part of the work that waits its turn', usl.sigma, figure, noneShown(usl.sigma, 'contention'))}
${parameter('κ', 'coherence: what each pair costs by keeping in step', usl.kappa, figure, noneShown(usl.kappa, 'cost of keeping in step'))}
</dl><p class="fine">${usl.method}</p>`;
}

/** @typedef {Usl['lambda']} Estimate */

/** @type {(sign: string, meaning: string, estimate: Estimate, format: (value: number) => string, doubt?: string | null) => import('../html.js').Html} */
const parameter = (sign, meaning, { estimate, low, high }, format, doubt = null) =>
  html`<div><dt><i>${sign}</i> ${meaning}</dt><dd><b>${format(estimate)}</b> <span class="spread">95 % interval ${extremes({ median: estimate, low, high }, (value) => (value === null ? MISSING : format(value)))}</span>${doubt && html` <span class="spread">${doubt}</span>`}</dd></div>`;

/** @type {(estimate: Estimate, what: string) => string | null} */
const noneShown = ({ low }, what) => (low <= 0 ? `The interval reaches 0: no ${what} is shown.` : null);

/** Where adding stops being worth it. @param {CurveResult} curve */
function ends({ knee, knee_refused: unknown, usl, usl_refused: refused, x_label, unit }) {
  const at = usl?.peak;
  return html`<h3>Where it ends</h3><ul class="ends">
<li>${unknown ?? (knee === null ? 'No knee within the data: each further one adds at least half of its share in proportion.' : html`<b>Knee at ${figure(knee)} ${x_label}.</b> After it, another one adds less than half of its share in proportion.`)}</li>
${at && html`<li><b>Predicted peak: ${FORMATS[unit](at.value)} at ${figure(at.n)} ${x_label}</b>${at.low !== null && at.high !== null && html` (95 % interval ${figure(at.low)} to ${figure(at.high)} ${x_label})`}. Beyond it, another one takes away.</li>`}
${usl && refused && html`<li>${refused}</li>`}
</ul>`;
}
