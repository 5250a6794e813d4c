/**
 * The figures by which runs are compared, beside what the source of the architecture published, then the scenario's own,
 * the bottleneck and the doubts.
 *
 * @typedef {import('../../define/result.js').Result} Result
 * @typedef {{ label: string, measured: number | null, published: number | null, format: (value: number | null) => string }} HeadlineFigure
 */
import { count, duration, milliseconds, percent, rate, ratio } from '../format.js';
import { html } from '../html.js';
import { isProgram, ownFigures, requestText, scenarioOf } from '../scenario.js';
import { section, tierChip } from './parts.js';

/** @param {Result} result */
export function headlineFiguresSection(result) {
  const { published, metrics } = result;
  const own = ownFigures(result);
  return section(
    'figures',
    'Headline figures',
    html`<div class="tiles">${headlineFigures(result).map((figure) => tile(figure, published !== null))}</div>
${own.length > 0 && html`<div class="tiles own">${own.map(({ label, text }) => html`<dl class="tile"><dt>${label}</dt><dd class="measured">${text}</dd></dl>`)}</div>`}
<p class="fine">${requestText(result)} ${count(metrics.requests)} ${scenarioOf(result).noun} in ${duration(result.duration_s)}, ${count(metrics.failures)} failed${!isProgram(result) && `; slowest ${milliseconds(metrics.latency_ms.all.max)}`}.
${published ? html`Published: ${published.source}, ${count(published.requests)} requests, ${count(published.failures)} failed. The ratio is measured over published.` : 'No published figures for this architecture.'}</p>
${bottleneck(result)}
${doubts(result)}`,
  );
}

/**
 * @param {Result} result
 * @returns {HeadlineFigure[]}
 */
function headlineFigures(result) {
  const { metrics, published } = result;
  const { all, ok } = metrics.latency_ms;
  /** @type {HeadlineFigure[]} */
  const latencies = [
    { label: 'p95 of all', measured: all.p95, published: published?.latency_ms_p95_all ?? null, format: milliseconds },
    { label: 'p95 of successes', measured: ok.p95, published: published?.latency_ms_p95_ok ?? null, format: milliseconds },
  ];
  return [
    { label: 'Throughput', measured: metrics.throughput_rps, published: published?.throughput_rps ?? null, format: rate },
    { label: 'Goodput', measured: metrics.goodput_rps, published: published?.goodput_rps ?? null, format: rate },
    ...(isProgram(result) ? [] : latencies),
    { label: 'Failure rate', measured: metrics.failure_rate, published: published?.failure_rate ?? null, format: percent },
  ];
}

/** @type {(figure: HeadlineFigure, isPublished: boolean) => import('../html.js').Html} */
function tile({ label, measured, published, format }, isPublished) {
  return html`<dl class="tile"><dt>${label}</dt><dd class="measured">${format(measured)}</dd>
${isPublished && html`<dd class="published"><span class="label">published</span> ${format(published)}</dd><dd class="ratio">${ratio(measured, published)}</dd>`}</dl>`;
}

/** @param {Result} result */
function bottleneck({ bottleneck: found, bottleneck_reason }) {
  if (!found) return html`<p class="finding"><b>No bottleneck named</b> – ${bottleneck_reason}</p>`;
  return html`<div class="finding"><p><b>Bottleneck: ${tierChip(found.tier)}</b> – ${bottleneck_reason}</p>
<ul>${found.evidence.map((text) => html`<li>${text}</li>`)}</ul></div>`;
}

/** @param {Result} result */
function doubts({ notes }) {
  if (notes.length === 0) return null;
  return html`<div class="finding doubts"><p><b>Doubts about the data</b></p><ul>${notes.map((text) => html`<li>${text}</li>`)}</ul></div>`;
}
