/** Did they take long by the number of calls that it made for them? */

import { begunIn, kindsOf, stretchesOf } from './spread.ts';
import { type Of, slownessOf, type Why } from './step.ts';
import { asked } from './text.ts';
import { tell } from './writing.ts';

/** Of the time that they took. */
const SHORT_PART = 0.1;
/** Of calm calls. The lab's own choices: of so many the time may be that much longer. */
const AS_EVER_TIMES = 1.5;
const MANY = 50;
const MANY_TIMES = 2.5;

/**
 * They waited for a callee whose every answer came as soon as ever, and is but a small part of what they took: it is asked again and again.
 */
export function manyCalls(
	step: Of<'awaited' | 'caller' | 'calm' | 'equal_s' | 'failed' | 'moments' | 'seen' | 'service' | 'sign' | 'took_s' | 'waiting'>,
): Why | null {
	const { seen, service, caller, failed, sign, equal_s: equal, took_s: took, awaited: to, waiting } = step;
	if (to === null) return null;
	const slow = slownessOf(step, to);
	if (!slow.isCalm || !slow.isAnswered || slow.now_s > SHORT_PART * took) return null;
	// Of very many in turn each may take somewhat longer than ever: as soon as ever they would still take most of the time.
	const isAsEver = slow.now_s <= AS_EVER_TIMES * slow.calm_s;
	if (!isAsEver && (slow.now_s * MANY > took || slow.now_s > MANY_TIMES * slow.calm_s)) return null;
	const stretches = stretchesOf(failed, seen);
	const lasted = stretches.reduce((sum, { from, to: until }) => sum + until - from, 0);
	const rate = begunIn(seen.onEdge(service, to), stretches, seen).length / Math.max(lasted, took);
	const what = [...kindsOf(seen, failed)].map(asked).join(', ');
	const mean = waiting.callees.find((one) => one.to === to)?.mean ?? 0;
	return {
		mechanism: 'many-calls',
		title: tell('many-calls', 'title', { to, what, number: twoDigits((mean / waiting.standing) * (took / slow.now_s)), each: slow.now_s }),
		basis: 'timed',
		place: { service, edge: { from: service, to } },
		evidence: [
			tell('many-calls', 'waited', {
				...{ service, to, standing: waiting.standing, mean, rate },
			}),
			tell('any', 'took', { to, slow }),
			...(sign === 'given-up' && equal !== null ? [tell('many-calls', 'given-up', { caller, equal })] : []),
		],
	};
}

/** As exact as an estimate from means is. */
const twoDigits = (number: number) => Number(number.toPrecision(2));
