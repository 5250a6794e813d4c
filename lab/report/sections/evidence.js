/**
 * The proof: every failure by tier and cause, as the generator saw them, and the books of each tier.
 *
 *
 * @import { Edge, Failure, Result } from '../../record/types.js'
 * @import { Html, Piece } from '../html.js'
 */

import { statementsOfFailure } from '../../record/touches.js';
import { isProgram, scenarioOf } from '../calibration.js';
import { doubtMark } from '../doubts.js';
import { BASES, bytes, count, MISSING, numeric, percent } from '../format.js';
import { html } from '../html.js';
import { cardLabels, table } from '../table.js';
import { followedNotes } from '../wire-beside-rows.js';
import { evidenceList, failureAnchor, proofOf, section, tierChip } from './parts.js';

/**
 * The failures by tier and cause: how many, how each is known, the chain from trigger to amplifier, and the evidence.
 *
 */

/** @param {Result} result */
function failureTable(result) {
	const { ledger, metrics } = result;
	if (metrics.failures === 0) return html`<p class="calm">None of the ${scenarioOf(result).noun} failed.</p>`;
	const proof = proofOf(result);
	return html`<div class="scroll" tabindex="0" role="region" aria-label="Failures by tier and cause"><table class="failures cards" style="${cardLabels(['Tier', '', 'Where', 'Why', 'Count', 'Share'])}">
<thead><tr><th scope="col">Tier</th><th scope="col">Cause</th><th scope="col">Where</th><th scope="col">Why</th><th scope="col" class="number">Count</th><th scope="col" class="number">Share</th></tr></thead>
${ledger.failures.map((failure, index) => failureRows(failure, { index, proof: index === proof.of ? proof.items : [], mark: doubtMark(result, statementsOfFailure(failure)) }))}
${ledger.unattributed > 0 && unattributedRow(result)}
</table></div>
${followedNotes(result).map((text) => html`<p class="fine">${text}</p>`)}
<p class="fine">Proved: by a record of that very request, such as the generator’s of the connection that broke, by its id on the wire, or by a log that has each request that was read and no line of this one. Timed: something that is recorded happened at the same time. Counted: a counter of the run rose, or it was seen beside these requests and less beside the good ones. Inferred: nothing else is left.</p>`;
}

/** @param {Result} result */
const unattributedRow = ({ ledger, metrics }) =>
	html`<tbody style="${cardLabels(['Tier', '', 'Count', 'Share'])}"><tr><th scope="row">${tierChip('unattributed')}</th><td colspan="3">could not be placed on a tier: ${ledger.unattributed_reason}</td><td class="brief number">${count(ledger.unattributed)}</td><td class="brief number">${percent(ledger.unattributed / metrics.failures)}</td></tr></tbody>`;

/** @type {(failure: Failure, row: { index: number, proof: Failure['evidence'], mark: Html | null }) => Html} */
const failureRows = (failure, { index, proof, mark }) => html`<tbody id="${failureAnchor(index)}">
<tr><th scope="row">${tierChip(failure.tier)}<span class="service">${failure.service}</span></th><td>${failure.cause_title}${mark}<span class="service">${failure.cause}</span></td><td class="brief">${basis(failure.basis.where)}</td><td class="brief">${basis(failure.basis.why)}</td><td class="brief number">${count(failure.count)}</td><td class="brief number">${percent(failure.share)}</td></tr>
<tr class="proof"><td colspan="6">${failure.chain && html`<p><span class="label">Chain</span> ${failure.chain}</p>`}<p><span class="label">Rule</span> ${failure.rule}</p>${evidenceList(failure.evidence, proof)}</td></tr>
</tbody>`;

/** @param {Record<string, number>} counts */
function basis(counts) {
	const all = Object.values(counts).reduce((sum, value) => sum + value, 0);
	return BASES.filter((name) => counts[name] > 0).map(
		(name) => html`<span class="known-by ${name}">${name}${counts[name] < all && ` ${percent(counts[name] / all)}`}</span>`,
	);
}

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
		html`<h3>Tier by tier</h3><p class="lead">What each tier recorded of the load, by its own counts; of a tier that keeps none, what passed to it on the wire. Answered well is, on the wire, what the load took for good where users ask, and behind that a status below 400 that is no error; by a log, a status below 400.</p>`,
		hopsTable(result),
		result.ledger.edges.length > 0 &&
			html`<h3>Edge by edge</h3><p class="lead">What the caller sent and what the callee received, each by its own record, or by the wire where it keeps none. Unseen: requests and attempts that were sent and that the callee has no record of.</p>${edgesTable(result)}`,
		wireEdges.length > 0 &&
			html`<h3>Edge by edge, on the wire</h3><p class="lead">What became of each call that passed in the load: answered, given up by who asked, broken off by who was asked, or open at the end. With an error are, of those that were answered, what the load took for failed where users ask, and behind that each status from 400 on and each code of an error. Refused are connections, which carried none.</p>${wireTable(wireEdges)}`,
		result.ledger.checks.length > 0 &&
			html`<h3>Conservation</h3><p class="lead">Both sides must be equal, or requests went missing unseen: but for 0.1 %, and for what was still under way when a user gave up, a container ended or the load ended.</p>${checksTable(result)}`,
		// Of a system of one's own where its ids were asked for.
		(scenarioOf(result).written || (!isProgram(result) && result.ledger.writes.acknowledged !== null)) &&
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
			row.left_out ? `${row.source}, without ${count(row.left_out)} that carry no id of a request: health checks and the like` : row.source,
		]),
		{ isCards: true },
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
		{ isCards: true },
	);
}

/** @param {Edge[]} edges  that the wire saw */
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
							markLoss(wire.bad + (wire.client_errors ?? 0)),
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
