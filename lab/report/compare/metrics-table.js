/**
 * Every metric: both medians, the estimate with its interval, and the interval drawn beside it.
 *
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 * @typedef {import('../../record/comparison.js').MetricComparison} MetricComparison
 * @typedef {import('../interval-axis.js').Domain} Domain
 */
import { doubtNote } from '../doubt.js';
import { count, figure, MISSING, moment, plural } from '../format.js';
import { html } from '../html.js';
import { intervalTicks } from '../interval-axis.js';
import { section } from '../sections/parts.js';
import { stamp } from '../stamp.js';
import { armName, deltaText, domainOf, estimateNote, estimateOf, failedText, medianText, metricAxis, sharedRatioDomain } from './parts.js';
import { SIDES } from './sides.js';
import { intervalText, onScale } from './words.js';

/** Where the better side of the axis is. */
const DIRECTIONS = { higher: 'higher is better →', lower: '← lower is better' };
const COLUMNS = 9;

/** @param {Comparison} comparison */
export function metricsSection(comparison) {
  const { metrics, base, other, paired } = comparison;
  const ratios = sharedRatioDomain(metrics);
  return section(
    'metrics',
    'Metrics',
    html`<figure class="metrics-figure">
<figcaption><b>${other.id} over ${base.id}.</b> See whether a 95 % interval leaves the line of no difference and the shaded delta around it: then the two differ by more than is too small to matter. All ratios share one logarithmic axis; a difference has its own, in percentage points. A hollow dot decides nothing, an arrow leaves the axis. ${estimateNote(paired)}</figcaption>
<div class="scroll" tabindex="0" role="region" aria-label="Metrics"><table class="metrics">
<thead><tr><th scope="col">Metric</th>${SIDES.map((side) => html`<th scope="col" class="number">${armName(side, comparison[side].id)}${doubtNote(comparison[side].doubt)}</th>`)}<th scope="col" class="number">Estimate<span class="service">${paired ? 'within blocks' : 'of all runs'}</span></th><th scope="col" class="axis">${intervalTicks({ scale: 'ratio', domain: ratios })}</th><th scope="col" class="number"><abbr title="${paired ? 'blocks with a figure on both sides' : 'runs of the arm with fewer'}">${paired ? 'Blocks' : 'Runs'}</abbr></th><th scope="col" class="number"><abbr title="${paired ? 'matched-pairs ' : ''}rank-biserial correlation, −1 to 1; positive when ${other.id} is larger">Effect</abbr></th><th scope="col" class="number"><abbr title="Wilcoxon ${paired ? 'signed-rank' : 'rank-sum'} test, adjusted for the number of metrics">Adjusted p</abbr></th><th scope="col">Verdict</th></tr></thead>
${metrics.map((metric, index) => metricRows(comparison, metric, ratios, metrics[index - 1]?.held_back ?? null))}
</table></div></figure>
${legend(comparison)}`,
  );
}

/** @type {(comparison: Comparison, metric: MetricComparison, ratios: Domain, heldBefore: string | null) => import('../html.js').Html} */
function metricRows(comparison, metric, ratios, heldBefore) {
  const { scale, label, better, gate, estimate, blocks, effect, p_adjusted: p, verdict, held_back: heldBack } = metric;
  const domain = domainOf(metric, ratios);
  const interval = intervalText(metric);
  // What is said of the row above is not said again at length.
  const isHeldAlike = heldBack !== null && heldBack === heldBefore;
  return html`<tbody>
<tr><th scope="row"><b>${label}</b>${gate && html` <span class="tag">gate</span>`}<span class="service">${DIRECTIONS[better]}</span></th>
${SIDES.map((side) => html`<td class="number ${side}" data-column="${comparison[side].id}">${medianText(metric, side)}${failedNote(metric, side)}</td>`)}
<td class="number estimate" data-column="estimate, ${estimateOf(scale, comparison.paired)}"><b>${onScale(scale, estimate)}</b><span class="service">${interval === MISSING ? 'no interval' : interval}</span></td>
<td class="axis ${scale}">${metricAxis(metric, domain)}${intervalTicks({ scale, domain, side: 'below' })}</td>
<td class="number small" data-column="blocks">${count(blocks)}</td><td class="number small" data-column="effect">${signed(effect)}</td><td class="number small" data-column="adjusted p">${figure(p)}</td>
<td class="word">${stamp(verdict)}${isHeldAlike && html`<span class="service">held back, as above</span>`}</td></tr>
${heldBack && !isHeldAlike && html`<tr class="held"><td colspan="${COLUMNS}"><b>Held back:</b> ${heldBack}</td></tr>`}
</tbody>
`;
}

/** @type {(metric: MetricComparison, side: import('./parts.js').Side) => import('../html.js').Html | null} */
function failedNote(metric, side) {
  const text = failedText(metric, side);
  const some = (metric.failed_share?.[side] ?? 0) > 0;
  return text === null ? null : html`<span class="service${some && ' loss'}">${text}</span>`;
}

/** @param {number | null} effect */
function signed(effect) {
  if (effect === null) return MISSING;
  const size = Math.abs(effect).toFixed(2);
  return effect > 0 ? `+${size}` : effect < 0 ? `−${size}` : size;
}

/** @param {Comparison} comparison */
function legend({ metrics, correction, control }) {
  return html`<div class="method"><p>${correction}</p>
<ul>${deltaGroups(metrics).map(({ text, from, labels }) => html`<li><b>Delta ${text}</b> for ${labels.join(', ')}: ${from}.</li>`)}</ul>
<p>${
    control
      ? html`The deltas know the noise of this machine from an A/A control of ${plural(control.blocks, 'block')}, ${moment(control.started)}: <code class="command">${control.command}</code>`
      : 'No A/A control was measured here, so the deltas know nothing of this machine’s own noise.'
  }</p></div>`;
}

/**
 * Metrics that share a delta and its reason share a line.
 * @param {MetricComparison[]} metrics
 */
function deltaGroups(metrics) {
  /** @type {Map<string, { text: string, from: string, labels: string[] }>} */
  const groups = new Map();
  for (const metric of metrics) {
    const text = deltaText(metric);
    const key = `${text} ${metric.delta_from}`;
    const group = groups.get(key) ?? { text, from: metric.delta_from, labels: [] };
    groups.set(key, { ...group, labels: [...group.labels, metric.label] });
  }
  return [...groups.values()];
}
