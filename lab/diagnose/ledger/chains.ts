/** The chain from a trigger to the failures that an amplifier made of it, in a sentence. */

import { causes } from '../../record/causes.ts';
import { many } from '../../stats/figure-words.ts';
import type { Facts } from './facts.ts';
import type { Placement, Trace } from './place.ts';

/** @returns null where nothing amplified it */
export function chainOf({ placement, traces }: { placement: Placement; traces: Trace[] }, facts: Facts): string | null {
	const { service, cause, amplifier } = placement;
	if (!amplifier) return null;
	const trigger = `${service.replaceAll(', ', ' and ')}: ${causes[cause].title}`;
	if (amplifier.cause === 'no-live-upstream') {
		const { ejections = [], ejected_s: seconds = null } = facts.entryProxy ?? {};
		const forS = seconds === null ? '' : ` for ${seconds} s at a time`;
		return `${trigger}. ${amplifier.service} then left nodes out${forS} (${many(ejections.length, 'time')}), and turned ${many(traces.length, 'request')} away while none was left.`;
	}
	return `${trigger}. In ${amplifier.service} ${many(traces.length, 'request')} failed of it: ${causes[amplifier.cause].title}.`;
}
