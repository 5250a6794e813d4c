/** The faults that the user put in, and the load's surge: how the service was before, during and after each. */

import type { Result } from '../../record/types.js';
import { doubtMark } from '../doubts.ts';
import { faultMark, faultOutcome, figure } from '../format.ts';
import { type Html, html } from '../html.ts';
import { section } from './parts.ts';

/** @returns null where none was put in */
export function putFaultsSection(result: Result): Html | null {
	const faults = result.faults;
	if (faults.length === 0) return null;
	return section(
		'faults',
		html`Faults and surges${doubtMark(result, ['fault-effects'])}`,
		html`<p class="lead">Injected faults, hosts that were down or drained, and surges of the load. Every chart marks them. The rate before a fault is the median rate of up to 10 seconds before it. The system has recovered when it serves at least 90 % of that rate for 3 s in a row. The diagnosis does not use what this section says.</p>
<ul class="near-misses">${faults.map(
			(effect, index) =>
				html`<li><b>${faultMark(index)}</b> <code>${effect.text}</code>, seconds ${figure(effect.began_s)} to ${figure(effect.ended_s)}: ${faultOutcome(effect)}.</li>`,
		)}</ul>`,
	);
}
