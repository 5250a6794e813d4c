/**
 * Why a callee that asks nobody takes so long: a lock, of a transaction that somebody keeps open, of one after the other, or as the service itself tells.
 */

import { leading } from '../../stats/numbers.ts';
import { lookUp } from '../../wire/tenancy.ts';
import { some } from '../joins/grouped.ts';
import { isKeptBy, type OwnLock, ownLocksTo } from './own-locks.ts';
import { GOOD, type Line, once } from './seen.ts';
import { kindsOf, lastBefore, middle, mostFirst, share, spread, stateAt, type Transaction, transactionsOn } from './spread.ts';
import { CALM_LEAST, type Of, type Step, type Why } from './step.ts';
import { asked, causeByCode } from './text.ts';
import { countOf, HOLDERS_SHOWN, LIFT_TIMES, WAITING_LEAST, WAITING_SHARE } from './why-lock-told.ts';
import { tell } from './writing.ts';

/** Calls that are looked at. */
const LOOKED_AT_MOST = 200;
/** Of the calls that waited. */
const MOST = 0.5;
const GOOD_PART = 1 / 3;
/** A wait for a lock ends when its holder does: the answer comes within so long. */
const RELEASED_S = 0.05;
/** Shorter ones are over before anybody notices. */
const WAITED_LEAST_S = 0.1;
/** Any client's, not ours alone. */
export function lockHeld(step: Of<'codeCause' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign' | 'took_s'>): Why | null {
	const { why = null, isReleased = false } = heldBy(step) ?? {};
	return isReleased ? null : why;
}

/**
 * Most were over with it, and hardly any good ones waited through it: whatever else the service was short of then, they waited for this.
 */
export function lockReleased(step: Of<'codeCause' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign' | 'took_s'>): Why | null {
	const { why = null, isReleased = false } = heldBy(step) ?? {};
	return isReleased ? why : null;
}

type Held = { why: Why; isReleased: boolean } | null;

/** Asked twice of a step, by its moments. */
const known: WeakMap<number[], Held> = new WeakMap();

function heldBy(step: Of<'codeCause' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign' | 'took_s'>): Held {
	const found = known.get(step.moments);
	if (found !== undefined) return found;
	const held = findHeld(step);
	known.set(step.moments, held);
	return held;
}

function findHeld(step: Of<'codeCause' | 'failed' | 'good' | 'seen' | 'service' | 'sign' | 'took_s'>): Held {
	const { seen, service, failed, good, took_s: took } = step;
	const isCoded = causeByCode(step)?.cause === 'lock';
	if (took < WAITED_LEAST_S && !isCoded) return null;
	const waited = some(failed, LOOKED_AT_MOST);
	const holderOf = holdersOf(step);
	const held = waited.flatMap((call) => {
		const holder = holderOf(call);
		return holder ? [{ call, holder }] : [];
	});
	const part = share(held.length, waited.length);
	if (part < MOST) return isCoded ? { why: { ...(heldInTurn(step, waited) ?? HOLDER_UNKNOWN), isCoded }, isReleased: false } : null;
	// Who was let go with a lock had waited for it too.
	const isLetGo = (call: number) => {
		const holder = holderOf(call);
		return holder !== null && isOwnLock(holder) && Math.abs(holder.to - seen.over[call]) < RELEASED_S;
	};
	const looked = some(good, LOOKED_AT_MOST);
	const goods = looked.filter((call) => !isLetGo(call));
	const goodPart = share(goods.filter((call) => holderOf(call) !== null).length, goods.length);
	// What was not over when the recording ended is not known to have ended with anything.
	const isOver = (at: number) => at < seen.until - RELEASED_S;
	const ending = held.filter(({ call, holder }) => isOver(seen.over[call]) && Math.abs(holder.to - seen.over[call]) < RELEASED_S);
	const released = share(ending.length, held.length);
	// Good ones may have gone by, to other rows: where its code says that it waited for a lock, or the others were as quick as ever.
	const isSparing = looked.length > 0 && goodPart <= part * GOOD_PART;
	const letGo = letGoBy(step, held);
	const isEnding = released >= MOST || letGo.over > MOST * letGo.waited;
	const isLift = isEnding || isSparing;
	const isOfRows = !isCoded && !isLift;
	if (isOfRows && !isOfSomeRows(step, held, holderOf)) return null;
	const [[client, own]] = mostFirst(held, ({ holder }) => holder.line.from);
	const longest = own.reduce((longer, { holder: { from, to } }) => Math.max(longer, to - from), 0);
	const isOfTables = own.some(({ holder: { from, to, line } }) =>
		line.calls.some((call) => seen.calls[call].verb.toUpperCase() === LOCK && seen.began[call] >= from && seen.began[call] <= to),
	);
	const [statement = null] = own.flatMap(({ holder }) => (isOwnLock(holder) ? holder.statement : []));
	const why: Why = {
		mechanism: 'lock',
		isCoded,
		title: tell('lock', 'title', { client, isOfTables, statement }),
		basis: isCoded || isEnding ? 'counted' : 'timed',
		evidence: [
			tell('lock', 'kept', {
				...{ client, service, isOfTables, statement, longest },
				...{ part: share(own.length, waited.length), goodPart: goods.length > 0 ? goodPart : null },
			}),
			...(released >= MOST ? [tell('lock', 'released', { part: released, within: RELEASED_S })] : []),
			...(released < MOST && isEnding ? [tell('lock', 'let-go', { ...letGo, within: RELEASED_S })] : []),
		],
		...(isOfRows ? { doubts: [tell('lock', 'rows', { client })] } : {}),
	};
	return { why, isReleased: isEnding && isSparing };
}

type Holding = Transaction | OwnLock;
const isOwnLock = (holder: Holding): holder is OwnLock => 'statement' in holder;

/**
 * Whoever waits for long is given up. So those are asked that still waited as a lock was given back which is one by its statement: they are over then.
 * @returns none where too few waited to tell it from chance
 */
function letGoBy(
	{ seen, service, failed }: Of<'failed' | 'seen' | 'service'>,
	held: { holder: Holding }[],
): { waited: number; over: number } {
	const kinds = kindsOf(seen, failed);
	const locks = [...new Set(held.map(({ holder }) => holder))].filter(isOwnLock);
	const served = seen.servedBy(service).filter((call) => kinds.has(seen.kind[call]));
	const waited = locks.flatMap((lock) =>
		served
			.filter(
				(call) => seen.began[call] > lock.from && seen.began[call] < lock.to - WAITED_LEAST_S && seen.over[call] > lock.to - RELEASED_S,
			)
			.map((call) => seen.over[call] - lock.to),
	);
	if (waited.length < LET_GO_LEAST) return { waited: 0, over: 0 };
	return { waited: waited.length, over: waited.filter((after) => after < RELEASED_S).length };
}
const LET_GO_LEAST = 3;

/** The holder's transaction changed what they ask for, and calls of their kind that it does not hold up are quick beside it. */
function isOfSomeRows(
	step: Of<'failed' | 'good' | 'seen' | 'took_s'>,
	held: { call: number; holder: Holding }[],
	holderOf: ReturnType<typeof holdersOf>,
) {
	const { seen, failed, good, took_s: took } = step;
	const { began, over, calls, kind } = seen;
	const about = (call: number) => wordsAfterVerb(calls[call].template, calls[call].verb);
	const isAbout = held.filter(({ call, holder: { from, to, line } }) => {
		const words = about(call);
		return line.calls.some(
			(own) =>
				began[own] >= from &&
				over[own] <= to &&
				CHANGES.has(calls[own].verb.toUpperCase()) &&
				about(own).some((word) => words.includes(word)),
		);
	});
	if (isAbout.length < MOST * held.length) return false;
	const kinds = kindsOf(seen, failed);
	// Who was let go with its end had waited for it too.
	const isHeld = (call: number) => Math.abs((holderOf(call)?.to ?? over[call]) - over[call]) >= RELEASED_S;
	const beside = some(good, LOOKED_AT_MOST).filter((call) => kinds.has(kind[call]) && isHeld(call));
	return (
		beside.length >= OTHERS_LEAST &&
		spread(
			beside.map((call) => over[call] - began[call]),
			QUICK_SHARE,
		) *
			QUICK_TIMES <
			took
	);
}
/** SQL's, of whole tables. */
const LOCK = 'LOCK';

/** Who only reads keeps nobody waiting. */
const CHANGES = new Set(['UPDATE', 'DELETE', 'INSERT', 'REPLACE', 'MERGE']);
/** Fewer others tell nothing of how it goes for them. */
const OTHERS_LEAST = 5;
/** Of the good ones beside them, and how many times as quick. */
const QUICK_SHARE = 0.9;
const QUICK_TIMES = 10;

/** Tables, of a statement. */
const wordsAfterVerb = (template: string, verb: string) => template.split(/[\s,]+/).filter((word) => word !== '' && word !== verb);

/** No transaction was open all through a wait, but one after the other that had done the same: each held what the next waited for. */
function heldInTurn({ seen, service, failed }: Of<'failed' | 'seen' | 'service'>, waited: number[]): Why | null {
	const { began, over, sign, kind } = seen;
	const kinds = kindsOf(seen, failed);
	// From the answer that gave it what others wait for to its end.
	const turns = transactionsTo(seen, service).flatMap(({ from, to, line }) => {
		const got = line.calls.find((call) => began[call] >= from && over[call] <= to && sign[call] === GOOD && kinds.has(kind[call]));
		return got === undefined ? [] : [{ got, from: over[got], to, line }];
	});
	const open = waited.map((call) =>
		turns.filter(({ from, to, line }) => from < over[call] && to > began[call] && line.connection.id !== seen.calls[call].connection),
	);
	const long = new Set(longest([...new Set(open.flat())]));
	const within = open.map((own) => own.filter((turn) => long.has(turn)));
	const coveredOf = (call: number, own: typeof turns) =>
		share(sumOfSpans(own.map(({ from, to }) => [Math.max(from, began[call]), Math.min(to, over[call])])), over[call] - began[call]);
	const covered = waited.map((call, index) => coveredOf(call, within[index]));
	const isOfMost = covered.filter((part) => part >= COVERED_SHARE).length >= MOST * waited.length;
	const each = middle(within.map((own) => own.length));
	if (!isOfMost || each < IN_TURN_LEAST) return null;
	const all = [...new Set(within.flat())];
	const clients = mostFirst(all, ({ line }) => line.from).map(([name]) => name);
	const whose = clients.slice(0, CLIENTS_SHOWN).sort().join(' and ');
	const [beside] = mostFirst(
		all.flatMap((turn) => fillingIn(seen, service, turn)),
		(call) => seen.to[call],
	);
	const [callee, asking] = beside !== undefined && beside[1].length >= FILLED_SHARE * all.length ? beside : ['', []];
	return {
		mechanism: 'lock',
		title: tell('lock', 'in-turn', { whose, callee }),
		basis: 'counted',
		evidence: [
			tell('lock', 'turns', { each, kinds: [...kinds].map(asked).sort().slice(0, CLIENTS_SHOWN).join(', '), covered: middle(covered) }),
			tell('lock', 'turn', {
				...{ held: middle(all.map(({ from, to }) => to - from)), callee, part: share(asking.length, all.length) },
				took: middle(asking.map((call) => over[call] - began[call])),
			}),
		],
		doubts: [tell('lock', 'row-unknown', {}), ...(callee === '' ? [] : [tell('lock', 'by-time', { callee })])],
	};
}
/**
 * Calls of its client to others that lay within its turn, and took up most of it: what it did while it held the lock.
 * @returns at most one
 */
function fillingIn(seen: Step['seen'], service: string, { from, to, line }: { from: number; to: number; line: Line }): number[] {
	const { began, over, madeBy } = seen;
	const made = madeBy(line.from);
	for (let at = leading(made, (call) => began[call] < from); at < made.length && began[made[at]] <= to; at += 1) {
		const call = made[at];
		if (seen.to[call] !== service && over[call] <= to && over[call] - began[call] >= COVERED_SHARE * (to - from)) return [call];
	}
	return [];
}
/** Of the turns. */
const FILLED_SHARE = 0.8;

/** Of a wait: between one and the next a moment passes. */
const COVERED_SHARE = 0.7;
/** One alone would be the holder. */
const IN_TURN_LEAST = 2;
const CLIENTS_SHOWN = 2;

/** Those that make up nearly all of their time: others are of rows that nobody waits for. */
function longest<T extends { from: number; to: number }>(turns: T[]): T[] {
	const lengthOf = ({ from, to }: T) => to - from;
	const all = turns.reduce((sum, turn) => sum + lengthOf(turn), 0);
	let sum = 0;
	return turns
		.toSorted((one, other) => lengthOf(other) - lengthOf(one))
		.filter((turn) => {
			const isNeeded = sum < LONGEST_SHARE * all;
			sum += lengthOf(turn);
			return isNeeded;
		});
}
/** Of their time. */
const LONGEST_SHARE = 0.9;

/** How long they last together. */
function sumOfSpans(spans: [from: number, to: number][]) {
	let [sum, until] = [0, Number.NEGATIVE_INFINITY];
	for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
		sum += Math.max(0, to - Math.max(from, until));
		until = Math.max(until, to);
	}
	return sum;
}

const HOLDER_UNKNOWN: Why = {
	mechanism: 'lock',
	title: tell('lock', 'given-up', {}),
	basis: 'counted',
	evidence: [tell('lock', 'unknown', {})],
};

/**
 * Who held a call of a step up: of several transactions that were open throughout, one that asked nothing then: who waits in a transaction of
 * its own may wait for the same. Who waits for an answer of the same kind does.
 */
function holdersOf({
	seen,
	service,
	failed,
	took_s: took,
}: Of<'failed' | 'seen' | 'service' | 'took_s'>): (call: number) => Holding | null {
	const kinds = kindsOf(seen, failed);
	const bySecond = openBySecond(
		[...ownLocksTo(seen, service), ...transactionsTo(seen, service)].filter(({ from, to }) => to - from >= took),
		seen.until,
	);
	return (call) => {
		const [began, ended, own] = [seen.began[call], seen.over[call] - RELEASED_S, seen.calls[call].connection];
		const middleOfCall = (began + seen.over[call]) / 2;
		let first = null;
		// A call may be shorter than the time in which it is let go.
		for (let second = Math.floor(Math.min(began, ended)); second <= Math.floor(began); second += 1)
			for (const span of bySecond.get(second) ?? []) {
				const { from, to, line } = span;
				if (from >= began || to < ended || line.connection.id === own) continue;
				if (isOwnLock(span) && !isKeptBy(seen, call, span)) continue;
				const state = stateAt(seen, line, middleOfCall);
				if (state === 'held' || (isOwnLock(span) && state === 'idle')) return span;
				const last = lastBefore(seen, line, middleOfCall);
				if (last === null || !kinds.has(seen.kind[last])) first ??= span;
			}
		return first;
	};
}

/** Of any client, in the order of its connections: there may be as many as calls. */
const transactionsTo = once((seen, service) => seen.linesTo(service).flatMap((line) => transactionsOn(seen, line)));

/** @returns by each second in which they were open */
function openBySecond(spans: Holding[], until: number): Map<number, Holding[]> {
	const bySecond: Map<number, Holding[]> = new Map();
	for (const span of spans)
		for (let second = Math.floor(span.from); second <= Math.floor(Math.min(span.to, until)); second += 1) {
			const own = bySecond.get(second);
			if (own) own.push(span);
			else bySecond.set(second, [span]);
		}
	return bySecond;
}

export function lockReported({
	seen,
	readings,
	service,
	moments,
	calm,
	waiting,
}: Of<'calm' | 'moments' | 'seen' | 'service' | 'waiting', 'holders'>): Why | null {
	const holders = readings.holders(service, moments);
	const now = countOf(holders);
	const before = calm.length < CALM_LEAST ? null : countOf(readings.holders(service, calm));
	if (now < Math.max(WAITING_LEAST, WAITING_SHARE * waiting.standing) || (before ?? 0) * LIFT_TIMES > now) return null;
	const tenantAt = lookUp(seen.wire.services);
	const nameOf = (address: string) => (address === '' ? `a client within ${service}` : (tenantAt(address, moments[0])?.name ?? address));
	return {
		mechanism: 'lock',
		title: tell('lock', 'reported', { client: nameOf(holders[0].address) }),
		basis: before === null ? 'inferred' : 'counted',
		evidence: [
			...holders
				.slice(0, HOLDERS_SHOWN)
				.map(({ address, state, waiting: count, held_s: held }) =>
					tell('lock', 'holder', { client: nameOf(address), service, count, held, state }),
				),
			...(before === null ? [] : [tell('lock', 'before', { count: before })]),
		],
	};
}
