/**
 * The proof: every failure by tier and cause, as the generator saw them, and the books of each tier.
 *
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {import('../html.js').Piece} Piece
 */
import { bytes, count, MISSING } from '../format.js';
import { html } from '../html.js';
import { isProgram, scenarioOf } from '../scenario.js';
import { numeric, table } from '../table.js';
import { failureTable } from './failures.js';
import { section, tierChip } from './parts.js';

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
  const wireEdges = result.ledger.edges.filter(({ wire }) => wire);
  return section('evidence', 'Evidence', [
    html`<h3>Failures by tier and cause</h3>`,
    failureTable(result),
    result.metrics.failures > 0 && !isProgram(result) && html`<h3>The same failures as k6 saw them</h3>${generatorView(result)}`,
    html`<h3>Tier by tier</h3><p class="lead">What each tier recorded of the load, by its own counts; of a tier that keeps none, what passed to it on the wire.</p>`,
    hopsTable(result),
    result.ledger.edges.length > 0 &&
      html`<h3>Edge by edge</h3><p class="lead">What the caller sent and what the callee received, each by its own record, or by the wire where it keeps none. Unseen: requests and attempts that were sent and that the callee has no record of.</p>${edgesTable(result)}`,
    wireEdges.length > 0 &&
      html`<h3>Edge by edge, on the wire</h3><p class="lead">What became of each call that passed in the load: answered, given up by who asked, broken off by who was asked, or open at the end. Refused are connections, which carried none.</p>${wireTable(wireEdges)}`,
    result.ledger.checks.length > 0 &&
      html`<h3>Conservation</h3><p class="lead">Both sides must be equal, or requests went missing unseen: but for 0.1 %, and for what was still under way when a user gave up, a container ended or the load ended.</p>${checksTable(result)}`,
    scenarioOf(result).written &&
      html`<h3>Writes</h3><p class="lead">What users were told, against what the database holds.</p>${writesTable(result)}`,
  ]);
}

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
function hopsTable({ ledger }) {
  return table(
    'What each tier says of itself',
    [
      { title: 'Tier' },
      numeric('Received'),
      numeric('Answered well'),
      numeric('With an error'),
      numeric('Without an answer'),
      { title: 'By its' },
    ],
    ledger.hops.map((row) => [
      tierChip(row.tier, row.service),
      count(row.received),
      count(row.answered_ok),
      markLoss(row.answered_error),
      markLoss(row.aborted),
      row.source,
    ]),
  );
}

/** @param {Result} result */
function edgesTable({ ledger }) {
  const said = (/** @type {number | null} */ value, /** @type {string} */ source) =>
    html`${count(value)} <span class="service">${source}</span>`;
  return table(
    'Between the tiers',
    [{ title: 'From' }, { title: 'To' }, numeric('Sent'), numeric('Received'), numeric('Unseen')],
    ledger.edges.map(({ from, to, sent, sent_source, received, received_source, unseen }) => [
      from,
      to,
      said(sent, sent_source),
      said(received, received_source),
      markLoss(unseen),
    ]),
  );
}

/** @param {import('../../record/result.js').Edge[]} edges  that the wire saw */
const wireTable = (edges) =>
  table(
    'Edge by edge, on the wire',
    [
      { title: 'Edge' },
      numeric('Calls'),
      numeric('Answered'),
      numeric('With an error'),
      numeric('Given up'),
      numeric('Broken off'),
      numeric('Open'),
      numeric('Refused'),
      numeric('Not read'),
    ],
    edges.flatMap(({ from, to, wire }) =>
      wire
        ? [
            [
              `${from} → ${to}`,
              count(wire.calls),
              count(wire.answered),
              markLoss(wire.bad),
              markLoss(wire.given_up),
              markLoss(wire.broken_off),
              count(wire.open),
              markLoss(wire.refused),
              wire.unread_bytes > 0 ? bytes(wire.unread_bytes) : MISSING,
            ],
          ]
        : [],
    ),
    { isCards: true },
  );

/** @param {number | null} value */
const markLoss = (value) => (value ? html`<b class="loss">${count(value)}</b>` : count(value));

/** @param {Result} result */
function checksTable({ ledger }) {
  return table(
    'Conservation checks',
    [{ title: 'Statement' }, numeric('Left'), numeric('Right'), numeric('May differ by'), { title: 'Holds' }],
    ledger.checks.map(({ statement, left, right, may_differ: mayDiffer, holds }) => [
      statement,
      count(left),
      count(right),
      mayDiffer === undefined ? '–' : count(mayDiffer),
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
