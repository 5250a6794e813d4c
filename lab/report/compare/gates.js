/**
 * The two gates, and what a latency hides: before anything else may be said of the two arms.
 *
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 * @typedef {import('../../record/comparison.js').MetricComparison} MetricComparison
 */
import { doubtNote } from '../doubt.js';
import { figure, milliseconds, percent } from '../format.js';
import { html } from '../html.js';
import { intervalTicks } from '../interval-axis.js';
import { section } from '../sections/parts.js';
import { stamp } from '../stamp.js';
import {
  armName,
  deltaText,
  domainOf,
  estimateOf,
  estimateText,
  medianText,
  metricAxis,
  sharedRatioDomain,
  survivorshipText,
} from './parts.js';
import { SIDES } from './sides.js';

/** @param {Comparison} comparison */
export function gatesSection(comparison) {
  const gates = comparison.metrics.filter(({ gate }) => gate);
  return section('gates', 'The gates', [
    html`<p class="lead">Judged first: neither is called better on anything else while it fails more. Median of the runs that count; the line is the 95 % interval, shaded what is too small to matter.</p>
<div class="gates">${gates.map((metric) => gateCard(comparison, metric))}</div>`,
    survivorship(comparison),
  ]);
}

/** @type {(comparison: Comparison, metric: MetricComparison) => import('../html.js').Html} */
function gateCard(comparison, metric) {
  const { scale, label, better, sentence, held_back: heldBack } = metric;
  const domain = domainOf(metric, axisOf(metric));
  return html`<article class="gate" aria-label="Gate: ${label}">
<header><h3>${label} <span class="fine">${better} is better</span></h3>${stamp(metric.verdict)}</header>
<p class="pair">${SIDES.map((side, index) => html`${index > 0 && html`<span class="to" aria-label="to">→</span>`}<span class="value">${medianText(metric, side)}<span class="service">${armName(side, comparison[side].id)}</span>${doubtNote(comparison[side].doubt)}</span>`)}</p>
<div class="drawn">${metricAxis(metric, domain)}${intervalTicks({ scale, domain, side: 'below' })}</div>
<p class="estimate">${estimateText(metric)} <span class="fine">${estimateOf(scale, comparison.paired)}; delta ${deltaText(metric)}</span></p>
<p class="sentence">${sentence}</p>
${heldBack && html`<p class="doubt">Held back: ${heldBack}</p>`}
</article>
`;
}

/** Gates have few figures, so each has an axis of its own. @param {MetricComparison} metric */
const axisOf = (metric) => sharedRatioDomain([metric]);

/** @param {Comparison} comparison */
function survivorship({ survivorship: found, base, other }) {
  if (!found) return null;
  const { base: before, other: after } = found.latency_ms_p95_ok;
  return html`<aside class="survivorship" aria-label="Survivorship">
<p><b><span aria-hidden="true">!</span> Survivorship:</b> ${survivorshipText(found)}</p>
<dl><div><dt>p95 of successes</dt><dd>${armName('base', base.id)} ${milliseconds(before)} ${armName('other', other.id)} ${milliseconds(after)}</dd></div>
<div><dt>failed of ${found.arm}</dt><dd>${percent(found.failed_share)}</dd></div>
<div><dt>its p95 is</dt><dd>p${figure(found.rank)} of all that was asked</dd></div></dl>
</aside>
`;
}
