/** Are its connections to a callee all held or all in use, or does one call stand before others on them? */

import { grouped } from '../../base/values.ts';
import { askedBy } from './asked.ts';
import { average, countsAt, isNarrow, kindsOf, type Pool, poolAt, share } from './spread.ts';
import { type Of, slownessOf, type Why } from './step.ts';
import { asked } from './text.ts';
import { tell, type Worded } from './writing.ts';

/** Of a pool's connections: one may be on its way back. */
const HELD_SHARE = 0.8;
const ASKING_SHARE = 0.9;
/** Of the transactions that it keeps open, so many calls to another. */
const WAITED_SHARE = 0.5;
const IDLE_SHARE = 0.9;
/** One connection is no pool, and its being busy says little. */
export const POOL_LEAST = 2;
/** Requests that wait before it, for each connection of it: fewer may be at work without it. */
const BEFORE_SHARE = 0.5;
/** One that waits may be between two steps. */
export const STANDING_LEAST = 1;

export function poolHeld(step: Of<'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'waiting'>): Why | null {
	const { service, waiting } = step;
	for (const pool of poolsOf(step)) {
		const held = pool.states.held + pool.states.unread;
		if (held < HELD_SHARE * pool.total || waiting.own <= BEFORE_SHARE * pool.total) continue;
		const unread = pool.states.unread >= pool.states.held;
		const holder = unread ? null : holderBefore(step, pool);
		if (holder) return holder;
		const meanwhile = unread ? null : waitsBeside(step, service, pool.to, pool.states.held);
		return {
			mechanism: 'pool-held',
			title: tell('pool-held', 'title', { to: pool.to, total: pool.total, meanwhile: meanwhile?.to }),
			basis: 'counted',
			place: { service, edge: { from: service, to: pool.to } },
			evidence: [
				tell('pool-held', 'held', { service, to: pool.to, total: pool.total, held, isUnread: unread }),
				...(meanwhile
					? [
							tell('any', 'meanwhile', { service, ...meanwhile }),
							tell('any', 'took', { to: meanwhile.to, slow: slownessOf(step, meanwhile.to) }),
						]
					: []),
				tell('any', 'stood', { service, standing: waiting.own }),
			],
		};
	}
	return null;
}

/** Who hands transactions on holds none by itself: whoever of its callers keeps as many open does. */
function holderBefore(
	{ seen, service, moments, waiting }: Of<'moments' | 'seen' | 'service' | 'waiting'>,
	{ to, total, states }: Pool,
): Why | null {
	const callers = [...new Set(seen.linesTo(service).map(({ from }) => from))].map((from) => ({
		from,
		held: poolAt(seen, from, service, moments).states.held,
	}));
	const [most] = callers.toSorted((one, other) => other.held - one.held);
	if (!most || most.held < HELD_SHARE * states.held) return null;
	const { from, held } = most;
	const meanwhile = waitsBeside({ seen, moments }, from, service, held);
	return {
		mechanism: 'pool-held',
		title: tell('pool-held', 'before', { service, to, total, held, meanwhile: meanwhile?.to }),
		basis: 'counted',
		place: { service: from, edge: { from, to: service } },
		evidence: [
			tell('pool-held', 'handed-on', { service, to, total, held: states.held, standing: waiting.own }),
			tell('pool-held', 'holder', { service, from, held }),
			...(meanwhile ? [tell('any', 'meanwhile', { service: from, ...meanwhile })] : []),
		],
	};
}

/** Whom else it waits for, as many calls as it holds connections: what it does while it holds them. */
function waitsBeside(
	{ seen, moments }: Of<'moments' | 'seen'>,
	from: string,
	but: string,
	held: number,
): { to: string; mean: number } | null {
	const [most] = seen
		.calleesOf(from)
		.filter((to) => to !== but)
		.map((to) => ({ to, mean: average(countsAt(seen, seen.onEdge(from, to), seen.waited, moments)) }))
		.toSorted((one, other) => other.mean - one.mean);
	return most !== undefined && most.mean >= WAITED_SHARE * held ? most : null;
}

/** @returns of the pool that was closest to being full */
export function nearlyFull(step: Of<'failed' | 'moments' | 'seen' | 'service' | 'waiting'>): Worded | null {
	const { service, waiting } = step;
	const inUse = poolsOf(step)
		.filter(({ total, isFlat, isKept }) => total >= POOL_LEAST && isFlat && isKept)
		.map(({ to, total, states: { asking, held, unread } }) => ({ to, total, used: asking + held + unread }))
		.filter(({ total, used }) => isNarrow(used, ASKING_SHARE * total));
	const [most] = inUse.toSorted((one, other) => other.used / other.total - one.used / one.total);
	if (!most || waiting.own < STANDING_LEAST) return null;
	return tell('pool-full', 'nearly', { service, ...most, least: ASKING_SHARE * most.total });
}

/** @returns connections of it that nobody uses, while requests that would stand in it */
export function poolIdle(
	step: Of<'failed' | 'moments' | 'seen' | 'service' | 'waiting'>,
): { to: string; total: number; said: Worded } | null {
	for (const { to, total, states, isFlat, isKept } of poolsOf(step)) {
		if (total < POOL_LEAST || !isFlat || !isKept || states.idle < IDLE_SHARE * total || step.waiting.own < STANDING_LEAST) continue;
		return {
			...{ to, total },
			said: tell('pool-held', 'idle', { service: step.service, to, total, idle: states.idle }),
		};
	}
	return null;
}

/** All of them ask: its callee decides, if that takes longer than in calm seconds. */
export function poolFull(step: Of<'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'waiting'>): Why | null {
	const { service, waiting } = step;
	for (const pool of poolsOf(step)) {
		const { asking, held, unread } = pool.states;
		if (pool.total < POOL_LEAST || !pool.isFlat || !pool.isKept || asking + held + unread < ASKING_SHARE * pool.total) continue;
		if (waiting.own < STANDING_LEAST) continue;
		const slow = slownessOf(step, pool.to);
		const most = mostFor(step, [pool.to]);
		const evidence = [
			tell('pool-full', 'used', { service, to: pool.to, total: pool.total, standing: waiting.own }),
			...(most === null ? [] : [most.said]),
			tell('any', 'took', { to: pool.to, slow }),
		];
		const full = tell('pool-full', 'title', { to: pool.to, total: pool.total, kind: most?.kind });
		return {
			...{ mechanism: 'pool-full', title: full, full },
			basis: 'counted',
			evidence,
			place: { service, edge: { from: service, to: pool.to } },
			...onward(pool.to, slow),
		};
	}
	return null;
}

/**
 * One kind of its requests for which most of the calls to them go on, though it is asked for by far less: the others wait for what that one keeps.
 */
export function mostFor(
	{ seen, service, moments }: Of<'moments' | 'seen' | 'service'>,
	callees: string[],
): { kind: string; said: Worded } | null {
	const { began, kind, waited, joins } = seen;
	const [from, to] = [moments[0], moments[moments.length - 1]];
	const served = seen.servedBy(service).filter((call) => began[call] <= to && waited[call] >= from && !seen.isAttempt(call));
	const going = callees.flatMap((callee) => seen.onEdge(service, callee)).sort((one, other) => began[one] - began[other]);
	const rows = [...grouped(going, (call) => (joins.parent[call] < 0 ? '' : kind[joins.parent[call]]))]
		.map(([name, calls]) => ({ name, mean: average(countsAt(seen, calls, waited, moments)) }))
		.toSorted((one, other) => other.mean - one.mean);
	const all = rows.reduce((sum, { mean }) => sum + mean, 0);
	const unknown = rows.find(({ name }) => name === '')?.mean ?? 0;
	const [most] = rows;
	if (most === undefined || most.name === '' || unknown > UNKNOWN_SHARE * all || most.mean < KEPT_SHARE * all) return null;
	const part = share(served.filter((call) => kind[call] === most.name).length, served.length);
	if (part > share(most.mean, all) * ASKED_PART) return null;
	const about = { service, kind: asked(most.name) };
	return { kind: about.kind, said: tell('any', 'most-for', { ...about, callees: callees.join(' and '), all, own: most.mean, part }) };
}
/** Of the calls that go on: made for one kind, and for whom is not known; and of that share, how often the kind is asked for. */
const KEPT_SHARE = 0.6;
const UNKNOWN_SHARE = 0.2;
const ASKED_PART = 1 / 2;

/** Of callees that requests of the failed ones' kinds ask: others are nothing that these wait for. */
const poolsOf = ({ seen, service, failed, moments }: Of<'failed' | 'moments' | 'seen' | 'service'>) =>
	askedBy(seen, service, kindsOf(seen, failed))
		.map((to) => poolAt(seen, service, to, moments))
		.filter(({ total }) => total >= 1)
		.toSorted((one, other) => other.total - one.total);

export const onward = (to: string, { isSlower, isCalm }: ReturnType<typeof slownessOf>): Pick<Why, 'onTo' | 'doubts'> => ({
	...(isSlower ? { onTo: to } : {}),
	...(isCalm ? {} : { doubts: [tell('any', 'quickest-alone', { to })] }),
});
