/**
 * The figures by which runs are compared, beside what the source of the architecture published, then the scenario's own,
 * the bottleneck and the doubts.
 *
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {object} HeadlineFigure
 * @property {string} label
 * @property {number | null} measured
 * @property {number | null} published
 * @property {number | null} [asPublished]  measured as the source measured it, where that is something else
 * @property {(value: number | null) => string} format
 */
import { clientText } from '../client-words.js';
import { count, duration, milliseconds, percent, rate, ratio } from '../format.js';
import { html } from '../html.js';
import { queueText } from '../queue-words.js';
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
<p class="fine">${requestText(result)} ${count(metrics.requests)} ${scenarioOf(result).noun} in ${duration(result.duration_s)}, ${count(metrics.failures)} failed${metrics.refused > 0 && `, ${count(metrics.refused)} of them refused by a rule or a limit of a tier`}${!isProgram(result) && `; slowest ${milliseconds(metrics.latency_ms.all.max)}`}.
${!isProgram(result) && 'Latency is what users waited, connecting included; k6’s own duration leaves connecting out. '}${published && html`That is what the source published: ${published.source}, ${count(published.requests)} requests, ${count(published.failures)} failed. The ratio is measured over published.`}</p>
${client(result)}
${queue(result)}
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
  const { latency_ms: waited, duration_ms: duration } = metrics;
  /** @type {(label: string, of: 'all' | 'ok', figure: number | null | undefined) => HeadlineFigure} */
  const latency = (label, of, figure) => ({
    label,
    measured: waited[of].p95,
    published: figure ?? null,
    asPublished: duration?.[of].p95 ?? null,
    format: milliseconds,
  });
  const latencies = [
    latency('p95 of all', 'all', published?.latency_ms_p95_all),
    latency('p95 of successes', 'ok', published?.latency_ms_p95_ok),
  ];
  return [
    { label: 'Throughput', measured: metrics.throughput_rps, published: published?.throughput_rps ?? null, format: rate },
    { label: 'Goodput', measured: metrics.goodput_rps, published: published?.goodput_rps ?? null, format: rate },
    ...(isProgram(result) ? [] : latencies),
    { label: 'Failure rate', measured: metrics.failure_rate, published: published?.failure_rate ?? null, format: percent },
  ];
}

/** @type {(figure: HeadlineFigure, isPublished: boolean) => import('../html.js').Html} */
function tile({ label, measured, published, asPublished, format }, isPublished) {
  return html`<dl class="tile"><dt>${label}</dt><dd class="measured">${format(measured)}</dd>
${isPublished && html`<dd class="published"><span class="label">published</span> ${format(published)}</dd><dd class="ratio">${ratio(asPublished ?? measured, published)}</dd>`}${asPublished !== undefined && html`<dd class="published own-clock"><span class="label">k6's duration</span> ${format(asPublished)}</dd>`}</dl>`;
}

/** @param {Result} result */
function client(result) {
  const text = clientText(result);
  return text !== null && html`<p class="finding"><b>Users who try again</b> – ${text}</p>`;
}

/** @param {Result} result */
function queue(result) {
  const text = queueText(result);
  return text !== null && html`<p class="finding"><b>What became of accepted writes</b> – ${text}</p>`;
}

/** @param {Result} result */
function bottleneck({ bottleneck: found, bottleneck_reason, giving_way: steps = [] }) {
  const name = found ? html`Bottleneck: ${tierChip(found.tier)}` : 'No bottleneck named';
  return html`<div class="finding"><p><b>${name}</b> – ${bottleneck_reason}</p>
${steps.length > 0 && html`<p>How it gave way, in the order of time; what came first need not be the cause of the rest:</p><ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>`}
${found && html`<ul>${found.evidence.map((text) => html`<li>${text}</li>`)}</ul>`}</div>`;
}

/** @param {Result} result */
function doubts({ notes }) {
  if (notes.length === 0) return null;
  return html`<div class="finding doubts"><p><b>Doubts about the data</b></p><ul>${notes.map((text) => html`<li>${text}</li>`)}</ul></div>`;
}
