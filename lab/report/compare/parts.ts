/** Small pieces that several sections of the compare page share. */

import type { Arm, Comparison, Flow, MetricComparison, Survivorship } from '../../record/types.js';
import { commandHtml } from '../commands.ts';
import { intervalText, onScale } from '../experiment/words.ts';
import { PASSED_COLUMNS, passedRows, wireWords } from '../flow/bands.ts';
import { narrowDrawing } from '../flow/drawing.ts';
import { count, FORMATS, figure, MISSING, moment, numeric, percent, plural } from '../format.ts';
import { type Html, html } from '../html.ts';
import { localLink, section, tierChip } from '../sections/parts.ts';
import { stamp } from '../stamp.ts';
import {
	type Domain,
	dataTable,
	differenceDomain,
	doubtLine,
	doubtNote,
	intervalAxis,
	intervalTicks,
	ratioDomain,
	table,
} from '../table.ts';
import { type ArmKey, SIDES } from './arms.ts';

export type { ArmKey };

/** Shape as well as colour tells the two apart, here and in the pictures. */
const SIGNS = { base: '●', other: '◆' };

export const armName: (side: ArmKey, id: string) => Html = (side, id) =>
	html`<span class="arm-name ${side}"><span aria-hidden="true">${SIGNS[side]}</span> ${id}</span>`;

/** `1.52×, 95 % interval 1.49 to 1.55×, 8 blocks`. */
export function estimateText(metric: MetricComparison) {
	if (metric.estimate === null) return 'nothing to compare';
	const interval = intervalText(metric);
	return [
		onScale(metric.scale, metric.estimate),
		interval === MISSING ? 'no interval' : `95 % interval ${interval}`,
		plural(metric.blocks, 'repetition'),
	].join(', ');
}

/** What an estimate is of, which is not the two medians beside it. */
export const estimateOf: (scale: MetricComparison['scale'], paired: boolean) => string = (scale, paired) =>
	`middle of the ${scale}s ${paired ? 'within repetitions' : 'of all runs to all others'}${scale === 'difference' ? ', in percentage points' : ''}`;

/** The same in a sentence. */
export const estimateNote = (paired: boolean) =>
	`An estimate is the middle of the ratios, or differences, ${paired ? 'within repetitions' : 'of all runs of one variant to all of the other'}: not that of the two medians beside it.`;

/** The axis that all ratios share. */
export const sharedRatioDomain = (metrics: MetricComparison[]) =>
	ratioDomain(
		metrics.filter(({ scale }) => scale === 'ratio'),
		metrics.filter(({ scale }) => scale === 'ratio').map(({ delta }) => 1 + delta),
	);

export const domainOf: (metric: MetricComparison, ratios: Domain) => Domain = (metric, ratios) =>
	metric.scale === 'ratio' ? ratios : differenceDomain([metric], [metric.delta]);

/** The interval of a metric on its axis, delta shaded. */
export function metricAxis(metric: MetricComparison, domain: Domain): Html {
	const { scale, delta, label, verdict } = metric;
	return intervalAxis({
		scale,
		row: metric,
		domain,
		shade: scale === 'ratio' ? { low: 1 / (1 + delta), high: 1 + delta } : { low: -delta, high: delta },
		label: `${label}: ${estimateText(metric)}; ${verdict}`,
		tone: verdict === 'INCONCLUSIVE' ? 'open' : verdict,
	});
}

/** `±5 %`, `±0.1 points`. */
export const deltaText = ({ scale, delta }: Pick<MetricComparison, 'scale' | 'delta'>) =>
	`±${scale === 'ratio' ? percent(delta) : onScale(scale, delta).replace('+', '')}`;

export const medianText: (metric: MetricComparison, side: ArmKey) => string = (metric, side) => FORMATS[metric.unit](metric[side].median);

/** What stands beside a latency of successes, so that it is never read without it. */
export function failedText({ failed_share: share }: MetricComparison, side: ArmKey): string | null {
	if (!share) return null;
	return share[side] === null ? 'failed: not known' : `${percent(share[side])} failed`;
}

/** The box and the quotation name it before the sentence does. */
export const survivorshipText = ({ sentence }: Survivorship) => sentence.replace(/^Survivorship: /, '');

/**
 * The two flows beside each other, each of the arm's typical run, and below each where the arm's failures were lost.
 *
 */

export function flowsSection(comparison: Comparison) {
	return section('flows', 'The two flows', html`<div class="flows">${SIDES.map((side) => armFlow(side, comparison[side]))}</div>`);
}

function armFlow(side: ArmKey, arm: Arm): Html {
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

function flowFigure(side: ArmKey, flow: Flow): Html {
	const lost = flow.outlets.length > 0;
	return html`<figure class="flow-figure">
<div class="stage">${narrowDrawing(flow, side)}${flow.nodes.map((node) => card(flow, node))}</div>
<figcaption>The run whose goodput is nearest to the median. A band is as thick as the requests that passed${lost ? ', a hatched outlet as the share that was lost there' : '; none of them failed'}.${wireWords(flow)}</figcaption>
${dataTable('The flow', PASSED_COLUMNS, passedRows(flow))}
</figure>`;
}

/** What is said of a node when it is pointed at. */
function card(
	{ outlets }: Flow,
	{ id, label, tier, note, received, answered_ok: well, answered_error: badly }: Flow['nodes'][number],
): Html {
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

function ledger({ id, ledger: rows, runs }: Arm) {
	const counting = runs.filter(({ counts }) => counts).length;
	if (counting === 0) return html`<p class="fine">Nothing was measured.</p>`;
	if (rows.length === 0) return html`<p class="calm">✓ No request failed in ${plural(counting, 'run')}.</p>`;
	return table(
		`Failures of ${id}`,
		['Tier', 'Cause', numeric('Count'), numeric('Share of failures')],
		rows.map(({ tier, cause_title: cause, count: times, share }) => [tierChip(tier), cause, count(times), percent(share)]),
	);
}

/**
 * Every metric: both medians, the estimate with its interval, and the interval drawn beside it.
 *
 */

/** Where the better side of the axis is. */
const DIRECTIONS = { higher: 'higher is better →', lower: '← lower is better' };
const COLUMNS = 9;

export function metricsSection(comparison: Comparison) {
	const { metrics, base, other, paired } = comparison;
	const ratios = sharedRatioDomain(metrics);
	return section(
		'metrics',
		'Metrics',
		html`<figure class="metrics-figure">
<figcaption><b>${other.id} over ${base.id}.</b> See whether a 95 % interval leaves the line of no difference and the shaded differences around it: then the two differ by more than is too small to matter. All ratios share one logarithmic axis; a difference has its own, in percentage points. A hollow dot decides nothing, an arrow leaves the axis. ${estimateNote(paired)}</figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="Metrics"><table class="metrics">
<thead><tr><th scope="col">Metric</th>${SIDES.map((side) => html`<th scope="col" class="number">${armName(side, comparison[side].id)}${doubtNote(comparison[side].doubt)}</th>`)}<th scope="col" class="number">Estimate<span class="service">${paired ? 'within repetitions' : 'of all runs'}</span></th><th scope="col" class="axis">${intervalTicks({ scale: 'ratio', domain: ratios })}</th><th scope="col" class="number"><abbr title="${paired ? 'repetitions with a figure on both sides' : 'runs of the arm with fewer'}">${paired ? 'Repetitions' : 'Runs'}</abbr></th><th scope="col" class="number"><abbr title="${paired ? 'matched-pairs ' : ''}rank-biserial correlation, −1 to 1; positive when ${other.id} is larger">Effect</abbr></th><th scope="col" class="number"><abbr title="Wilcoxon ${paired ? 'signed-rank' : 'rank-sum'} test, adjusted for the number of metrics">Adjusted p</abbr></th><th scope="col">Verdict</th></tr></thead>
${metrics.map((metric, index) => metricRows(comparison, metric, ratios, metrics[index - 1]?.held_back ?? null))}
</table></div></figure>
${legend(comparison)}`,
	);
}

function metricRows(comparison: Comparison, metric: MetricComparison, ratios: Domain, heldBefore: string | null): Html {
	const { scale, label, better, gate, estimate, blocks, effect, p_adjusted: p, verdict, held_back: heldBack } = metric;
	const domain = domainOf(metric, ratios);
	const interval = intervalText(metric);
	// What is said of the row above is not said again at length.
	const isHeldAlike = heldBack !== null && heldBack === heldBefore;
	return html`<tbody>
<tr><th scope="row"><b>${label}</b>${gate && html` <span class="tag">checked first</span>`}<span class="service">${DIRECTIONS[better]}</span></th>
${SIDES.map((side) => html`<td class="number ${side}" data-column="${comparison[side].id}">${medianText(metric, side)}${failedNote(metric, side)}</td>`)}
<td class="number estimate" data-column="estimate, ${estimateOf(scale, comparison.paired)}"><b>${onScale(scale, estimate)}</b><span class="service">${interval === MISSING ? 'no interval' : interval}</span></td>
<td class="axis ${scale}">${metricAxis(metric, domain)}${intervalTicks({ scale, domain, side: 'below' })}</td>
<td class="number small" data-column="repetitions">${count(blocks)}</td><td class="number small" data-column="effect">${signed(effect)}</td><td class="number small" data-column="adjusted p">${figure(p)}</td>
<td class="word">${stamp(verdict)}${isHeldAlike && html`<span class="service">held back, as above</span>`}</td></tr>
${heldBack && !isHeldAlike && html`<tr class="held"><td colspan="${COLUMNS}"><b>Held back:</b> ${heldBack}</td></tr>`}
</tbody>
`;
}

function failedNote(metric: MetricComparison, side: ArmKey): Html | null {
	const text = failedText(metric, side);
	const some = (metric.failed_share?.[side] ?? 0) > 0;
	return text === null ? null : html`<span class="service${some && ' loss'}">${text}</span>`;
}

function signed(effect: number | null) {
	if (effect === null) return MISSING;
	const size = Math.abs(effect).toFixed(2);
	return effect > 0 ? `+${size}` : effect < 0 ? `−${size}` : size;
}

function legend({ metrics, correction, control }: Comparison) {
	return html`<div class="method"><p>${correction}</p>
<ul>${deltaGroups(metrics).map(({ text, from, labels }) => html`<li><b>Smallest difference that matters ${text}</b> for ${labels.join(', ')}: ${from}.</li>`)}</ul>
<p>${
		control
			? html`These differences take the noise of this machine from an A/A control of ${plural(control.blocks, 'repetition')}, ${moment(control.started)}: ${commandHtml(control.command)}`
			: 'No A/A control was measured here, so these differences do not know this machine’s own noise.'
	}</p></div>`;
}

/** Metrics that share a delta and its reason share a line. */
function deltaGroups(metrics: MetricComparison[]) {
	const groups: Map<string, { text: string; from: string; labels: string[] }> = new Map();
	for (const metric of metrics) {
		const text = deltaText(metric);
		const key = `${text} ${metric.delta_from}`;
		const group = groups.get(key) ?? { text, from: metric.delta_from, labels: [] };
		groups.set(key, { ...group, labels: [...group.labels, metric.label] });
	}
	return [...groups.values()];
}
