/** Where things are in the drawing of the scaling curve: the reach of its axes, ticks, and numbers to pixels. */

import type { CurveResult, ExperimentResult, Usl } from '../../record/types.js';
import { FORMATS, figure, MISSING, numeric, percent } from '../format.ts';
import { type Html, html } from '../html.ts';
import { section } from '../sections/parts.ts';
import { dataTable } from '../table.ts';
import { curveDrawings, hasInterval } from './curve-drawing.ts';
import { extremes } from './words.ts';

/** pixels; the margins around the plot */
export type Frame = { width: number; height: number; left: number; right: number; top: number; bottom: number };

/**
 * The scaling curve: what each further node, worker or thread adds, and where that ends.
 *
 */

export function curveSection({ curve }: ExperimentResult) {
	if (!curve) return null;
	if (curve.is_setting) return section('curve', `By ${curve.x_label}`, [html`<p class="lead">${curve.sentence}</p>`, curveFigure(curve)]);
	return section('curve', 'Scaling curve', [
		html`<p class="lead">${curve.sentence}</p>`,
		html`<div class="curve-sides">${curveFigure(curve)}<div class="reading">${parameters(curve)}${ends(curve)}</div></div>`,
	]);
}

export function curveFigure(curve: CurveResult) {
	const { metric_label, x_label, points, usl, bound } = curve;
	const hasLinear = points.some(({ efficiency }) => efficiency !== null);
	const fitted = usl
		? 'the gap below the dashed line: it is lost scaling. Where the fit turns down, adding more reduces throughput.'
		: 'the gap between the medians and the dashed line: it is lost scaling.';
	return html`<figure class="chart curve-figure">
<figcaption><b>${metric_label} by ${x_label}.</b> See ${hasLinear ? fitted : 'how the medians move, and how far the runs of one variant differ.'}</figcaption>
<ul class="legend">${key('ring', 'one run')}${key('dot', 'median')}${hasLinear && key('linear', 'in proportion to the first')}${usl && key('fit', 'fitted, with its 95 % band')}${usl?.peak && key('peak', 'predicted peak; its 95 % interval on the axis')}${bound !== undefined && key('linear', 'threshold')}${points.some(({ interval }) => hasInterval(interval)) && key('fit', '95 % interval of the runs')}</ul>
${curveDrawings(curve) ?? html`<p class="fine">Nothing was measured that could be drawn.</p>`}
${dataTable(`Data of the chart ${metric_label} by ${x_label}`, [numeric(x_label), 'Variant', ...['Median', 'Range', curve.is_setting ? '95 % interval' : 'Efficiency', 'Failed'].map(numeric)], rowsOf(curve))}
</figure>
`;
}

const key: (kind: string, label: string) => Html = (kind, label) =>
	html`<li><span class="key ${kind}" aria-hidden="true"></span><span class="name">${label}</span></li>`;

const rowsOf = ({ points, unit, is_setting: isSetting }: CurveResult) =>
	points.map(({ x, arm, value, efficiency, failure_rate: failed, interval }) => [
		figure(x),
		arm,
		FORMATS[unit](value.median),
		extremes(value, FORMATS[unit]),
		isSetting ? extremes(interval, FORMATS[unit]) : percent(efficiency),
		percent(failed.median),
	]);

function parameters({ usl, usl_refused: refused, unit }: CurveResult) {
	if (!usl) return html`<div class="finding doubts"><p><b>No fit</b></p><p>${refused ?? 'The curve was not fitted.'}</p></div>`;
	return html`<h3>Universal Scalability Law</h3><dl class="parameters">
${parameter('λ', 'throughput of one', usl.lambda, FORMATS[unit])}
${parameter('σ', 'contention: the part of the work that waits its turn', usl.sigma, figure, noneShown(usl.sigma, 'contention'))}
${parameter('κ', 'coherence: what each pair costs by keeping in step', usl.kappa, figure, noneShown(usl.kappa, 'cost of keeping in step'))}
</dl><p class="fine">${usl.method}</p>`;
}

type Estimate = Usl['lambda'];

const parameter: (sign: string, meaning: string, estimate: Estimate, format: (value: number) => string, doubt?: string | null) => Html = (
	sign,
	meaning,
	{ estimate, low, high },
	format,
	doubt = null,
) =>
	html`<div><dt><i>${sign}</i> ${meaning}</dt><dd><b>${format(estimate)}</b> <span class="spread">95 % interval ${extremes({ median: estimate, low, high }, (value) => (value === null ? MISSING : format(value)))}</span>${doubt && html` <span class="spread">${doubt}</span>`}</dd></div>`;

const noneShown: (estimate: Estimate, what: string) => string | null = ({ low }, what) =>
	low <= 0 ? `The interval reaches 0: no ${what} is shown.` : null;

/** Where adding stops being worth it. */
function ends({ knee, knee_refused: unknown, usl, usl_refused: refused, x_label, unit }: CurveResult) {
	const at = usl?.peak;
	return html`<h3>Where it ends</h3><ul class="ends">
<li>${unknown ?? (knee === null ? 'No knee within the data: each further one adds at least half of its share in proportion.' : html`<b>Knee at ${figure(knee)} ${x_label}.</b> After it, another one adds less than half of its share in proportion.`)}</li>
${at && html`<li><b>Predicted peak: ${FORMATS[unit](at.value)} at ${figure(at.n)} ${x_label}</b>${at.low !== null && at.high !== null && html` (95 % interval ${figure(at.low)} to ${figure(at.high)} ${x_label})`}. Beyond it, another one takes away.</li>`}
${usl && refused && html`<li>${refused}</li>`}
</ul>`;
}
