/** Had it no connection left to give? A pool that makes nobody wait fails a request at once, without asking anybody. */

import { some } from '../joins/grouped.ts';
import { askedBy } from './asked.ts';
import { once } from './seen.ts';
import { CLOCK_S, kindsOf, share, stateAt, within } from './spread.ts';
import { type Of, slownessOf, type Why } from './step.ts';
import { onward, POOL_LEAST } from './why-full.ts';
import { isUnasked } from './why-own.ts';
import { tell } from './writing.ts';

/** Of the failed, and of the good as a part of that. */
const FULL_SHARE = 0.9;
const GOOD_PART = 1 / 3;
/** Of the connections that were in use: most are held, and nothing is asked on them. */
const MOSTLY_HELD_SHARE = 0.5;
const LOOKED_AT_MOST = 200;

export function poolExhausted(
	step: Of<'asked' | 'calm' | 'failed' | 'good' | 'good_s' | 'moments' | 'path' | 'seen' | 'service' | 'sign' | 'took_s'>,
): Why | null {
	const { seen, service, failed } = step;
	if (!isUnasked(step)) return null;
	const callees = askedBy(seen, service, kindsOf(seen, failed)).filter((to) => !step.path.includes(to));
	return callees.map((to) => exhausted(step, to)).find((why) => why !== null) ?? null;
}

function exhausted(step: Of<'asked' | 'calm' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign'>, to: string): Why | null {
	const { seen, service, failed, good, sign } = step;
	const total = mostOpen(seen, service, to);
	if (total < POOL_LEAST) return null;
	const at = usedAt(step, to, failed);
	const isFull = ({ open, used }: Used) => open >= total && used >= open;
	const part = share(at.filter(isFull).length, at.length);
	const goodPart = share(usedAt(step, to, good).filter(isFull).length, Math.min(good.length, LOOKED_AT_MOST));
	if (part < FULL_SHARE || goodPart > part * GOOD_PART) return null;
	const full = at.filter(isFull);
	const mean = (of: (used: Used) => number) => full.reduce((sum, one) => sum + of(one), 0) / full.length;
	const held = mean((one) => one.held);
	const isHeld = held >= MOSTLY_HELD_SHARE * mean(({ used }) => used);
	const slow = slownessOf(step, to);
	const further = onward(to, slow);
	return {
		mechanism: isHeld ? 'pool-held' : 'pool-full',
		title: tell(isHeld ? 'pool-held' : 'pool-full', 'at-once', { sign, to, total }),
		...(isHeld ? {} : { full: tell('pool-full', 'title', { to, total }) }),
		basis: isHeld ? 'counted' : 'inferred',
		place: { service, edge: { from: service, to } },
		evidence: [
			tell('pool-full', 'when', { service, to, total, part, failed: failed.length, goodPart }),
			isHeld ? tell('pool-held', 'part', { held }) : tell('any', 'took', { to, slow }),
			tell('pool-full', 'asked', { service, part: step.asked.failed, goodPart: step.asked.good ?? 0 }),
		],
		// Whoever turns requests away by a number of its own does so when it is busy too.
		...(isHeld ? {} : { ...further, doubts: [tell('pool-full', 'limit', {}), ...(further.doubts ?? [])] }),
	};
}

/** connections of the edge when a request came */
type Used = { open: number; used: number; held: number };

function usedAt({ seen, service }: Of<'seen' | 'service'>, to: string, calls: number[]): Used[] {
	const at = some(calls, LOOKED_AT_MOST)
		.map((call) => seen.began[call] - CLOCK_S)
		.sort((one, other) => one - other);
	const found = at.map(() => ({ open: 0, used: 0, held: 0 }));
	for (const line of linesOf(seen, service, to))
		for (const index of within(line, at)) {
			const state = stateAt(seen, line, at[index]);
			if (state === null) continue;
			found[index].open += 1;
			if (state !== 'idle') found[index].used += 1;
			if (state === 'held') found[index].held += 1;
		}
	return found;
}

/** Of the load and its warm-up, as far as anything was asked on them. */
const linesOf = once((seen, from, to) =>
	seen
		.lines(from, to)
		.filter(
			({ calls, connection: { transport, ended_at: ended } }) =>
				transport === 'tcp' && calls.length > 0 && (ended ?? seen.until) >= seen.load.warmupFrom,
		),
);

/** At a time. */
const mostOpen = once((seen, from, to) => {
	const changes = linesOf(seen, from, to)
		.flatMap(({ connection: { opened_at: opened, ended_at: over } }) => [
			{ at: opened, by: 1 },
			...(over === null ? [] : [{ at: over, by: -1 }]),
		])
		.toSorted((one, other) => one.at - other.at || one.by - other.by);
	let [open, most] = [0, 0];
	for (const { by } of changes) {
		open += by;
		most = Math.max(most, open);
	}
	return most;
});
