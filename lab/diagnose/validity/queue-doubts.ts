/** Whether a queue was empty when the load began: what the warm-up left in it is done in the load, and takes its workers' time. */

import { acceptedIn, leftByWarmup } from '../queue.ts';
import { count, type Doubt, graded, percent } from './grade.ts';
import type { ValidityInput } from './validity.ts';

/** By what the load put in. The thousandth that counts may differ by, and the tenth that a rate may change by: the lab's own choice. */
const WARMUP_LEFT = { suspect: 0.001, invalid: 0.1 };

/** @returns of the whole run */
export function leftInQueue({ facts: { raw, window } }: ValidityInput): Doubt[] {
	if (raw.queued === null) return [];
	const left = leftByWarmup(raw.queued, { window, at: window.from });
	const share = left / Math.max(1, acceptedIn(raw.queued.put, window).length);
	const reason = `${count(left)} writes of the warm-up were not done when the load began, ${percent(share)} of what the load put into the queue`;
	return graded('warm-up-left', share, WARMUP_LEFT, reason);
}
