/**
 * The tier that binds in each stage: a load that grows meets one limit after the other.
 *
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {import('../../record/result.js').Stage} Stage
 * @typedef {import('../../record/result.js').StageBottleneck} StageBottleneck
 */
import { milliseconds, rate } from '../format.js';
import { html } from '../html.js';
import { numeric, table } from '../table.js';
import { inTierOrder } from '../tiers.js';
import { section, stageTarget, tierChip } from './parts.js';

/** @param {Result} result */
export function bottleneckSection({ bottleneck_by_stage: rows = [], stages, resources }) {
  if (rows.length === 0) return null;
  const nameOf = (/** @type {number} */ at) => html`<span class="whole">${stageTarget(stages[at])} ${stages[at].unit}</span>`;
  return section(
    'bottleneck',
    'Bottleneck by stage',
    html`<p class="lead">A tier binds where it was at a limit for most of the stage. The bound is the rate that the load asks for or the CPU allows, whichever is less, at the cost of a request in the calmest stage. A rate far below it needs another explanation; failures cost less than answers, so a stage that loses requests may exceed it.</p>
${table(
  'Bottleneck by stage',
  [{ title: 'Stage' }, numeric('Measured'), numeric('Bound'), { title: 'What binds' }, { title: 'Evidence' }],
  rows.map((row, at) => [nameOf(at), rate(row.measured_rps), rate(row.bound_rps), bindingText(row), evidence(row)]),
)}
${costTable(stages, resources, nameOf)}`,
  );
}

/** @param {StageBottleneck} row */
function bindingText({ tier, service, what }) {
  return tier === null ? what : html`${tierChip(tier)} ${service}: ${what}`;
}

/** @param {StageBottleneck} row */
const evidence = ({ evidence: texts }) =>
  texts.length > 0 && html`<ul class="evidence">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;

/** @type {(stages: Stage[], resources: Result['resources'], nameOf: (at: number) => import('../html.js').Html) => import('../html.js').Html} */
function costTable(stages, resources, nameOf) {
  const measured = [...new Set(stages.flatMap(({ cpu_ms_per_request: cost }) => Object.keys(cost)))];
  const services = inTierOrder(measured, (service) => resources[service]?.tier ?? 'unattributed');
  return html`<p class="lead">CPU time that one finished request cost each service, good or failed.</p>
${table(
  'CPU time for a finished request by stage',
  [{ title: 'Stage' }, ...services.map((service) => numeric(service))],
  stages.map(({ cpu_ms_per_request: cost }, at) => [nameOf(at), ...services.map((service) => milliseconds(cost[service]))]),
)}`;
}
