/** Are its connections to a callee all held or all in use, or does one call stand before others on them? */

import { grouped } from '../../base/values.ts';
import { leading } from '../../stats/numbers.ts';
import { some } from '../joins/rules.ts';
import { askedBy } from './asked.ts';
import { once } from './seen.ts';
import type { Pool } from './spread.ts';
import { average, CLOCK_S, countsAt, isNarrow, kindsOf, middle, mostFirst, poolAt, share, stateAt, within } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { slownessOf } from './step.ts';
import { asked } from './text.ts';
import { isUnasked } from './why-own.ts';
import type { Worded } from './writing.ts';
import { tell } from './writing.ts';

/** Of a pool's connections: one may be on its way back. The lab's own choice. */
const HELD_SHARE = 0.8;
const ASKING_SHARE = 0.9;
/** Of the transactions that it keeps open, so many calls to another. The lab's own choice. */
const WAITED_SHARE = 0.5;
const IDLE_SHARE = 0.9;
/** One connection is no pool, and its being busy says little. */
const POOL_LEAST = 2;
/** Requests that wait before it, for each connection of it: fewer may be at work without it. */
const BEFORE_SHARE = 0.5;
/** One that waits may be between two steps. */
export const STANDING_LEAST = 1;
const MOMENTS_MOST = 100;

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
/** Of the calls that go on: made for one kind, and for whom is not known; and of that share, how often the kind is asked for. The lab's own choices. */
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

/*
 * Had it no connection left to give? A pool that makes nobody wait fails a request at once, without asking anybody.
 */

/** Of the failed, and of the good as a part of that. The lab's own choices. */
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

/*
 * Did its calls stand in one line? On a connection that is shared, and whose answers come in the order of the questions, what is sent behind a
 * call that waits on purpose waits for its end too.
 */

/** A line is not looked at further back. */
const LINE_MOST = 256;
/** Of the moments of the failed; of those, that have one kind first. The lab's own choices, as are the numbers below. */
const BLOCKED_SHARE = 0.5;
const KIND_SHARE = 0.8;
/** Of that share, in calm seconds. */
const CALM_PART = 1 / 3;
/** What waited for the first one's end alone is answered with it. */
const WITH_S = 0.05;
const WITH_SHARE = 0.9;
/** Those that are not behind it are so many times as quick. */
const ALONE_TIMES = 5;
const ALONE_LEAST = 20;

export function behindOne(step: Of<'calm' | 'moments' | 'path' | 'seen' | 'service' | 'waiting'>): Why | null {
	const { seen, service, path } = step;
	const callees = seen.calleesOf(service).filter((to) => to !== service && !path.includes(to));
	return callees.map((to) => behindOn(step, to)).find((why) => why !== null) ?? null;
}

function behindOn(
	{ seen, service, moments, calm, waiting }: Of<'calm' | 'moments' | 'seen' | 'service' | 'waiting'>,
	to: string,
): Why | null {
	const { began, over, kind } = seen;
	const looked = some(moments, MOMENTS_MOST);
	const rows = looked.map((at) => rowsAt(seen, service, to, at));
	const blocked = rows.filter((lines) => lines.length > 0);
	if (share(blocked.length, looked.length) < BLOCKED_SHARE) return null;
	const lines = blocked.flat();
	const [[name, own]] = mostFirst(lines, ({ first }) => kind[first]);
	const behind = [...new Set(own.flatMap((line) => line.behind))];
	const mean = own.reduce((sum, line) => sum + line.behind.length, 0) / looked.length;
	if (own.length < KIND_SHARE * lines.length || mean < BLOCKED_SHARE * waiting.standing) return null;
	const firsts = [...new Set(own.map(({ first }) => first))];
	const firstOf = new Map(own.flatMap((line) => line.behind.map((call) => [call, line.first])));
	const ended = behind.filter((call) => over[call] < seen.until);
	const withFirst = ended.filter((call) => Math.abs(over[call] - over[firstOf.get(call) ?? call]) <= WITH_S);
	if (ended.length === 0 || withFirst.length < WITH_SHARE * ended.length) return null;
	const still = some(calm, MOMENTS_MOST);
	const usual = share(still.filter((at) => rowsAt(seen, service, to, at).some(({ first }) => kind[first] === name)).length, still.length);
	if (usual > share(blocked.length, looked.length) * CALM_PART) return null;
	const [theirs, isBehind] = [kindsOf(seen, behind), new Set(behind)];
	const took = (calls: number[]) => middle(calls.map((call) => over[call] - began[call]));
	const alone = seen.onEdge(service, to).filter((call) => theirs.has(kind[call]) && kind[call] !== name && !isBehind.has(call));
	if (alone.length < ALONE_LEAST || took(alone) * ALONE_TIMES > took(behind)) return null;
	return {
		mechanism: 'held-by-one',
		title: tell('held-by-one', 'line', { to, kind: asked(name) }),
		basis: 'counted',
		place: { service, edge: { from: service, to } },
		evidence: [
			tell('held-by-one', 'behind', { service, to, kind: asked(name), part: share(blocked.length, looked.length), usual, mean }),
			tell('held-by-one', 'with', {
				...{ firsts: firsts.length, took: took(firsts), part: share(withFirst.length, ended.length), within: WITH_S },
			}),
			tell('held-by-one', 'alone', { took: took(alone) }),
		],
	};
}

/** @returns of connections on which several calls wait for an answer */
function rowsAt(seen: Step['seen'], from: string, to: string, at: number): { first: number; behind: number[] }[] {
	const { began, waited } = seen;
	return seen.lines(from, to).flatMap(({ calls }) => {
		const begun = leading(calls, (call) => began[call] <= at);
		const going = calls.slice(Math.max(0, begun - LINE_MOST), begun).filter((call) => waited[call] > at && !seen.isAttempt(call));
		return going.length < 2 ? [] : [{ first: going[0], behind: going.slice(1) }];
	});
}
