/**
 * A row for each stage of the load: a ramp has no steady state, so its overall figures are averages of different loads.
 *
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {import('../../record/result.js').Stage} Stage
 */
import { count, figure, milliseconds, percent, rate } from '../format.js';
import { html } from '../html.js';
import { numeric, table } from '../table.js';
import { inTierOrder } from '../tiers.js';
import { section, stageTarget } from './parts.js';

const OF_REQUESTS =
  'A request belongs to the stage in which it ended, and to the last stage where it ended after it; rates are of what ended in the stage’s seconds. Latency is of the stage’s good answers.';
/** Of a run in which the generator's own record was read. */
const OF_SECONDS =
  'Latency is of good answers. This record tells no single request, so it is the median of the percentiles of the stage’s seconds: that of a typical second, and no percentile of the stage.';

/** @param {Result} result */
export function stagesSection({ stages, resources }) {
  if (stages.length === 0) return null;
  const knowsRequests = stages.every(({ requests }) => typeof requests === 'number');
  const tierOf = (/** @type {string} */ service) => resources[service]?.tier ?? 'unattributed';
  const measured = [...new Set(stages.flatMap((stage) => Object.keys(stage.cpu_share)))];
  // What observers cost is in the table of resources.
  const services = inTierOrder(measured, tierOf).filter((service) => tierOf(service) !== 'observer');
  return section(
    'stages',
    'By stage',
    html`<p class="lead">${knowsRequests ? OF_REQUESTS : OF_SECONDS} CPU is the mean share of the quota.</p>
${table(
  'By stage',
  [
    { title: 'Stage' },
    ...[
      'Seconds',
      ...(knowsRequests ? ['Requests'] : []),
      'Throughput',
      'Goodput',
      'Failed',
      ...['p50', 'p95', 'p99'].map((title) => (knowsRequests ? title : html`<span class="whole">typical second’s</span> ${title}`)),
      ...services.map((service) => html`CPU <span class="whole">${service}</span>`),
    ].map(numeric),
  ],
  stages.map((stage) => stageRow(stage, services, knowsRequests)),
)}`,
  );
}

/**
 * @param {Stage} stage
 * @param {string[]} services
 * @param {boolean} knowsRequests
 */
function stageRow(stage, services, knowsRequests) {
  return [
    html`<span class="whole">${stageTarget(stage)} ${stage.unit}</span>`,
    `${figure(stage.from_s)}–${figure(stage.to_s)}`,
    ...(knowsRequests ? [count(stage.requests)] : []),
    rate(stage.throughput_rps),
    rate(stage.goodput_rps),
    stage.failure_rate ? html`<b class="loss">${percent(stage.failure_rate)}</b>` : percent(stage.failure_rate),
    milliseconds(stage.latency_ms_p50_ok),
    milliseconds(stage.latency_ms_p95_ok),
    milliseconds(stage.latency_ms_p99_ok),
    ...services.map((service) => percent(stage.cpu_share[service])),
  ];
}
