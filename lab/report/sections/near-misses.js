/**
 * Near misses: what did not fail, but cost.
 *
 * @typedef {import('../../record/result.js').Result} Result
 */
import { html } from '../html.js';
import { evidenceList, section, tierChip } from './parts.js';

/** @param {Result} result @returns {import('../html.js').Html | null} null where there were none */
export function nearMissesSection({ ledger: { near_misses: misses } }) {
  if (misses.length === 0) return null;
  return section(
    'near-misses',
    'Near misses',
    html`<p class="lead">What failed and was made good, or cost time without failing.</p>
<ul class="near-misses">${misses.map(
      ({ tier, service, text, evidence }) =>
        html`<li>${text.startsWith(`${service} `) ? tierChip(tier) : tierChip(tier, service)} ${text}.${evidence.length > 0 && evidenceList(evidence)}</li>`,
    )}</ul>`,
  );
}
