/**
 * The failures by tier and cause: how many, how each is known, the chain from trigger to amplifier, and the evidence.
 *
 * @typedef {import('../../record/result.js').Result} Result
 * @typedef {import('../../record/result.js').Failure} Failure
 */
import { count, percent } from '../format.js';
import { html } from '../html.js';
import { scenarioOf } from '../scenario.js';
import { followedNotes } from '../waiting-texts.js';
import { evidenceList, tierChip } from './parts.js';

/** From the surest to the least sure. */
const BASES = ['proved', 'timed', 'counted', 'inferred'];

/** @param {Result} result */
export function failureTable(result) {
  const { ledger, metrics } = result;
  if (metrics.failures === 0) return html`<p class="calm">None of the ${scenarioOf(result).noun} failed.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Failures by tier and cause"><table class="failures">
<thead><tr><th scope="col">Tier</th><th scope="col">Cause</th><th scope="col">Where</th><th scope="col">Why</th><th scope="col" class="number">Count</th><th scope="col" class="number">Share</th></tr></thead>
${ledger.failures.map((failure) => failureRows(failure))}
${ledger.unattributed > 0 && unattributedRow(result)}
</table></div>
${followedNotes(result).map((text) => html`<p class="fine">${text}</p>`)}
<p class="fine">Proved: by a record of that very request, such as the generator’s of the connection that broke, by its id on the wire, or by a log that has each request that was read and no line of this one. Timed: something that is recorded happened at the same time. Counted: a counter of the run rose. Inferred: nothing else is left.</p>`;
}

/** @param {Result} result */
const unattributedRow = ({ ledger, metrics }) =>
  html`<tbody><tr><th scope="row">${tierChip('unattributed')}</th><td colspan="3">could not be placed on a tier: ${ledger.unattributed_reason}</td><td class="number">${count(ledger.unattributed)}</td><td class="number">${percent(ledger.unattributed / metrics.failures)}</td></tr></tbody>`;

/** @param {Failure} failure */
const failureRows = (failure) => html`<tbody>
<tr><th scope="row">${tierChip(failure.tier)}<span class="service">${failure.service}</span></th><td>${failure.cause_title}<span class="service">${failure.cause}</span></td><td>${basis(failure.basis.where)}</td><td>${basis(failure.basis.why)}</td><td class="number">${count(failure.count)}</td><td class="number">${percent(failure.share)}</td></tr>
<tr class="proof"><td colspan="6">${failure.chain && html`<p><span class="label">Chain</span> ${failure.chain}</p>`}<p><span class="label">Rule</span> ${failure.rule}</p>${evidenceList(failure.evidence)}</td></tr>
</tbody>`;

/** @param {Record<string, number>} counts */
function basis(counts) {
  const all = Object.values(counts).reduce((sum, value) => sum + value, 0);
  return BASES.filter((name) => counts[name] > 0).map(
    (name) => html`<span class="known-by ${name}">${name}${counts[name] < all && ` ${percent(counts[name] / all)}`}</span>`,
  );
}
