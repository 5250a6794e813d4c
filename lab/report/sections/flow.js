/**
 * The hero picture: the way of the requests through the tiers, and where they were lost.
 *
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {Result['flow']['nodes'][number]} FlowNode
 */
import { flowDrawings } from '../flow/drawing.js';
import { PASSED_COLUMNS, passedRows, wireWords } from '../flow/passed.js';
import { count, MISSING, percent, plural } from '../format.js';
import { html } from '../html.js';
import { dataTable } from '../table.js';
import { evidenceList, section, tierChip } from './parts.js';

/** @param {Result} result */
export function flowSection(result) {
  return section(
    'flow',
    'The flow',
    html`<figure class="flow-figure">
<div class="stage">${flowDrawings(result.flow)}${result.flow.nodes.map((node) => card(result, node))}</div>
<figcaption>${caption(result)}</figcaption>
${dataTable('The flow', PASSED_COLUMNS, passedRows(result.flow))}
</figure>`,
  );
}

/** @param {Result} result */
function caption({ metrics, ledger, flow }) {
  const pointing = 'Point at a tier for its evidence.';
  if (metrics.failures === 0)
    return html`A band is as thick as the requests that passed; none of them failed.${wireWords(flow)} ${pointing}`;
  const outlets = flow.outlets.length > 0 && ', a hatched outlet as the share that was lost there';
  const unplaced = ledger.unattributed > 0 && ` ${plural(ledger.unattributed, 'failure')} could not be placed.`;
  return html`A band is as thick as the requests that passed${outlets}.${unplaced}${wireWords(flow)} ${pointing}`;
}

/**
 * What is said of a node when it is pointed at.
 * @param {Result} result
 * @param {FlowNode} node
 */
function card(result, node) {
  const books = result.ledger.hops.find(({ service }) => service === node.id);
  const cpu = result.resources[node.id];
  const quota = cpu?.cpu_quota_cores;
  const facts = [
    ['received', count(books?.received ?? node.received)],
    ['answered well', count(books?.answered_ok ?? node.answered_ok)],
    ['with an error', count(books?.answered_error ?? node.answered_error)],
    ['ended without an answer', count(books?.aborted)],
    ['CPU, mean of its quota', quota && cpu.cpu_cores.mean !== null ? percent(cpu.cpu_cores.mean / quota) : MISSING],
  ].filter(([, value]) => value !== MISSING);
  return html`<div class="card" data-card="${node.id}" hidden>
<p><b>${tierChip(node.tier, node.label)}</b> ${node.note}</p>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${failuresAt(result, node)}
</div>`;
}

/**
 * @param {Result} result
 * @param {FlowNode} node
 */
function failuresAt({ ledger, flow }, node) {
  const isDrawn = (/** @type {string} */ service) => flow.nodes.some(({ id, tier }) => id === service && tier === node.tier);
  const failures = ledger.failures.filter(({ tier, service }) => tier === node.tier && (service === node.id || !isDrawn(service)));
  if (failures.length === 0) return html`<p class="calm">No failure was placed here.</p>`;
  return failures.map(
    (failure) => html`<p><b class="loss">${count(failure.count)}</b> ${failure.cause_title}</p>${evidenceList(failure.evidence)}`,
  );
}
