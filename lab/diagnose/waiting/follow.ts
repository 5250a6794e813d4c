/**
 * Follows requests that failed to where they failed: from the entry, at each service, along the edge on which a bad call goes with them, else
 * along the one on which they waited, to the service that waited for nobody; and asks there why.
 */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import { isByTurns, unreadBytes } from '../../wire/turns.ts';
import { BY_ID } from '../joins/rules.ts';
import type { Parted } from './along.ts';
import { alone, goingAt, goodBeside, inOrder, pairsOf, partedRoots, rootsOf } from './along.ts';
import type { Bound } from './asked.ts';
import { GOOD_LEAST } from './asked.ts';
import { reasonOf } from './choose.ts';
import { manyEach } from './many-each.ts';
import { missedBefore } from './missed-before.ts';
import { whyHere, whyLimited, whyUnreached } from './questions.ts';
import type { Seen } from './seen.ts';
import { GOOD, once } from './seen.ts';
import type { FailedKind } from './spread.ts';
import { countBegun, equalTime, middle, mostFirst, share } from './spread.ts';
import type { Basis, Step, Why } from './step.ts';
import { areOthersQuick, calmAt, calmCount, isAsSoonAsGood, isAtOnce, isBrokenOff, isOwn, slownessOf, stepOf } from './step.ts';
import { counted, ended, few, percent, seconds, tookText } from './text.ts';
import { circle, stands } from './why.ts';
import { notGiven } from './why-awaited.ts';
import { poolFull, poolHeld } from './why-full.ts';
import { tornOff } from './why-limit.ts';
import { whyPassedOn } from './why-passed.ts';
import { awaitedPush, whyNotGiven, whyNotPushed } from './why-push.ts';
import { isSurvivable } from './why-tried.ts';
import { workersTaken } from './why-workers.ts';
import type { Said } from './writing.ts';
import { tell } from './writing.ts';

/** of the way */
type Hop = {
	/** that was asked */
	service: string;
	edge: { from: string; to: string };
	/** how the calls ended, in words */
	said: string;
	/** share of the failed requests that have such a call, 0 to 1; null where they were followed by where they waited */
	failed: number | null;
	/** of the good; null where there were too few to compare with */
	good: number | null;
	/** how it is known that the calls are theirs; before: they are not, and nobody was asked since */
	by: 'request' | 'id' | 'order' | 'within' | 'count' | 'waiting' | 'before' | 'push';
};

export type End = {
	/** failed requests of the load */
	roots: number[];
	/** of them, those of which nothing on the way is known: they went by with the others */
	loose: Set<number>;
	/** beside: services of which the same is so */
	place: { service: string; edge: { from: string; to: string } | null; beside: string[] };
	/** calls of the last service on the way, for which this is the end */
	failed: number[];
	chain: Hop[];
	why: Why;
	/** of the place */
	basis: Basis;
	/** its caller waited no longer */
	isGivenUp: boolean;
	/** the last of these on the way */
	through: Through | null;
	/** on the way */
	tries: Tries | null;
	/** of the mechanism, then what was met on the way */
	evidence: Said[];
	doubts: Said[];
	/** a line of the place's own log tells why, and is the first of the evidence where there is one for each of them; words: empty where a cause is named for them */
	log?: { words: string; is_each: boolean; is_first?: boolean };
};

type At = Pick<Step, 'service' | 'caller' | 'path' | 'failed' | 'good'> & Parted & Reported;

/** on the way */
type Reported = { chain: Hop[]; evidence: Said[]; doubts: Said[]; through: Through | null; tries: Tries | null };

/**
 * of what a service had none left while it waited for its callee, or what brought so many
 * to it
 */
export type Through = { text: Said; evidence: Said };

/** who asked again; calls for each request, and in calm seconds */
type Tries = { by: string[]; each: number; usual: number };

type Given = Pick<Step, 'seen' | 'readings' | 'calm' | 'lost' | 'codeCause'>;

/** Services one behind another; a stack has fewer. */
const DEPTH_MOST = 16;
/** What is left of the failed when those with a bad call are gone, so that it is followed by itself: a share, and a number. */
const REST_SHARE = 0.3;
export const FOLLOWED_LEAST = 5;
/** Of joins that may be another request's, so that it is said. */
const AMBIGUOUS_SHARE = 0.2;
/** Of a hop's joins, so that it counts as one by ids. */
const BY_ID_SHARE = 0.9;
/** Calls of one request, as compared with calm and with one: retries. Of fewer it may be that only such as fail make the call at all. */
const MORE_CALLS_TIMES = 2;
/** Of all requests of the time: of fewer failed ones, what the others ask more or less hides theirs. */
const MORE_CALLS_SHARE = 0.1;

export function entryOf(seen: Seen, { service, sign, calls }: FailedKind, good: number[]): At {
	return {
		...{
			service,
			caller: GENERATOR_NAME,
			path: [GENERATOR_NAME],
			failed: calls,
			good,
			roots: calls,
			rootOf: new Map(calls.map((call) => [call, call])),
			loose: new Set(),
			evidence: [],
			doubts: [],
			tries: null,
			through: null,
		},
		chain: [{ service, edge: { from: GENERATOR_NAME, to: service }, said: saidOf(seen, calls, sign), failed: 1, good: 0, by: 'request' }],
	};
}

export function follow(given: Given, at: At): End[] {
	const step = stepOf({ ...given, ...at });
	const isDeep = at.path.length >= DEPTH_MOST;
	const unreached = whyUnreached(step);
	if (unreached) return isDeep ? [endOf(step, at, unreached)] : onward(given, step, at, unreached);
	if (!isDeep && step.asked.edges.length > 0 && !isSurvivable(step)) {
		const before = beforeGivenUp(step);
		if (before !== null) return [endOf(step, at, before)];
		const ends = alongBad(given, at, step);
		if (ends !== null) return unlessTorn(step, at, ends);
	}
	const to = isDeep || isOwn(step) || isBrokenOff(step) ? null : waitedFor(step);
	step.awaited = to;
	const full = to === null ? null : slotsFull(step, to);
	if (full !== null) return [endOf(step, at, full)];
	const limited = whyLimited(step);
	const before = to === null || limited !== null ? null : stoodBefore(step, to);
	if (before !== null && before.onTo === undefined) return [endOf(step, at, before)];
	if (to !== null && limited === null) return unlessTorn(step, at, follow(given, alongWaiting(step, at, to, before)));
	const awaited = limited !== null || isDeep || isAtOnce(step) || isAsSoonAsGood(step) || isBrokenOff(step) ? null : awaitedPush(step);
	const unpushed = awaited && whyNotPushed(step, awaited);
	const unread = limited !== null || isDeep || isAtOnce(step) || isAsSoonAsGood(step) || unpushed ? null : notGiven(step);
	if (unpushed) return [endOf(step, alongPush(step, at, awaited.to), unpushed)];
	if (unread) return [endOf(step, at, unread)];
	const why = limited ?? whyNotGiven(step) ?? whyPassedOn(step) ?? whyHere(step);
	return isDeep ? [endOf(step, at, why)] : onward(given, step, at, why);
}

/** @returns there, or where it says to look further */
function onward(given: Given, step: Step, at: At, why: Why): End[] {
	const { onTo, tried, evidence, doubts = [] } = why;
	if (onTo === undefined || at.path.includes(onTo) || onTo === at.service) return [endOf(step, at, why)];
	return follow(
		given,
		tried ? alongTried(step, { ...at, doubts: [...at.doubts, ...doubts] }, onTo, tried, evidence) : alongWaiting(step, at, onTo, why),
	);
}

/** Hardly any of these had come so far as to ask it: they stood before what was full of those that had. */
function stoodBefore(step: Step, to: string): Why | null {
	const { seen, failed } = step;
	const askers = failed.filter((call) => seen.childrenOf(call).some((child) => seen.to[child] === to));
	if (share(askers.length, failed.length) > ASKERS_MOST) return null;
	const why = reasonOf([poolHeld(step), poolFull(step), workersTaken(step)]);
	return why?.mechanism === 'pool-held' || why?.onTo === to ? why : null;
}
/** Of the failed: joins by order give some the calls of others. */
const ASKERS_MOST = 0.5;

/** They asked nobody: it had asked before, for others. */
function alongTried(step: Step, at: At, to: string, tried: number[], evidence: Said[]): At {
	const { seen, service } = step;
	const edge = { from: service, to };
	return {
		...{ service: to, caller: service, path: [...at.path, service], failed: inOrder(seen, tried), good: goodBeside(step, to, tried) },
		...{ roots: at.roots, rootOf: new Map(), loose: at.loose },
		chain: [...at.chain, { service: to, edge, said: saidOf(seen, tried, seen.sign[tried[0]]), failed: null, good: null, by: 'before' }],
		evidence: [...at.evidence, ...evidence],
		doubts: at.doubts,
		tries: at.tries,
		through: at.through,
	};
}

/** @returns callee for which more of the failed waited than stood in the service itself */
function waitedFor(step: Step): string | null {
	const { waiting, path, service } = step;
	const [most] = waiting.callees.filter(({ to }) => to !== service && !path.includes(to));
	if (!most || most.mean <= waiting.own) return null;
	// It waits as good requests do, and then answers otherwise.
	return isAsSoonAsGood(step) && !slownessOf(step, most.to).isSlower ? null : most.to;
}

/**
 * Its slots are all taken, and whom they wait for is as quick as in calm: who waited for one was too late for an answer that came as ever.
 */
function slotsFull(step: Step, to: string): Why | null {
	const { seen, service, failed, calm } = step;
	const slow = slownessOf(step, to);
	if (!slow.isCalm || slow.isSlower || areOthersQuick(step)) return null;
	// The last call before a calm moment may be one that was waited for too: those count that were asked in calm seconds.
	const kinds = new Set(failed.flatMap(seen.childrenOf).map((call) => (seen.to[call] === to ? seen.kind[call] : '')));
	const isCalm = calmAt(calm);
	const usual = seen.onEdge(service, to).filter((call) => kinds.has(seen.kind[call]) && isCalm(seen.began[call]));
	if (usual.length < GOOD_LEAST || slow.now_s > AS_EVER_TIMES * middle(usual.map((call) => seen.over[call] - seen.began[call])))
		return null;
	const why = reasonOf([poolFull(step), workersTaken(step)]);
	// Its workers may be held by what waits for nobody.
	return why?.place !== undefined && (why.place.edge ?? { to }).to === to ? why : null;
}
/** Of calm calls: less than what counts as slower, since here it is said that they are not. */
const AS_EVER_TIMES = 1.5;

/**
 * Their own time ran out, so that the calls that were still made for them were given up too: what they had stood before by then tells why.
 */
function beforeGivenUp(step: Step): Why | null {
	const [{ to }, ...others] = step.asked.edges;
	return others.length > 0 || step.asked.edges.some(({ sign }) => sign !== 'given-up') || step.path.includes(to) || isAtOnce(step)
		? null
		: slotsFull(step, to);
}

/**
 * Where nothing is wrong with whom it waited for, but that they took long.
 * @param ends at these
 */
function unlessTorn(step: Step, at: At, ends: End[]): End[] {
	const why = ends.some(({ why: { mechanism } }) => mechanism !== null) ? null : tornOff(step);
	return why === null ? ends : [endOf(step, at, { ...why, evidence: [...why.evidence, ...ends.flatMap(({ evidence }) => evidence)] })];
}

/** @returns null where the few bad calls may all be other requests': then they tell nothing */
function alongBad(given: Given, at: At, step: Step): End[] | null {
	const { seen, service, failed, asked, path } = step;
	// Of several bad calls of a request, the last: others were tried again.
	const last: Map<number, number> = new Map();
	for (const { matched } of asked.edges)
		for (const [request, call] of matched) {
			const known = last.get(request);
			if (known === undefined || seen.over[call] > seen.over[known]) last.set(request, call);
		}
	const onward = [...grouped([...last.values()], (call) => JSON.stringify([seen.to[call], seen.sign[call]]))]
		.map(([key, calls]) => ({ edge: asked.edges.find(({ to, sign }) => key === JSON.stringify([to, sign])), calls }))
		.filter(({ edge }) => edge !== undefined && !path.includes(edge.to) && edge.to !== service);
	const groups = onward.filter(
		({ edge, calls }) => edge?.good === 0 || calls.length >= FOLLOWED_LEAST || !calls.every((call) => seen.joins.ambiguous[call] === 1),
	);
	const rest = failed.filter((call) => !last.has(call));
	const isApart = rest.length >= FOLLOWED_LEAST && rest.length >= REST_SHARE * failed.length;
	if (groups.length === 0) return onward.length > 0 ? null : [endOf(step, at, circle(step) ?? stands(step))];
	const parted = partedRoots(at, [...groups.map(({ calls }) => pairsOf(last, calls)), ...(isApart ? [rest.map(alone)] : [])]);
	const ends = groups.flatMap(({ edge, calls }, index) => {
		const { to, sign, failed: part, good, by } = edge as Bound;
		const again = triesAgain(step, to, at.tries);
		const { basis, ambiguous: isAmbiguous } = seen.joins;
		const byId = share(calls.filter((call) => basis[call] === BY_ID && isAmbiguous[call] === 0).length, calls.length) >= BY_ID_SHARE;
		const ambiguous = share(calls.filter((call) => isAmbiguous[call] === 1).length, calls.length);
		return follow(given, {
			...{ service: to, caller: service, path: [...path, service], failed: inOrder(seen, calls), good: goodBeside(step, to, calls) },
			...parted[index],
			through: (sign === 'given-up' ? missedBefore(step, to) : null) ?? at.through,
			chain: [
				...at.chain,
				{
					service: to,
					edge: { from: service, to },
					said: saidOf(seen, calls, sign),
					failed: part,
					good,
					by: by === 'join' ? (byId ? 'id' : 'order') : by,
				},
			],
			tries: again?.tries ?? at.tries,
			evidence: [...at.evidence, ...(again ? [again.text] : [])],
			doubts: [
				...at.doubts,
				...(good === null
					? [`too few requests of the kind went well in ${service}: whether they have bad calls to ${to} too is not known`]
					: []),
				// Where no good request has one, they are at most another failed one's.
				...(by === 'join' && ambiguous >= AMBIGUOUS_SHARE && good !== 0
					? [`${percent(ambiguous)} of the calls of ${service} to ${to} may belong to other requests`]
					: []),
			],
		});
	});
	return isApart ? [...ends, ...follow(given, { ...at, failed: rest, ...(parted.at(-1) as Parted) })] : ends;
}

function alongWaiting(step: Step, at: At, to: string, why: Why | null): At {
	const { seen, service, failed, took_s: took, waiting } = step;
	const own = failed.flatMap((call) => seen.childrenOf(call).filter((child) => seen.to[child] === to));
	const isLong = (call: number) => seen.sign[call] !== GOOD || seen.over[call] - seen.began[call] >= took / 2;
	const theirs = own.filter(isLong);
	const calls = theirs.length * 2 >= failed.length ? theirs : goingAt(step, to, isLong);
	const [[sign] = ['']] = mostFirst(calls, (call) => seen.sign[call]);
	const waited = waiting.callees.find((one) => one.to === to);
	const slow = slownessOf(step, to);
	const again = triesAgain(step, to, at.tries);
	const isSlow = sign === GOOD && slow.isSlower && slow.isCalm;
	return {
		...{
			service: to,
			caller: service,
			path: [...at.path, service],
			failed: inOrder(seen, calls),
			good: goodBeside(step, to, calls),
			...{ roots: at.roots, rootOf: theirs === calls ? rootsOf(at, seen, calls) : new Map(), loose: at.loose },
		},
		chain: [
			...at.chain,
			{
				service: to,
				edge: { from: service, to },
				said: isSlow ? slowSaid(slow) : saidOf(seen, calls, sign),
				failed: null,
				good: null,
				by: 'waiting',
			},
		],
		evidence: [
			...at.evidence,
			...(why?.evidence ?? [
				`${few(waiting.standing)} requests were in ${service}, which waited for ${few(waited?.mean ?? 0)} answers of ${to}.`,
				tookText(to, slow),
			]),
			...(again ? [again.text] : []),
		],
		doubts: at.doubts,
		tries: again?.tries ?? at.tries,
		through: why?.full
			? { text: tell('any', 'did', { service, what: why.full }), evidence: why.evidence[0] }
			: (missedBefore(step, to) ?? at.through),
	};
}

const slowSaid = ({ now_s: now, calm_s: calm }: ReturnType<typeof slownessOf>) =>
	`it took ${seconds(now)} to answer, and ${seconds(calm)} in calm seconds`;

/** They wait there without a call. */
const alongPush = ({ service }: Step, at: At, to: string): At => ({
	...at,
	chain: [...at.chain, { service: to, edge: { from: service, to }, said: 'pushed nothing to them', failed: null, good: null, by: 'push' }],
});

/**
 * Three where there was one are tries again: counted over all requests of the time, since joins by order may find but one of them.
 * @param before on the way
 */
function triesAgain({ seen, service, failed, time, calm }: Step, to: string, before: Tries | null): { text: string; tries: Tries } | null {
	const [served, made] = [seen.servedBy(service), seen.onEdge(service, to)];
	const countDuring = (calls: number[]) => countBegun(seen, calls, time.from, time.to);
	if (failed.length < MORE_CALLS_SHARE * countDuring(served)) return null;
	const usual = share(calmCount(seen, made, calm), calmCount(seen, served, calm));
	const now = (countDuring(made) - usual * (countDuring(served) - failed.length)) / failed.length;
	if (usual === 0 || now < MORE_CALLS_TIMES * Math.max(1, usual)) return null;
	const each = share(countDuring(made), countDuring(served));
	return {
		text: `${service} made ${counted(countDuring(made))} calls to ${to} for the ${counted(countDuring(served))} requests that it had while requests failed: ${few(each)} for each, and ${few(usual)} in calm seconds.`,
		tries: { by: [...(before?.by ?? []), service], each: each * (before?.each ?? 1), usual: usual * (before?.usual ?? 1) },
	};
}

function saidOf({ over, began }: Seen, calls: number[], sign: string): string {
	const equal = equalTime(calls.map((call) => over[call] - began[call]));
	return `${ended(sign)}${equal === null ? '' : `, after ${seconds(equal)}`}`;
}

function endOf(step: Step, at: At, why: Why): End {
	const { seen, service, readings } = step;
	const place = { service: why.place?.service ?? service, edge: why.place?.edge ?? null, beside: why.place?.beside ?? [] };
	const hidden = seen.calleesOf(service).flatMap((to) => {
		const bytes = seen.lines(service, to).reduce((sum, { connection }) => sum + unreadBytes(connection), 0);
		return bytes > 0
			? [`${counted(bytes)} bytes between ${service} and ${to} could not be read: what ${service} waited for there is not known`]
			: [];
	});
	const edges = [...at.chain.map(({ edge }) => edge), ...seen.calleesOf(service).map((to) => ({ from: service, to }))];
	const isRead = readings.names.includes(service) || readings.names.length === 0 || seen.outside.has(service);
	return {
		...{ roots: at.roots, loose: at.loose, failed: step.failed, place, chain: at.chain, why, basis: basisOf(step, at, why, place.service) },
		isGivenUp: step.sign === 'given-up' && !isAtOnce(step),
		through: at.through,
		tries: at.tries,
		// What tells the mechanism, then how they came there.
		evidence: [...why.evidence, ...at.evidence, ...(place.service === service ? manyEach(step) : [])],
		doubts: [
			...new Set([
				...at.doubts,
				...(why.doubts ?? []),
				...(why.mechanism === null ? hidden : []),
				...edges.filter(({ from, to }) => isReportedByTurns(seen, from, to)).map(byTurnsText),
				...(isRead ? [] : [`CPU and accept queue of ${service} were not read`]),
			]),
		],
	};
}

/** Whether the protocol of calls on an edge is not read. */
const isReportedByTurns = once(({ lines }, from, to) => lines(from, to).some(({ connection }) => isByTurns(connection)));

const byTurnsText = ({ from, to }: { from: string; to: string }) =>
	`calls of ${from} to ${to} are told by turns, since their protocol is not read: an error in an answer is not seen`;

/** Of all its calls. */
const byIdShare = once(({ madeBy, joins }, service) =>
	share(madeBy(service).filter((call) => joins.basis[call] === BY_ID).length, madeBy(service).length),
);

/** Where each hop is known by an id, a record of the very request stands at the place. */
function basisOf(step: Step, { chain }: At, { basis, where = basis }: Why, place: string): Basis {
	const { seen, service, asked } = step;
	const isById = chain.every(({ by }) => by === 'request' || by === 'id');
	if (place !== service) return where;
	const outward = seen.madeBy(service);
	const passesOn = byIdShare(seen, service) >= BY_ID_SHARE;
	if (
		isById &&
		basis === 'counted' &&
		chain.every(({ good }) => good !== null) &&
		(outward.length === 0 || (passesOn && asked.good !== null))
	)
		return 'proved';
	const isCounted = chain.every(({ by, good }) => by !== 'waiting' && by !== 'before' && good !== null);
	return isCounted && basis !== 'inferred' ? 'counted' : 'inferred';
}
