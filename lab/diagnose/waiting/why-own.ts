/** Of answers that a service gave by itself: a limit, a mistake, or what had been given before. */

import { ascending, upTo } from '../../stats/numbers.ts';
import { isByTurns, unreadBytes } from '../../wire/turns.ts';
import { some } from '../joins/grouped.ts';
import { askedBy, GOOD_LEAST } from './asked.ts';
import { nothingFor } from './missed-before.ts';
import { GOOD, once } from './seen.ts';
import { average, CLOCK_S, countBegun, Going, kindsOf, share } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { CALM_LEAST, calmAt, isByItself, isTurnedAway, paceAt } from './step.ts';
import { counted, ended, endedOfAll, endedText, few, percent, seconds, things } from './text.ts';
import { othersAt } from './why-cpu.ts';
import { otherAnswer } from './why-given.ts';
import { refusedForLength } from './why-long.ts';
import type { Worded } from './writing.ts';
import { tell } from './writing.ts';

/** Requests that are looked at. */
const AT_WORK_MOST = 200;

/**
 * Whether it asked somebody for most of the failed, and what came of it is not on record: it could not be read, or passed a network that was not
 * recorded.
 */
export function isBlind({ seen, service, failed }: Of<'failed' | 'seen' | 'service'>) {
	const { from, until } = unreadOf(seen, service);
	const hidden = failed.filter((call) => upTo(from, seen.over[call]) > upTo(until, seen.began[call]));
	const isUnseen = seen.wire.networks.some(({ unseen, members = [] }) => unseen !== '' && members.includes(service));
	return isUnseen || hidden.length >= HIDDEN_SHARE * failed.length;
}
/** Whether most of the failed asked somebody whose answers are not read: one of them may have been the error. */
const isReportedByTurns = ({ seen, failed }: Of<'failed' | 'seen'>) =>
	failed.filter((call) => seen.childrenOf(call).some((child) => isTurn(seen, child))).length >= HIDDEN_SHARE * failed.length;

const isTurn = ({ lineOf }: Step['seen'], call: number) => isByTurns(lineOf(call)?.connection ?? { protocol: '', calls: 0 });

/** It answered by itself without having asked whom it asks for good ones, as far as that is on record. */
export const isUnasked = (step: Of<'asked' | 'failed' | 'good_s' | 'seen' | 'service' | 'sign' | 'took_s'>) =>
	isByItself(step) && isHardlyAsked(step) && !isBlind(step);

export const isHardlyAsked = ({ asked: { failed, good } }: Of<'asked'>) => good !== null && failed <= good * SENT_PART;
/** Of the share of good ones that have a call: joins by order give some by chance. */
export const SENT_PART = 0.5;

/** Of the failed. The lab's own choice: the rest, which ended alike, asked nobody else. */
const HIDDEN_SHARE = 0.5;

/** When its connections were open on which something could not be read. */
const unreadOf = once((seen, service) => {
	const unread = seen
		.calleesOf(service)
		.flatMap((to) => seen.lines(service, to))
		.filter(({ connection }) => unreadBytes(connection) > 0);
	return {
		from: ascending(unread.map(({ connection }) => connection.opened_at)),
		until: ascending(unread.map(({ connection }) => connection.ended_at ?? Number.POSITIVE_INFINITY)),
	};
});

/** At once, while no call for it went wrong. */
export function ownAnswer(
	step: Of<'asked' | 'caller' | 'calm' | 'failed' | 'good' | 'good_s' | 'moments' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>,
): Why | null {
	const { service, asked, failed, sign, seen, took_s: took } = step;
	if (!isByItself(step) || isBlind(step) || isReportedByTurns(step)) return null;
	const isAlone = seen.madeBy(service).length === 0;
	const beside = asked.beside.filter(({ calls }) => calls >= failed.length / 2).slice(0, 2);
	const other = otherAnswer(step);
	const taker = isTurnedAway(step) ? takerOf(step) : null;
	const repeated = repeatedOf(step);
	if (repeated !== null) return { mechanism: 'own-error', isUnsaid: true, basis: 'inferred', ...repeated };
	const long = refusedForLength(step);
	const said = endedText(step);
	const missed = isTurnedAway(step) || long !== null ? null : nothingFor(step);
	const after = other === null ? undefined : tell('own-error', 'after', { to: other.to, than: other.than });
	return {
		mechanism: isTurnedAway(step) ? 'turned-away' : 'own-error',
		isUnsaid: true,
		// A counter that is above a limit is no other answer.
		title: isTurnedAway(step)
			? tell('turned-away', 'title', { sign, isTooMany: sign === TOO_MANY, taker: taker?.facts.taker })
			: tell('own-error', 'title', {
					sign,
					...(long?.meaning ? { meaning: long.meaning } : {}),
					more: long?.text ?? missed?.text ?? after,
				}),
		basis: isAlone || asked.good !== null ? 'counted' : 'inferred',
		ofAll: { said, of: endedOfAll({ seen, service, failed, sign, took_s: took }) },
		...(missed && missed.doubts.length > 0 ? { doubts: missed.doubts } : {}),
		evidence: [
			...(taker === null ? [] : [taker]),
			...(long?.evidence ?? missed?.evidence ?? []),
			said,
			...siblingsText(step),
			...(isAlone || (asked.failed === 0 && asked.good === 0)
				? [isAlone ? `${service} made no calls of its own.` : `${service} made no calls of its own for such requests.`]
				: percent(asked.failed) === percent(asked.good ?? -1)
					? []
					: [
							`${service} made calls for ${percent(asked.failed)} of these${asked.good === null ? '' : `, and for ${percent(asked.good)} of the good requests`}; no failed call belongs to the failed requests.`,
						]),
			...(other === null ? [] : [other.evidence]),
			...(isTurnedAway(step) ? atWork(step) : []),
			...beside.map(
				(one) =>
					`${counted(one.calls)} calls to ${one.to} were ${ended(one.sign)} beside them: ${percent(one.failed)} of the failed${one.good === null ? '' : ` and ${percent(one.good)} of the good`} have one, and ${percent(one.back)} of them lie in a failed request.`,
			),
		],
	};
}

/** Of the good ones, for which a cache asks somebody; of the failed, after which a callee had answered the same; and how long it may be kept. */
const CACHE_ASKS_MOST = 0.5;
const REPEATED_SHARE = 0.95;
const REPEATED_MOST_S = 60;

/**
 * Who answers most without asking, as a cache does, gives out errors too that it was given: each comes after one, which is that of few requests.
 */
function repeatedOf({
	seen,
	service,
	asked,
	failed,
	sign,
}: Of<'asked' | 'failed' | 'seen' | 'service' | 'sign'>): Pick<Why, 'title' | 'evidence'> | null {
	if (asked.good === null || asked.good > CACHE_ASKS_MOST || asked.good === 0) return null;
	const kinds = kindsOf(seen, failed);
	for (const to of seen.calleesOf(service)) {
		const same = ascending(
			seen
				.onEdge(service, to)
				.filter((call) => seen.sign[call] === sign && kinds.has(seen.kind[call]))
				.map((call) => seen.over[call]),
		);
		const after = failed.filter((call) => {
			const last = same[upTo(same, seen.over[call]) - 1];
			return last !== undefined && last >= seen.began[call] - REPEATED_MOST_S;
		});
		if (same.length >= failed.length || after.length < REPEATED_SHARE * failed.length) continue;
		return {
			title: tell('own-error', 'repeated', { sign, to, times: same.length }),
			evidence: [
				`${service} made calls for ${percent(asked.failed)} of these, and for ${percent(asked.good)} of the good requests; ${to} had answered it ${sign} ${things(same.length, 'time')}, the first before ${percent(share(after.length, failed.length))} of these.`,
			],
		};
	}
	return null;
}

/** Others that its caller asks for the same, and that answer well: what differs between them is at fault. */
function siblingsText({
	seen,
	service,
	caller,
	failed,
	sign,
	time,
}: Of<'caller' | 'failed' | 'seen' | 'service' | 'sign' | 'time'>): string[] {
	const kinds = kindsOf(seen, failed);
	const isSuch = (call: number) => kinds.has(seen.kind[call]) && seen.began[call] >= time.from && seen.began[call] <= time.to;
	return seen
		.calleesOf(caller)
		.filter((to) => to !== service)
		.flatMap((to) => {
			const such = seen.onEdge(caller, to).filter(isSuch);
			const good = such.filter((call) => seen.sign[call] === GOOD).length;
			return good < GOOD_LEAST || such.some((call) => seen.sign[call] === sign)
				? []
				: [
						`Meanwhile ${to} answered ${good === such.length ? `all ${counted(good)}` : `${counted(good)} of ${counted(such.length)}`} such requests of ${caller} well, and none so.`,
					];
		})
		.slice(0, SIBLINGS_SHOWN);
}
const SIBLINGS_SHOWN = 2;

/** https://www.rfc-editor.org/rfc/rfc6585#section-4 */
const TOO_MANY = '429';

/** How much it had to do of what it takes such requests for: one that is full is busy. */
function atWork({ seen, service, failed, good }: Of<'failed' | 'good' | 'seen' | 'service'>): string[] {
	const callees = askedBy(seen, service, kindsOf(seen, failed));
	if (callees.length === 0 || good.length < GOOD_LEAST) return [];
	const open = callees.map((to) => new Going(seen.onEdge(service, to), seen.began, seen.over));
	const meanAt = (calls: number[]) =>
		average(some(calls, AT_WORK_MOST).map((call) => open.reduce((sum, going) => sum + going.at(seen.began[call] - CLOCK_S), 0)));
	const [now, usual] = [meanAt(failed), meanAt(good)];
	// As much, or next to nothing: that tells nothing.
	if (Math.max(now, usual) < Math.max(ONE_CALL, AT_WORK_TIMES * Math.min(now, usual))) return [];
	return [`When these came it had ${few(now)} calls open to ${callees.join(' and ')}, when good ones came ${few(usual)}.`];
}
const ONE_CALL = 1;
const AT_WORK_TIMES = 1.5;

/**
 * Another client that is turned away as well makes most of the calls, far more than in calm seconds, and did so when it began: who is turned away may
 * only try again.
 */
function takerOf({
	seen,
	service,
	caller,
	moments,
	calm,
	sign,
}: Of<'caller' | 'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'sign'>): Worded | null {
	const { began } = seen;
	const [all, own] = [seen.servedBy(service), seen.onEdge(caller, service)];
	const [most] = othersAt(seen, service)
		.map(({ from, calls }) => ({ from, calls, now: paceAt(seen, calls, moments) }))
		.toSorted((one, other) => other.now - one.now);
	const first = all.find((call) => seen.sign[call] === sign);
	if (most === undefined || first === undefined) return null;
	const { from, calls, now } = most;
	const part = share(now, paceAt(seen, all, moments));
	const countBefore = (some: number[]) => countBegun(seen, some, began[first] - BEFORE_S, began[first] - CLOCK_S);
	if (part < TAKER_SHARE || countBefore(calls) < TAKER_SHARE * Math.max(1, countBefore(all))) return null;
	const isAround = calmAt(moments);
	const refused = (some: number[]) => {
		const such = some.filter((call) => isAround(began[call]));
		return share(such.filter((call) => seen.sign[call] === sign).length, such.length);
	};
	if (refused(calls) < ALIKE_PART * refused(own)) return null;
	// Before it was in use at all nobody asked it much.
	const still = calm.filter((at) => at >= began[own[0]]);
	const [usual = null] = [still, still.filter((at) => at < began[first] - BEFORE_S)]
		.filter(({ length }) => length >= CALM_LEAST)
		.map((times) => paceAt(seen, calls, times))
		.sort((one, other) => one - other);
	if (usual === null || now < TAKER_TIMES * usual) return null;
	return tell('turned-away', 'taker', { taker: { from, part }, service, now, usual });
}
/** Of all calls; as compared with calm seconds; and turned away, of that share among its caller's. */
const TAKER_SHARE = 0.5;
const TAKER_TIMES = 3;
const ALIKE_PART = 1 / 3;
const BEFORE_S = 1;

/** @returns of requests that it closed or reset, and asked nobody for */
export const brokenOff = ({
	service,
	asked,
	failed,
	sign,
	took_s: took,
	readings,
	moments,
}: Of<'asked' | 'failed' | 'moments' | 'service' | 'sign' | 'took_s', 'queued'>): Why => {
	const queue = readings.queued(service, moments);
	return {
		mechanism: 'broken-off',
		basis: 'counted',
		evidence: [
			`${counted(failed.length)} requests in ${service} were ${ended(sign)}, after ${seconds(took)} at the median.`,
			`${service} made calls for ${percent(asked.failed)} of them, and for ${percent(asked.good ?? 0)} of the good requests.`,
			...(queue && queue.most > 0 ? [`Up to ${things(queue.most, 'connection')} waited to be accepted.`] : []),
		],
	};
};
