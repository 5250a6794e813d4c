/** How often is a callee asked for one request? Who asks it for each row of a page has no slow callee, and is slow all the same. */

import { some } from '../joins/grouped.ts';
import { GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import { kindsOf, middle } from './spread.ts';
import { isThroughout, type Of } from './step.ts';
import { asked, capital, counted } from './text.ts';

/** Fewer are nothing to be told of. */
const MANY_LEAST = 30;
/** More tell no more. */
const LOOKED_AT_MOST = 200;

/**
 * Of good requests of their kinds in calm seconds, when few are in it: where there are many the joins share their calls out otherwise.
 * @returns a sentence of each callee that they ask many times
 */
export function manyEach({ seen, service, failed, calm }: Of<'calm' | 'failed' | 'seen' | 'service'>): string[] {
	const { began, over, kind, sign } = seen;
	const kinds = kindsOf(seen, failed);
	const isCalm = (call: number) => isThroughout(calm, began[call], over[call]);
	const looked = some(
		seen.servedBy(service).filter((call) => kinds.has(kind[call]) && sign[call] === GOOD && isCalm(call)),
		LOOKED_AT_MOST,
	);
	if (looked.length < GOOD_LEAST) return [];
	const what = [...kinds].map(asked).join(', ');
	return seen.calleesOf(service).flatMap((to) => {
		const times = middle(looked.map((request) => seen.childrenOf(request).filter((child) => seen.to[child] === to).length));
		return times < MANY_LEAST
			? []
			: [`${capital(service)} asked ${to} ${counted(times)} times for each ${what} in calm seconds, at the median.`];
	});
}
