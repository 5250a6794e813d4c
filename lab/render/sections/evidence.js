/**
 * The proof: every failure by tier and cause, as the generator saw them, and the books of each tier.
 *
 * @typedef {import('../../define/result.js').Result} Result
 * @typedef {import('../../define/result.js').Failure} Failure
 * @typedef {import('../html.js').Piece} Piece
 */
import { count, MISSING, percent } from '../format.js';
import { html } from '../html.js';
import { isProgram, scenarioOf } from '../scenario.js';
import { numeric, table } from '../table.js';
import { evidenceList, section, tierChip } from './parts.js';

/** k6's codes in words, from https://grafana.com/docs/k6/latest/javascript-api/error-codes/. */
/** @type {Record<string, string>} */
const ERROR_CODES = {
  1000: 'no code of its own, such as EOF',
  1050: 'request timed out',
  1101: 'host not found',
  1201: 'broken pipe',
  1210: 'could not connect',
  1211: 'connect timed out',
  1212: 'connection refused',
  1213: 'could not connect: out of ports or descriptors',
  1220: 'connection reset by peer',
};

/** @param {Result} result */
export function evidenceSection(result) {
  return section('evidence', 'Evidence', [
    html`<h3>Failures by tier and cause</h3>`,
    failureTable(result),
    result.metrics.failures > 0 && !isProgram(result) && html`<h3>The same failures as k6 saw them</h3>${generatorView(result)}`,
    html`<h3>The ledger</h3><p class="lead">What each tier received, and what became of it.</p>`,
    ledgerTable(result),
    result.ledger.checks.length > 0 &&
      html`<h3>Conservation</h3><p class="lead">Both sides must be equal, or requests went missing unseen.</p>${checksTable(result)}`,
    scenarioOf(result).written &&
      html`<h3>Writes</h3><p class="lead">What users were told, against what the database holds.</p>${writesTable(result)}`,
  ]);
}

/** @param {Result} result */
function failureTable(result) {
  const { ledger, metrics } = result;
  if (metrics.failures === 0) return html`<p class="calm">None of the ${scenarioOf(result).noun} failed.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Failures by tier and cause"><table class="failures">
<thead><tr><th scope="col">Tier</th><th scope="col">Cause</th><th scope="col" class="number">Count</th><th scope="col" class="number">Share</th></tr></thead>
${ledger.failures.map(failureRows)}
<tbody><tr><th scope="row">${tierChip('unattributed')}</th><td>could not be placed on a tier</td><td class="number">${count(ledger.unattributed)}</td><td class="number">${percent(ledger.unattributed / metrics.failures)}</td></tr></tbody>
</table></div>`;
}

/** @param {Failure} failure */
const failureRows = (failure) => html`<tbody>
<tr><th scope="row">${tierChip(failure.tier)}<span class="service">${failure.service}</span></th><td>${failure.cause_title}<span class="service">${failure.cause}</span></td><td class="number">${count(failure.count)}</td><td class="number">${percent(failure.share)}</td></tr>
<tr class="proof"><td colspan="4"><p><span class="label">Rule</span> ${failure.rule}</p>${evidenceList(failure.evidence)}</td></tr>
</tbody>`;

/** @param {Result} result */
function generatorView({ failures_by }) {
  const statuses = Object.entries(failures_by.status).map(([status, times]) => [status, count(times)]);
  const codes = Object.entries(failures_by.error_code).map(([code, times]) => [
    html`${code} <span class="service">${ERROR_CODES[code]}</span>`,
    count(times),
  ]);
  const kinds = Object.entries(failures_by.kind).map(([kind, times]) => [kind.replaceAll('_', ' '), count(times)]);
  return html`<div class="columns">${countTable('HTTP status', statuses)}${countTable('k6 error code', codes)}${countTable('Error text', kinds)}</div>`;
}

/**
 * @param {string} title
 * @param {Piece[][]} rows
 */
const countTable = (title, rows) =>
  table(`Failures by ${title}`, [{ title }, numeric('Count')], rows.length > 0 ? rows : [['none', MISSING]]);

/** @param {Result} result */
function ledgerTable({ ledger }) {
  return table(
    'The ledger',
    [{ title: 'Tier' }, numeric('Received'), numeric('Answered well'), numeric('With an error'), numeric('Lost')],
    ledger.tiers.map((row) => [
      tierChip(row.tier, row.service),
      count(row.received),
      count(row.answered_ok),
      markLoss(row.answered_error),
      markLoss(row.lost),
    ]),
  );
}

/** @param {number | null} value */
const markLoss = (value) => (value ? html`<b class="loss">${count(value)}</b>` : count(value));

/** @param {Result} result */
function checksTable({ ledger }) {
  return table(
    'Conservation checks',
    [{ title: 'Statement' }, numeric('Left'), numeric('Right'), { title: 'Holds' }],
    ledger.checks.map(({ statement, left, right, holds }) => [
      statement,
      count(left),
      count(right),
      html`<span class="whole">${holds ? '✓ yes' : html`<b class="loss">✕ no</b>`}</span>`,
    ]),
  );
}

/** @param {Result} result */
function writesTable({ ledger: { writes } }) {
  return table(
    'Writes',
    [{ title: 'Writes' }, numeric('Count')],
    [
      ['acknowledged to a user', count(writes.acknowledged)],
      ['found in the database', count(writes.persisted)],
      ['found, but never acknowledged', count(writes.unacknowledged)],
      ['acknowledged, but lost', markLoss(writes.lost)],
      ['stored more than once', markLoss(writes.duplicated)],
    ],
  );
}
