/**
 * Was it what had been given before? To the same client: a token that one of several issuers makes wrongly, a session that one container of
 * several holds, so that the request is refused where nothing is wrong. The generator's users each keep a connection, on which their earlier
 * requests stand. Or by a callee to the service itself: an empty answer, or an error that is answered as if it were none.
 */

import { grouped } from '../../base/values.ts';
import { some } from '../joins/grouped.ts';
import { GOOD } from './seen.ts';
import { kindsOf, middle, share, spread } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { besideOf, isByItself } from './step.ts';
import { asked, counted, ended, endedText, percent } from './text.ts';

/** Of the failed and of the good that have such an answer before them. The lab's own choices, as are the numbers below. */
const FAILED_LEAST = 0.9;
const GOOD_MOST = 0.1;
/** Of either, those of which it is known: a connection may have been made anew. */
const KNOWN_LEAST = 0.8;
/** Of either: of fewer, some service of some kind stands so by chance. */
const COMPARED_LEAST = 10;
/** Of the fewer, where the others are so many more that chance tells them apart no sooner: there are 184,756 ways to part 20 in two, 53,130 to take 5 of 25. */
const FEWER_LEAST = 5;
/** More tell no more. */
const LOOKED_AT_MOST = 1000;
/** Requests of a user before one, that are looked through. */
const BACK_MOST = 64;
/** Services behind one another, that a request is followed through. */
const DEPTH_MOST = 16;

/**
 * request: of a user, to the entry; calls: the same user's before it, from the
 *   last of that kind on, which was answered well
 */
type Given = { request: number; kind: string; calls: number[] };

export function givenBefore(
	step: Of<'caller' | 'failed' | 'good' | 'good_s' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>,
): Why | null {
	const { seen, failed } = step;
	if (!isByItself(step)) return null;
	const beside = besideOf(step);
	if (Math.min(failed.length, beside.length) < FEWER_LEAST || failed.length * beside.length < COMPARED_LEAST ** 2) return null;
	const [theirs, others] = [failed, beside].map((calls) => some(calls, LOOKED_AT_MOST).map((call) => givenTo(seen, call)));
	const kinds = new Set(theirs.flatMap((given) => given.map(({ kind }) => kind)));
	const whys = [...kinds].flatMap((kind) => {
		const [bad, well] = [theirs, others].map((all) => all.flatMap((given) => given.find((one) => one.kind === kind) ?? []));
		const isKnown = bad.length >= KNOWN_LEAST * theirs.length && well.length >= KNOWN_LEAST * others.length;
		return isKnown && !isParted(seen, bad, well) ? (notShared(step, kind, bad, well) ?? givenBy(step, kind, bad, well) ?? []) : [];
	});
	return whys[0] ?? null;
}

/** Each kind's last, the latest first. */
function givenTo(seen: Step['seen'], call: number): Given[] {
	const request = rootOf(seen, call);
	const all = seen.lineOf(request)?.calls ?? [];
	const at = all.indexOf(request);
	const earlier = all.slice(Math.max(0, at - BACK_MOST), Math.max(0, at));
	const kinds = grouped([...earlier.keys()].reverse(), (place) => seen.kind[earlier[place]]);
	return [...kinds].flatMap(([kind, [last]]) => (seen.sign[earlier[last]] === GOOD ? [{ request, kind, calls: earlier.slice(last) }] : []));
}

/** The request of the load that it was made for, as far as is known. */
export function rootOf({ joins: { parent } }: Step['seen'], call: number) {
	let root = call;
	for (let depth = 0; depth < DEPTH_MOST && parent[root] >= 0; depth += 1) root = parent[root];
	return root;
}

/** Who worked on a request, from the entry on. */
function workedOn(seen: Step['seen'], call: number): string[] {
	const names = new Set([seen.to[call]]);
	let behind = [call];
	for (let depth = 0; depth < DEPTH_MOST && behind.length > 0; depth += 1) {
		behind = behind.flatMap((one) => seen.childrenOf(one));
		for (const one of behind) names.add(seen.to[one]);
	}
	return [...names];
}

/**
 * It went to another of those that are asked for the same, then or since: what it was given there is not known here, or took the place of what it had
 * been given here.
 */
function notShared(
	step: Of<'caller' | 'failed' | 'seen' | 'service' | 'sign' | 'took_s'>,
	kind: string,
	bad: Given[],
	well: Given[],
): Why | null {
	const { seen, service, caller, failed } = step;
	const asked = kindsOf(seen, failed);
	const peers = new Set(
		seen.calleesOf(caller).filter((to) => to !== service && seen.onEdge(caller, to).some((call) => asked.has(seen.kind[call]))),
	);
	if (peers.size === 0) return null;
	const known: Map<number, string[]> = new Map();
	const workers = (call: number) => {
		const names = known.get(call) ?? workedOn(seen, call);
		known.set(call, names);
		return names;
	};
	const isHere = (call: number) => workers(call).includes(service);
	const isElsewhere = (call: number) => !isHere(call) && workers(call).some((name) => peers.has(name));
	// What none asks for here may be what ends it, wherever it is asked for.
	const usual = kindsOf(
		seen,
		well.flatMap(({ calls }) => calls.filter(isHere)),
	);
	const isSince = (call: number) => usual.has(seen.kind[call]) && isElsewhere(call);
	const then = lifted(bad, well, ({ calls: [last] }) => isElsewhere(last));
	const shares = then ?? lifted(bad, well, ({ calls }) => calls.some(isSince));
	if (shares === null) return null;
	const own = bad.flatMap(({ calls }) => (then ? calls.slice(0, 1) : calls.filter(isSince)));
	const whom = [...new Set(own.flatMap((call) => workers(call).filter((name) => peers.has(name))))].sort().join(' or ');
	const [title, came, since] = then
		? [`whose ${kind} another one had answered`, `whose last ${kind} ${whom} had answered`, '']
		: [
				`who had been at another one since ${kind}`,
				`on which ${whom} had answered the last ${kind} or something since`,
				', or what it had given itself is replaced there',
			];
	return {
		mechanism: 'not-shared',
		title: `${ended(step.sign)} to those ${title}`,
		basis: 'counted',
		evidence: [
			`${percent(shares.failed)} of the failed requests came on a connection ${came}, of the good ones in the same seconds ${percent(shares.good)}: ${service} does not know what is given to a client there${since}.`,
			endedText(step),
		],
	};
}

/** How long ago it was tells them apart, or how much came since: what is given may last no longer, wherever it was given. */
function isParted({ began }: Step['seen'], bad: Given[], well: Given[]) {
	const lengths: ((given: Given) => number)[] = [
		({ request, calls: [last] }) => began[request] - began[last],
		({ request, calls }) => began[request] - began[calls[calls.length - 1]],
		({ calls }) => calls.length,
	];
	return lengths.some((lengthOf) => apart(bad, well, lengthOf, false) !== null);
}

/** One of those that give it was behind all that failed. */
function givenBy(step: Of<'failed' | 'seen' | 'service' | 'sign' | 'took_s'>, kind: string, bad: Given[], well: Given[]): Why | null {
	const { seen, service } = step;
	const [theirs, others] = [bad, well].map((all) => all.map(({ calls: [last] }) => workedOn(seen, last)));
	for (const name of new Set(theirs.flat())) {
		const shares = name === service ? null : lifted(theirs, others, (by) => by.includes(name));
		if (shares === null) continue;
		return {
			mechanism: 'given-before',
			title: `had answered ${kind} before, to those whom ${service} ${ended(step.sign)}`,
			basis: 'counted',
			place: { service: name },
			where: 'inferred',
			evidence: [
				`${percent(shares.failed)} of the failed requests came on a connection whose last ${kind} ${name} had answered, of the good ones in the same seconds ${percent(shares.good)}.`,
				endedText(step),
			],
			doubts: [`what ${name} gave is not read: whether ${service} is right to refuse it is not known`],
		};
	}
	return null;
}

/** @returns shares; null where they do not differ enough */
function lifted<T>(bad: T[], well: T[], isSuch: (one: T) => boolean): { failed: number; good: number } | null {
	const [failed, good] = [bad, well].map((all) => share(all.filter(isSuch).length, all.length));
	return failed >= FAILED_LEAST && good <= GOOD_MOST ? { failed, good } : null;
}

/** of a callee whose good answers were of another length to the failed than to the good */
type OtherAnswer = {
	to: string;
	than: 'shorter' | 'longer';
	evidence: string;
};

/**
 * A service answers an error of its own where nobody gave it one, but what it was given differs: its length does. Of several callees it is the
 * first that was asked. Where the questions differ as much, the answer follows from them.
 */
export function otherAnswer(step: Of<'failed' | 'good' | 'seen' | 'time'>): OtherAnswer | null {
	const { seen, failed, good } = step;
	const beside = besideOf(step);
	// Of other seconds alone: what grew meanwhile is another each time.
	const isBeside = beside.length >= COMPARED_LEAST;
	const compared = isBeside ? beside : good;
	if (failed.length < COMPARED_LEAST || compared.length < COMPARED_LEAST) return null;
	const [theirs, others] = [failed, compared].map((calls) => some(calls, LOOKED_AT_MOST).map((call) => answersTo(seen, call)));
	const keys = new Set(theirs.flatMap((answers) => [...answers.keys()]));
	const found = [...keys].flatMap((key) => {
		const [bad, well] = [theirs, others].map((all) => all.flatMap((answers) => answers.get(key) ?? []));
		if (bad.length < KNOWN_LEAST * theirs.length || well.length < KNOWN_LEAST * others.length) return [];
		const [answers, questions] = [
			apart(bad, well, ({ answered_bytes: bytes }) => bytes, !isBeside),
			apart(bad, well, ({ sent_bytes: bytes }) => bytes, false),
		];
		return answers === null || questions !== null
			? []
			: [{ ...answers, call: bad[0].call, after_s: middle(bad.map(({ after_s: after }) => after)) }];
	});
	const [first] = found.toSorted((one, other) => one.after_s - other.after_s);
	if (first === undefined) return null;
	const { than, limit, shares, call } = first;
	const length = `${counted(limit)} bytes or ${than === 'shorter' ? 'less' : 'more'}`;
	return {
		...{ to: seen.to[call], than },
		evidence: `${seen.to[call]} answered ${asked(seen.kind[call])} with ${length} for ${percent(shares.failed)} of the failed requests, and for ${percent(shares.good)} of the good ones${isBeside ? ' of those seconds' : ''}: what is in its answers is not read.`,
	};
}

type GivenAnswer = { call: number; answered_bytes: number; sent_bytes: number; after_s: number };

/** The last good answer of each callee to each kind of call. */
function answersTo(seen: Step['seen'], call: number): Map<string, GivenAnswer> {
	const given = new Map();
	for (const child of seen.childrenOf(call)) {
		const { end, answered_bytes, sent_bytes } = seen.calls[child];
		const after_s = seen.began[child] - seen.began[call];
		if (end === 'answered' && seen.sign[child] === GOOD)
			given.set(`${seen.to[child]} ${seen.kind[child]}`, { ...{ answered_bytes, sent_bytes, after_s }, call: child });
	}
	return given;
}

/**
 * @param byFar by more than either differs within itself
 * @returns null where their lengths are alike
 */
function apart<T>(
	bad: T[],
	well: T[],
	lengthOf: (one: T) => number,
	byFar: boolean,
): { than: 'shorter' | 'longer'; limit: number; shares: { failed: number; good: number } } | null {
	const [lengths, others] = [bad, well].map((all) => all.map(lengthOf));
	const widthOf = (all: number[]) => spread(all, FAILED_LEAST) - spread(all, 1 - FAILED_LEAST);
	const least = byFar ? Math.max(widthOf(lengths), widthOf(others)) : 0;
	for (const than of ['shorter', 'longer'] as const) {
		const sign = than === 'shorter' ? 1 : -1;
		const farthest = (all: number[], side: number) => spread(all, side > 0 ? FAILED_LEAST : 1 - FAILED_LEAST);
		const limit = farthest(lengths, sign);
		const shares = lifted(bad, well, (one) => (lengthOf(one) - limit) * sign <= 0);
		if (shares !== null && (farthest(others, -sign) - limit) * sign >= least) return { than, limit, shares };
	}
	return null;
}
