/**
 * The bottleneck of a user's own system whose failed requests were followed: what binds is what they waited for, not whatever was at a limit
 * meanwhile.
 */

import { causes } from '../../record/causes.ts';
import type { Ledger, Result, Waiting, WaitingFinding } from '../../record/types.js';
import { count, percent } from '../../stats/figure-words.ts';

/** What a service does by itself, for whatever reason. */
const OF_ITSELF: Set<WaitingFinding['mechanism']> = new Set([null, 'own-error', 'broken-off', 'closed-unasked', 'hung']);

/** @returns null where no failed request was followed */
export function bottleneckFollowed(
	waiting: Waiting | null,
	{ failures: [worst] }: Pick<Ledger, 'failures'>,
): { bottleneck: Result['bottleneck']; reason: string } | null {
	const [first] = waiting?.findings ?? [];
	if (!waiting || !first || !worst) return null;
	const what = `${worst.service}: ${worst.cause_title}`;
	if (!causes[worst.cause].limit)
		return {
			bottleneck: null,
			reason: `most failed requests ended at ${what}; ${OF_ITSELF.has(first.mechanism) ? 'whether a limit of its own was reached there is not on record' : 'this cause is no limit of capacity'}`,
		};
	return {
		bottleneck: { tier: worst.tier, service: worst.service, evidence: [what] },
		reason: `${count(worst.count)} failed requests (${percent(worst.share)}) ended at ${worst.service}`,
	};
}
