/** The two gates, and what a latency hides: before anything else may be said of the two arms. */

import type { Comparison, MetricComparison } from '../../record/types.js';
import { figure, milliseconds, percent } from '../format.ts';
import { type Html, html } from '../html.ts';
import { section } from '../sections/parts.ts';
import { stamp } from '../stamp.ts';
import { doubtNote, intervalTicks } from '../table.ts';
import { SIDES } from './arms.ts';
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
} from './parts.ts';

export function gatesSection(comparison: Comparison) {
	const gates = comparison.metrics.filter(({ gate }) => gate);
	return section('gates', 'Goodput and failure rate', [
		html`<p class="lead">No side is called better while it fails more. Figures are medians; lines are 95 % intervals. Shaded differences are too small to matter.</p>
<div class="gates">${gates.map((metric) => gateCard(comparison, metric))}</div>`,
		survivorship(comparison),
	]);
}

function gateCard(comparison: Comparison, metric: MetricComparison): Html {
	const { scale, label, better, held_back: heldBack } = metric;
	const domain = domainOf(metric, axisOf(metric));
	return html`<article class="gate" aria-label="Check: ${label}">
<header><h3>${label} <span class="fine">${better} is better</span></h3>${stamp(metric.verdict)}</header>
<p class="pair">${SIDES.map((side, index) => html`${index > 0 && html`<span class="to" aria-label="to">→</span>`}<span class="value">${medianText(metric, side)}<span class="service">${armName(side, comparison[side].id)}</span>${doubtNote(comparison[side].doubt)}</span>`)}</p>
<div class="drawn">${metricAxis(metric, domain)}${intervalTicks({ scale, domain, side: 'below' })}</div>
<p class="estimate">${estimateText(metric)} <span class="fine">${estimateOf(scale, comparison.paired)}; smallest difference that matters ${deltaText(metric)}</span></p>
${heldBack && html`<p class="doubt">Held back: ${heldBack}</p>`}
</article>
`;
}

/** Gates have few figures, so each has an axis of its own. */
const axisOf = (metric: MetricComparison) => sharedRatioDomain([metric]);

function survivorship({ survivorship: found, base, other }: Comparison) {
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
