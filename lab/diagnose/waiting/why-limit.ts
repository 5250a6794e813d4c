/**
 * Was it a time limit that ended them, while whoever was asked took no longer than ever? Who waits for a callee that has become slow is ended by
 * the same limit; then the callee is followed, and the limit is how its slowness came to cost requests.
 */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { leading, upTo } from '../../stats/numbers.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import { GOOD } from './seen.ts';
import { equalTime, kindsOf, middle, mostFirst, share, spread } from './spread.ts';
import { BROKEN, type Of, type Step, type Why } from './step.ts';
import { asked } from './text.ts';
import { tell } from './writing.ts';

/** Shorter requests are over before any limit that somebody sets. */
const LIMIT_LEAST_S = 0.1;
/** Answers that came after their asker had gone: so many, and of the calls that were given up so many. */
const LATE_LEAST = 5;
const LATE_SHARE = 0.5;
/** Of too few nothing tells whether they took equal times. */
export const FEW = 5;
const EQUAL_SHARE = 0.05;
/** From their tenth to their ninth tenth, of the middle: what waits in a line takes as long as the line is. */
const ALIKE_SHARE = 0.25;
/** Of good calls, and how many times the quickest of them a limit may be. */
const NEAR_LEAST = 20;
const NEAR_TIMES = 1.5;
/** As slownessOf has it. */
const SLOWER_TIMES = 3;
const [LOW, HIGH] = [0.1, 0.9];
/** Of the failed. */
const LIMITED_SHARE = 0.8;
/** Of the time that they took. */
const SOON_SHARE = 0.25;
/** That an answer is useless is known when it is sent: the connection is closed in place of it. */
const RIGHT_AFTER_S = 0.05;
/** Of a request's time: a call that takes less is not what makes it long. */
const MOST = 0.5;

/**
 * They were given up after equal times, and answered well all the same when nobody waited any more, after a time that does not depend on how
 * much is asked; or those that were answered in time never took much less.
 */
export function gaveUpFirst(step: Of<'caller' | 'equal_s' | 'failed' | 'seen' | 'service' | 'sign'>): Why | null {
	const { seen, service, caller, sign } = step;
	const { failed, equal_s: equal } = withLikes(step);
	if (sign !== 'given-up' || equal === null || caller === GENERATOR_NAME) return null;
	const late = failed.flatMap((call) => lateAnswer(seen, call));
	const kinds = kindsOf(seen, failed);
	const good = seen.onEdge(caller, service).filter((call) => kinds.has(seen.kind[call]) && seen.sign[call] === GOOD);
	const inTime = lengthsOf(seen, good);
	const isLate = late.length >= Math.max(LATE_LEAST, LATE_SHARE * failed.length);
	if (isLate ? !isAlike(late) || isSlower(middle(late), inTime) : !isNear(equal, inTime)) return null;
	const what = [...kinds].map(asked).join(', ');
	return {
		mechanism: 'time-limit',
		title: tell('time-limit', 'title', { service, what, equal, late: isLate ? middle(late) : null, usual: middle(inTime) }),
		basis: isLate && good.length > 0 ? 'counted' : 'inferred',
		place: { service: caller, edge: { from: caller, to: service } },
		evidence: [
			tell('time-limit', 'given-up', { caller, service, what, count: failed.length, equal }),
			...(isLate ? [tell('time-limit', 'late', { count: late.length, low: spread(late, LOW), high: spread(late, HIGH) })] : []),
			...(good.length > 0
				? [tell('time-limit', 'in-time', { count: good.length, low: spread(inTime, 0), high: spread(inTime, 1), usual: middle(inTime) })]
				: []),
		],
		...(good.length > 0 ? {} : { doubts: [tell('time-limit', 'none-in-time', { service })] }),
	};
}

/** A few that came another way, or were left when the load ended, with all of their kinds that ended as they did. */
function withLikes({
	seen,
	service,
	caller,
	failed,
	sign,
	equal_s: own,
}: Of<'caller' | 'equal_s' | 'failed' | 'seen' | 'service' | 'sign'>): Pick<Step, 'failed' | 'equal_s'> {
	if (own !== null || failed.length >= FEW) return { failed, equal_s: own };
	const kinds = kindsOf(seen, failed);
	const likes = seen.onEdge(caller, service).filter((call) => kinds.has(seen.kind[call]) && seen.sign[call] === sign);
	const equal = equalTime([...lengthsOf(seen, failed), ...lengthsOf(seen, likes)]);
	const isLike = (time: number) => equal !== null && Math.abs(time - equal) <= EQUAL_SHARE * equal;
	return lengthsOf(seen, failed).every(isLike) ? { failed: likes, equal_s: equal } : { failed, equal_s: null };
}

/** @returns none, or seconds from its question to a good answer that came too late */
function lateAnswer({ calls, began }: Step['seen'], call: number): number[] {
	const { late_at: at, status, code, bad } = calls[call];
	return at === undefined || bad || code !== null || (status ?? 0) >= FIRST_BAD_STATUS ? [] : [at - began[call]];
}

/**
 * It closed them without an answer, or answered with an error after equal times, though the callee for which it waited answers them well and
 * takes no longer than ever.
 */
export function endedByItself(
	step: Of<'awaited' | 'equal_s' | 'caller' | 'failed' | 'good' | 'seen' | 'service' | 'sign' | 'took_s'>,
): Why | null {
	const { seen, service, good, took_s: took, awaited: to } = step;
	if (to === null) return null;
	// What such requests take has changed: what they wait for tells why.
	if (took < LIMIT_LEAST_S || isSlower(took, lengthsOf(seen, good))) return null;
	const found = goingOn(step, to) ?? passed(step, to);
	if (found === null) return null;
	const { calls, why } = found;
	const takes = lengthsOf(seen, calls);
	const kinds = kindsOf(seen, calls);
	const usual = good.flatMap((call) => seen.childrenOf(call).filter((child) => seen.to[child] === to && kinds.has(seen.kind[child])));
	if (calls.filter((call) => seen.sign[call] !== GOOD).length > (1 - LIMITED_SHARE) * calls.length) return null;
	if (isSlower(middle(takes), lengthsOf(seen, usual)) || (usual.length === 0 && !isAlike(takes))) return null;
	return {
		...why,
		basis: 'inferred',
		place: { service, edge: { from: service, to } },
		evidence: [...why.evidence, usualOf(to, takes, lengthsOf(seen, usual))],
		doubts: [...(why.doubts ?? []), ...(usual.length > 0 ? [] : [tell('time-limit', 'none-well', { to })])],
	};
}

/** calls: to the callee */
type Found = { calls: number[]; why: Pick<Why, 'mechanism' | 'title' | 'evidence' | 'doubts'> } | null;

/** After equal times, while the callee still worked for them. */
function goingOn(step: Of<'caller' | 'equal_s' | 'failed' | 'seen' | 'service' | 'sign'>, to: string): Found {
	const { seen, service, sign } = step;
	const { failed, equal_s: equal } = withLikes(step);
	// Whoever asked may cut an answer short too.
	const isCut = failed.filter((call) => seen.calls[call].by === 'client').length * 2 > failed.length;
	if (equal === null || sign === GOOD || sign === 'given-up' || isCut) return null;
	const { began, over } = seen;
	const all = seen.onEdge(service, to);
	const going: Set<number> = new Set();
	// Each has one of its own, and had it soon: who waits for a connection or a worker has none until another's is over.
	for (const request of failed) {
		for (let place = leading(all, (call) => began[call] < began[request]); place < all.length; place += 1) {
			const call = all[place];
			if (began[call] - began[request] >= SOON_SHARE * equal) break;
			if (going.has(call) || over[call] <= over[request] || over[call] - began[call] <= equal) continue;
			going.add(call);
			break;
		}
	}
	if (going.size < LIMITED_SHARE * failed.length) return null;
	return {
		calls: [...going],
		why: {
			mechanism: 'time-limit',
			title: tell('time-limit', 'own', { to, equal }),
			evidence: [
				tell('time-limit', 'going-on', { service, to, sign, count: failed.length, equal, part: share(going.size, failed.length) }),
			],
		},
	};
}

/** As soon as the callee had answered, and well. */
function passed({ seen, service, failed, good }: Of<'failed' | 'good' | 'seen' | 'service'>, to: string): Found {
	const { began, over, sign } = seen;
	const broken = failed.filter((call) => BROKEN.has(sign[call]));
	const lastOf = (request: number) =>
		seen
			.childrenOf(request)
			.filter(
				(child) => seen.to[child] === to && sign[child] === GOOD && over[child] - began[child] >= MOST * (over[request] - began[request]),
			)
			.filter((child) => Math.abs(over[request] - over[child]) <= RIGHT_AFTER_S);
	const calls = broken.flatMap((request) => lastOf(request).slice(-1));
	if (broken.length < LIMITED_SHARE * failed.length || calls.length < LIMITED_SHARE * failed.length) return null;
	const answered = seen.servedBy(service).filter((call) => sign[call] === GOOD && began[call] >= seen.load.warmupFrom);
	const longest = answered.reduce((most, call) => Math.max(most, over[call] - began[call]), 0);
	const shortest = spread(lengthsOf(seen, broken), LOW);
	const isLimited = answered.length > 0 && longest < shortest;
	const what = [...kindsOf(seen, broken)].map(asked).join(', ');
	return {
		calls,
		why: {
			mechanism: isLimited ? 'time-limit' : 'broken-off',
			title: isLimited ? tell('time-limit', 'closed', { to, longest, shortest }) : tell('broken-off', 'closed', { to }),
			evidence: [
				tell('broken-off', 'answered', { service, to, what, count: broken.length, took: middle(lengthsOf(seen, broken)) }),
				...(isLimited ? [tell('time-limit', 'between', { count: answered.length, longest, shortest })] : []),
			],
			doubts: isLimited && good.length === 0 ? [tell('time-limit', 'error', { service, what })] : [],
		},
	};
}

const usualOf = (to: string, takes: number[], usual: number[]) =>
	tell('time-limit', 'usual', { to, low: spread(takes, LOW), high: spread(takes, HIGH), usual: usual.length > 0 ? middle(usual) : null });

const lengthsOf = ({ began, over }: Step['seen'], calls: number[]) => calls.map((call) => over[call] - began[call]);

/** Even its quickest good call took nearly as long as its asker waits. */
const isNear = (limit: number, good: number[]) =>
	good.length >= NEAR_LEAST && limit <= NEAR_TIMES * spread(good, 0) && limit >= spread(good, HIGH);

const isAlike = (times: number[]) => spread(times, HIGH) - spread(times, LOW) <= ALIKE_SHARE * middle(times);

/** Than the quickest that went well: whoever stands in a line at the end did not at its beginning. */
const isSlower = (time: number, good: number[]) => good.length > 0 && time > SLOWER_TIMES * spread(good, LOW);

/**
 * It broke off what it was asked together with what it asked, as a process does that ends: who gives a callee up answers its caller, if only with
 * an error. What good requests end beside as often is chance.
 */
export function tornOff({
	seen,
	service,
	failed,
	good,
	path,
	sign: own,
}: Of<'failed' | 'good' | 'path' | 'seen' | 'service' | 'sign'>): Why | null {
	const { over, sign, to: callee } = seen;
	if (!BROKEN.has(own)) return null;
	const given = seen
		.madeBy(service)
		.filter((call) => sign[call] === 'given-up' && !path.includes(callee[call]))
		.toSorted((one, other) => over[one] - over[other]);
	const overs = given.map((call) => over[call]);
	const besideOf = (call: number) => given.slice(upTo(overs, over[call] - TOGETHER_S), upTo(overs, over[call] + TOGETHER_S)).slice(0, 1);
	const torn = failed.flatMap(besideOf);
	const part = share(torn.length, failed.length);
	if (part < LIMITED_SHARE || share(good.flatMap(besideOf).length, good.length) > part * GOOD_PART) return null;
	const [[to]] = mostFirst(torn, (call) => callee[call]);
	const took = lengthsOf(seen, failed);
	return {
		mechanism: 'broken-off',
		title: tell('broken-off', 'torn', { to, low: spread(took, LOW), high: spread(took, HIGH) }),
		basis: 'inferred',
		place: { service, edge: { from: service, to } },
		evidence: [tell('broken-off', 'together', { service, to, sign: own, count: torn.length, all: failed.length, within: TOGETHER_S })],
		doubts: [tell('broken-off', 'open', { to })],
	};
}
const TOGETHER_S = 0.05;
const GOOD_PART = 1 / 3;
