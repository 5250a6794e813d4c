/**
 * A line of the place's own log as the witness of why calls failed there. One for each of these, and for no other, is the reason: of a cause that is
 * known it is named, before all but a code on the wire and what explains that cause; else its words are quoted first. A line that is only as frequent
 * says why where nothing else does, or of what its mechanism leaves open. Of what a service did by itself without a word of why, one that came first
 * with the first of them is quoted: a breaker that opens says so once.
 */

import type { Mechanism } from '../../record/causes.ts';
import { explains, familyOf } from './graph.ts';
import type { Saying } from './saying.ts';
import type { Why } from './step.ts';

export const CRASHED: Mechanism = 'worker-crashed';
export const CERTIFICATES: Mechanism[] = ['certificate-expired', 'certificate-refused'];

/** Of which any line of its log may say more. */
const OPEN: Set<Why['mechanism']> = new Set([null, 'hung']);
/** What it did, without a word of why. */
const OUTCOMES = new Set(['outcome', 'slow', 'hung']);
/** What a service has no more of, by families: then it takes no connection. */
const LIMITS = ['lacks', 'heap', 'disk', 'certificate', 'pool-full', 'ports', 'workers', 'workers-ended', 'slots'];
/** What leaves open why, with the families of which a line may be as frequent as it likes. */
const LEAVE_OPEN: Partial<Record<Mechanism, string[]>> = {
	'closed-unasked': LIMITS,
	unanswered: LIMITS,
	'accept-backlog-overflow': LIMITS,
	'slots-taken': ['lacks', 'heap'],
	'disk-full': ['lacks', 'heap'],
	gone: ['lacks', 'heap', 'disk'],
	// A collector that finds no room runs all the time.
	busy: ['heap'],
	'cpu-throttled': ['heap'],
};
/** Families of what only tells that no answer came: what was so all the while tells why. */
const UNANSWERED = ['serial', 'slow'];

/** What it says of whom it asks is no reason of its own: it points there. */
const isOfCallee = (cause: Mechanism) => familyOf(cause) === 'callee';

/** Whether a line of a known cause says why. */
export function namesCause(why: Why, { isOfPlace, cause, isOfThese, isState }: Saying) {
	const { mechanism, basis } = why;
	if (!isOfPlace || cause === null || cause === mechanism) return false;
	if (OPEN.has(mechanism)) return true;
	if (isOfCallee(cause)) return false;
	const [found, reported] = [familyOf(mechanism), familyOf(cause)];
	if (mechanism !== null && LEAVE_OPEN[mechanism]?.includes(reported)) return true;
	if (isState && basis === 'inferred' && UNANSWERED.includes(found)) return true;
	return isOfThese && !why.isCoded && !explains(found, reported);
}

/** The line whose words are quoted: it said the same of each of these, and nothing that is known tells more. */
export const quotedOf = (why: Why, said: Saying[]): Saying | undefined => said.find((saying) => isQuoted(why, saying));

function isQuoted(
	{ mechanism, isUnsaid = false, isCoded = false }: Why,
	{ isOfPlace, isOfThese, isThenAlone, isFirst, cause, words }: Saying,
) {
	if (!isOfPlace || words === '' || isCoded) return false;
	// Where nothing is known, what it said then alone is the most that there is.
	if (!isOfThese && !(mechanism === null && isThenAlone) && !(isUnsaid && isFirst)) return false;
	if (cause === null) return true;
	// What is known to be said of others it may have survived, and what was found says as much as a phrase of it.
	return (OUTCOMES.has(familyOf(mechanism)) || isUnsaid) && (cause === mechanism || isOfCallee(cause));
}
