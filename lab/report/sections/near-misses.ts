/** Near misses: what did not fail, but cost. */

import type { Result } from '../../record/types.js';
import { type Html, html } from '../html.ts';
import { evidenceList, section, tierChip } from './parts.ts';

/** @returns null where there were none */
export function nearMissesSection({ ledger: { near_misses: misses } }: Result): Html | null {
	if (misses.length === 0) return null;
	return section(
		'near-misses',
		'Near misses',
		html`<p class="lead">Retries, restarts and delays. Some made users wait. Users did not notice the others.</p>
<ul class="near-misses">${misses.map(
			({ tier, service, text, evidence }) =>
				html`<li>${text.startsWith(`${service} `) ? tierChip(tier) : tierChip(tier, service)} ${text}.${evidence.length > 0 && evidenceList(evidence)}</li>`,
		)}</ul>`,
	);
}
