/** The proof: every failure by tier and cause, as the generator saw them, and the books of each tier. */

import { statementsOfFailure } from '../../record/touches.ts';
import type { Edge, Failure, Result } from '../../record/types.js';
import { isProgram, scenarioOf } from '../calibration.ts';
import { doubtMark } from '../doubts.ts';
import { BASES, bytes, count, MISSING, numeric, percent } from '../format.ts';
import type { Html, Piece } from '../html.ts';
import { html } from '../html.ts';
import { cardLabels, table } from '../table.ts';
import { followedNotes } from '../waiting-texts.ts';
import { evidenceList, failureAnchor, proofOf, section, tierChip } from './parts.ts';

/**
 * The failures by tier and cause: how many, how each is known, the chain from trigger to amplifier, and the evidence.
 *
 */

function failureTable(result: Result) {
	const { ledger, metrics } = result;
	if (metrics.failures === 0) return html`<p class="calm">None of the ${scenarioOf(result).noun} failed.</p>`;
	const proof = proofOf(result);
	return html`<div class="scroll" tabindex="0" role="region" aria-label="Failures by tier and cause"><table class="failures cards" style="${cardLabels(['Tier', '', 'Place', 'Cause', 'Count', 'Share'])}">
<thead><tr><th scope="col">Tier</th><th scope="col">Cause</th><th scope="col">How the place is known</th><th scope="col">How the cause is known</th><th scope="col" class="number">Count</th><th scope="col" class="number">Share</th></tr></thead>
${ledger.failures.map((failure, index) => failureRows(failure, { index, proof: index === proof.of ? proof.items : [], mark: doubtMark(result, statementsOfFailure(failure)) }))}
${ledger.unattributed > 0 && unattributedRow(result)}
</table></div>
${followedNotes(result).map((text) => html`<p class="fine">${text}</p>`)}
<p class="fine">Proved means certain. Timed means likely: an event at the same time explains it. Counted means likely: the numbers of calls, answers and failures fit it. Inferred means assumed: no other explanation is left.</p>`;
}

const unattributedRow = ({ ledger, metrics }: Result) =>
	html`<tbody style="${cardLabels(['Tier', '', 'Count', 'Share'])}"><tr><th scope="row">${tierChip('unattributed')}</th><td colspan="3">could not be placed on a tier: ${ledger.unattributed_reason}</td><td class="brief number">${count(ledger.unattributed)}</td><td class="brief number">${percent(ledger.unattributed / metrics.failures)}</td></tr></tbody>`;

const failureRows: (failure: Failure, row: { index: number; proof: Failure['evidence']; mark: Html | null }) => Html = (
	failure,
	{ index, proof, mark },
) => html`<tbody id="${failureAnchor(index)}">
<tr><th scope="row">${tierChip(failure.tier)}<span class="service">${failure.service}</span></th><td>${failure.cause_title}${mark}<span class="service">${failure.cause}</span></td><td class="brief">${basis(failure.basis.where)}</td><td class="brief">${basis(failure.basis.why)}</td><td class="brief number">${count(failure.count)}</td><td class="brief number">${percent(failure.share)}</td></tr>
<tr class="proof"><td colspan="6">${failure.chain && html`<p><span class="label">Chain</span> ${failure.chain}</p>`}<p><span class="label">Rule</span> ${failure.rule}</p>${evidenceList(failure.evidence, proof)}</td></tr>
</tbody>`;

function basis(counts: Record<string, number>) {
	const all = Object.values(counts).reduce((sum, value) => sum + value, 0);
	return BASES.filter((name) => counts[name] > 0).map(
		(name) => html`<span class="known-by ${name}">${name}${counts[name] < all && ` ${percent(counts[name] / all)}`}</span>`,
	);
}

/** k6's codes in words, from https://grafana.com/docs/k6/latest/javascript-api/error-codes/. */
const ERROR_CODES: Record<string, string> = {
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

export function evidenceSection(result: Result) {
	const wireEdges = result.ledger.edges.filter(({ wire }) => wire);
	return section('evidence', 'Evidence', [
		html`<h3>Failures by tier and cause</h3>`,
		failureTable(result),
		result.metrics.failures > 0 && !isProgram(result) && html`<h3>Failures as k6 recorded them</h3>${generatorView(result)}`,
		html`<h3>Requests at each tier</h3><p class="lead">Requests of the load, as each tier counted them. If a tier keeps no counts, the network capture has them. A request with a status below 400 is successful. Exception: if the entry service keeps no counts of its own, the load's checks decide which requests were successful.</p>`,
		hopsTable(result),
		result.ledger.edges.length > 0 &&
			html`<h3>Requests between services</h3><p class="lead">Requests that the caller sent and the callee received, each by its own record. If a service keeps no record, the network capture has the count. Unseen requests were sent, but the callee has no record of them.</p>${edgesTable(result)}`,
		wireEdges.length > 0 &&
			html`<h3>Calls between services</h3><p class="lead">Calls on the network during the load, by their outcome. At the entry, errors are responses that failed the checks of the load. Between services, errors are statuses of 400 or more, and error codes. Refused connections carried no call.</p>${wireTable(wireEdges)}`,
		result.ledger.checks.length > 0 &&
			html`<h3>Conservation of requests</h3><p class="lead">Each row compares two counts that should be equal. A difference above the allowed one means that a record misses requests. A difference of 0.1 % is allowed. The allowed difference also includes requests in flight when a user gave up, a container ended or the load ended.</p>${checksTable(result)}`,
		// Of a system of one's own where its ids were asked for.
		(scenarioOf(result).written || (!isProgram(result) && result.ledger.writes.acknowledged !== null)) &&
			html`<h3>Writes</h3><p class="lead">Writes that were acknowledged to users, compared with the writes found in the database.</p>${writesTable(result)}`,
	]);
}

function generatorView({ failures_by }: Result) {
	const statuses = Object.entries(failures_by.status).map(([status, times]) => [status, count(times)]);
	const codes = Object.entries(failures_by.error_code).map(([code, times]) => [
		html`${code} <span class="service">${ERROR_CODES[code]}</span>`,
		count(times),
	]);
	const kinds = Object.entries(failures_by.kind).map(([kind, times]) => [kind.replaceAll('_', ' '), count(times)]);
	return html`<div class="columns">${countTable('HTTP status', statuses)}${countTable('k6 error code', codes)}${countTable('Error text', kinds)}</div>`;
}

const countTable = (title: string, rows: Piece[][]) =>
	table(`Failures by ${title}`, [{ title }, numeric('Count')], rows.length > 0 ? rows : [['none', MISSING]]);

function hopsTable({ ledger }: Result) {
	return table(
		'Requests at each tier',
		[{ title: 'Tier' }, numeric('Received'), numeric('Successful'), numeric('Errors'), numeric('No response'), { title: 'Counted by' }],
		ledger.hops.map((row) => [
			tierChip(row.tier, row.service),
			count(row.received),
			count(row.answered_ok),
			markLoss(row.answered_error),
			markLoss(row.aborted),
			row.left_out ? `${row.source}; ${count(row.left_out)} requests without an id, such as health checks, are not counted` : row.source,
		]),
		{ isCards: true },
	);
}

function edgesTable({ ledger }: Result) {
	const said = (value: number | null, source: string) => html`${count(value)} <span class="service">${source}</span>`;
	return table(
		'Requests between services',
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

/** @param edges that the wire saw */
const wireTable = (edges: Edge[]) =>
	table(
		'Calls between services',
		[
			{ title: 'Edge' },
			numeric('Calls'),
			numeric('Answered'),
			numeric('Errors'),
			numeric('Given up by caller'),
			numeric('Broken off by callee'),
			numeric('Open at the end'),
			numeric('Refused connections'),
			numeric('Answer not decoded'),
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

const markLoss = (value: number | null) => (value ? html`<b class="loss">${count(value)}</b>` : count(value));

function checksTable({ ledger }: Result) {
	return table(
		'Conservation checks',
		[{ title: 'Statement' }, numeric('Left side'), numeric('Right side'), numeric('Allowed difference'), { title: 'Holds' }],
		ledger.checks.map(({ statement, left, right, may_differ: mayDiffer, holds }) => [
			statement,
			count(left),
			count(right),
			mayDiffer === undefined ? '–' : count(mayDiffer),
			html`<span class="whole">${holds ? '✓ yes' : html`<b class="loss">✕ no</b>`}</span>`,
		]),
	);
}

function writesTable({ ledger: { writes } }: Result) {
	return table(
		'Writes',
		[{ title: 'Writes' }, numeric('Count')],
		[
			['confirmed to a user', count(writes.acknowledged)],
			['found in the database', count(writes.persisted)],
			['found, but never confirmed', count(writes.unacknowledged)],
			['confirmed, but lost', markLoss(writes.lost)],
			['stored more than once', markLoss(writes.duplicated)],
		],
	);
}
