/**
 * What the logs of services say beside a finding: templates that were written in the failing moments and hardly in calm ones, or one for one
 * with the failed requests. They are evidence for what the walk found; what happens at the same time may be no cause. Of the place itself a line may
 * be the witness of why (witness.ts).
 */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import { upTo } from '../../stats/numbers.ts';
import { unreadBytes } from '../../wire/turns.ts';
import { beforeEnds, endedOf, type LastWords, lastWordsText } from './before-ends.ts';
import type { End } from './follow.ts';
import type { LogWords, ServiceLog } from './logs.ts';
import { NEAR_S } from './one-to-one.ts';
import { failingTimeOf, keptSayings, type Saying, sayings, stateSaying } from './saying.ts';
import { GOOD, type Seen } from './seen.ts';
import { endsOf, kindsOf, mostFirst, share } from './spread.ts';
import type { Why } from './step.ts';
import { counted, mostCoded, things } from './text.ts';
import { isBusyWith, RESTARTING, reported, restarting } from './why-restarting.ts';
import { CERTIFICATES, CRASHED, namesCause, quotedOf } from './witness.ts';
import { hasMeaning, tell, withMeaning } from './writing.ts';

export type About = {
	seen: Seen;
	/** equal of ends that are one finding */
	reasonOf: (found: { end: End }) => string;
	/** moments */
	calm: number[];
	logOf: (service: string) => ServiceLog | null;
	codeMeaning: LogWords['codeMeaning'];
	uncaughtIn: LogWords['uncaughtIn'];
};

const SAYINGS_MOST = 3;
const OF_ONE_MOST = 2;

export function withWords<F extends { end: End }>(found: F[], about: About): F[] {
	const groups = grouped(found, about.reasonOf);
	return [...groups.values()].flatMap((group) => {
		const words = wordsBeside(
			about,
			group.map(({ end }) => end),
		);
		const reported = (end: End) => {
			const last = lastWords(about, end);
			const lines = last === null ? [] : [lastWordsText(last, end.why.ends?.length ?? 0)];
			// What its runtime says of the end, and the line that stands there already, are no news beside it.
			const said = last?.isError
				? words.said.filter(({ cause, line }) => cause !== CRASHED && (cause !== null || line !== last.text))
				: words.said;
			return endedWith(worded(end, { ...words, said }, [...codeText(about, end), ...keptText(about, end), ...lines]), last, end);
		};
		return group.map((one) => ({ ...one, end: refusing(about, restarting(about, reported(coded(about, one.end)))) }));
	});
}

function worded(end: End, { said, doubts }: { said: Saying[]; doubts: string[] }, code: string[]): End {
	const hint = said.find((saying) => namesCause(end.why, saying));
	// That a process ended of an error tells nothing of the error.
	const own = hint?.cause && hint.cause !== CRASHED ? undefined : quotedOf(end.why, said);
	// What stands for each of them is told first; and where the log alone tells why, it is what the reason rests on.
	const first = hint ?? (end.why.mechanism === null || own?.isOfThese ? own : undefined);
	const idle = hint?.cause === 'pool-full' ? end.why.idle : undefined;
	return {
		...end,
		evidence: [
			...(first ? [first.text] : []),
			...end.evidence,
			...code,
			...said.filter((saying) => saying !== first).map(({ text }) => text),
		],
		doubts: [...end.doubts, ...doubts, ...(hint?.cause && isBusyWith(hint.cause, end.why.mechanism) ? [EITHER_FIRST] : [])],
		...(idle ? { place: { ...end.place, edge: { from: end.place.service, to: idle.to } } } : {}),
		// Whom it asks for others has no part in it.
		...(first?.isOfThese && end.why.besideReason ? { place: { ...end.place, edge: null } } : {}),
		// Its own log has a line for each of them: that they stood there is counted.
		...(hint?.isOneToOne && end.basis === 'inferred' && end.chain.every(({ by, good }) => by !== 'waiting' && good !== null)
			? { basis: 'counted' as const }
			: {}),
		...(first?.isOfThese || own
			? {
					log: {
						words: own?.words ?? '',
						is_each: (own ?? first)?.isOfThese === true,
						...(own?.isFirst && !own.isOfThese ? { is_first: true } : {}),
					},
				}
			: {}),
		why: hint?.cause
			? {
					...end.why,
					...(idle ? lostPool(idle) : reported(hint.cause, end.place, end.why.mechanism)),
					basis: hint.isOneToOne ? 'counted' : 'inferred',
				}
			: own?.isOfThese
				? { ...end.why, ...end.why.besideReason }
				: end.why,
	};
}

/**
 * Whose certificate it refused: that of the one callee to which it opened a connection for each of the failed that nobody else can read. One that
 * has expired is its owner's trouble.
 * @returns the same, unless it refused one
 */
function refusing({ seen }: About, end: End): End {
	const { place, failed, why, doubts } = end;
	const { service } = place;
	if (why.mechanism !== EXPIRED && why.mechanism !== REFUSED) return end;
	const [callee, ...others] = seen.calleesOf(service).filter((to) => isOpenedFor(seen, service, to, failed));
	if (callee === undefined || others.length > 0) return end;
	const isOfCallee = why.mechanism === EXPIRED;
	return {
		...end,
		// It is its caller's log that says so, and whose it was nobody read.
		...(isOfCallee ? { basis: 'inferred' as const } : {}),
		place: { service: isOfCallee ? callee : service, edge: { from: service, to: callee }, beside: [] },
		why: { ...why, title: isOfCallee ? `showed ${service} a certificate that had expired` : `refused the certificate of ${callee}` },
		doubts: [
			...doubts,
			`that it was the certificate of ${callee} is inferred: ${service} opened a connection to it for each of them, and to nobody else`,
		],
	};
}
const [EXPIRED, REFUSED] = CERTIFICATES;
/** Of the failed: that many had a connection of their own. */
const OPENED_SHARE = 0.9;

function isOpenedFor({ began, over, lines }: Seen, from: string, to: string, failed: number[]) {
	const opened = lines(from, to)
		.filter(({ connection }) => unreadBytes(connection) > 0)
		.map(({ connection: { opened_at: at } }) => at)
		.sort((one, other) => one - other);
	return share(failed.filter((call) => upTo(opened, over[call]) > upTo(opened, began[call])).length, failed.length) >= OPENED_SHARE;
}

/** @returns none or a sentence */
function keptText({ seen: { began, load }, logOf }: About, { why: { kept = [] }, place }: End): string[] {
	const log = kept.length === 0 ? null : logOf(place.service);
	if (log === null || log.part > 1) return [];
	return keptSayings(log.templates, Float64Array.from(kept.map((call) => began[call]).filter((at) => at >= load.warmupFrom)).sort());
}

/** What a service that ended wrote before it did, and at no other time. */
function lastWords({ logOf, uncaughtIn }: About, { why: { ends = [] }, place }: End): LastWords | null {
	const log = ends.length === 0 ? null : logOf(place.service);
	return log === null || log.part > 1 ? null : beforeEnds(log.templates, ends, uncaughtIn);
}

/**
 * Of what it ended its log says in the words with which it does so.
 * @param given before its words were read
 */
function endedWith(end: End, last: ReturnType<typeof lastWords>, { why: { ends = [], times, mechanism } }: End): End {
	// A known phrase has told more of it than that it ended.
	const own = last === null || end.why.mechanism !== mechanism ? null : endedOf(last, ends.length, times);
	return own === null ? end : { ...end, why: { ...end.why, title: own } };
}
/** What is too much for a program fills its heap too. */
const EITHER_FIRST =
	'whether it was busy because its heap was full, or its heap filled because it was busy, is not known; a larger heap would tell';

/** Its pool has none to give, and the wire shows that nobody uses them. */
const lostPool = ({ to, total }: NonNullable<Why['idle']>): Pick<Why, 'mechanism' | 'title'> => ({
	mechanism: 'pool-held',
	title: tell('pool-held', 'lost', { to, total }),
});

const CODED: Set<Why['mechanism']> = new Set(['own-error', 'turned-away', 'name-unanswered']);

/** What a code tells, with what that means. */
function coded(about: About, end: End): End {
	const { mechanism, title } = end.why;
	const known = CODED.has(mechanism) ? meant(about, end) : null;
	return known === null || title === undefined ? end : { ...end, why: { ...end.why, title: withMeaning(title, known.meaning) } };
}

/** What the code means with which most of them were answered, and who else was answered so. */
function codeText(about: About, end: End): string[] {
	const known = meant(about, end);
	const isSaid = known === null || hasMeaning(end.why.title);
	return [...(isSaid ? [] : [`${known.code} stands for: ${known.meaning}.`]), ...sameText(about, end)];
}

/**
 * One that has nothing left has none for anybody: who asked for most of it may be another.
 * @returns none or a sentence
 */
function sameText({ seen }: About, { failed, place, why }: End): string[] {
	const { sign, from, began, load } = seen;
	// A status tells of what was asked, unless it is one that turns requests away.
	const own = mostCoded(seen, failed)?.calls ?? (why.mechanism === 'turned-away' ? mostFirst(failed, (call) => sign[call])[0][1] : []);
	const callers = new Set(own.map((call) => from[call]));
	const others = seen.servedBy(place.service).filter((call) => began[call] >= load.from && !callers.has(from[call]));
	const same = own.length === 0 ? [] : others.filter((call) => sign[call] === sign[own[0]]);
	if (same.length === 0 || same.length < SAME_PART * own.length) return [];
	const rows = mostFirst(same, (call) => from[call]).slice(0, OF_ONE_MOST);
	const shares = rows.map(([name, calls]) => {
		const all = others.filter((call) => from[call] === name).length;
		return `${counted(calls.length)} of ${things(all, 'call')} of ${name}`;
	});
	return [`${place.service} gave the same answer to ${shares.join(' and to ')}.`];
}
/** Of the failed. */
const SAME_PART = 0.1;

function meant({ seen, codeMeaning }: About, { failed }: End): { code: string; meaning: string } | null {
	const own = mostCoded(seen, failed);
	const meaning = own && codeMeaning(own.protocol, own.code);
	return own === null || meaning === null ? null : { code: own.code, meaning };
}

/** @param ends of one place and one reason */
function wordsBeside(about: About, ends: End[]): { said: Saying[]; doubts: string[] } {
	const failed = [...new Set(ends.flatMap((end) => end.failed))];
	const places = [...new Set(ends.map(({ place }) => place.service))].sort();
	const requests = ends.reduce((sum, { roots }) => sum + roots.length, 0);
	const said: Saying[] = [];
	const doubts = [];
	for (const services of failed.length === 0 ? [] : [places, ...beside(about.seen, ends, places)]) {
		const isOfPlace = services === places;
		const { own, part } = wordsOf(about, services, failed, { requests, isOfPlace });
		const states = isOfPlace ? statesOf(about, services, failed) : [];
		// What is known, and tells of what was found, before what is only as frequent.
		const tells = (saying: Saying) =>
			ends.some(({ why }) => namesCause(why, saying) || (saying.isOfPlace && saying.cause !== null && saying.cause === why.mechanism));
		// A line without its text is no news beside one that has it.
		const hasWords = own.some(({ words }) => words !== '');
		const left = own.filter(({ cause, words }) =>
			cause === null ? words !== '' || !hasWords : states.every((state) => state.cause !== cause),
		);
		const [telling, others] = [left.filter(tells), left.filter((saying) => !tells(saying))];
		const most = [...states, ...telling, ...others].slice(0, Math.min(OF_ONE_MOST, SAYINGS_MOST - said.length));
		if (most.length > 0 && part > 1) doubts.push(`the log of ${services.join(' and ')} is long: one in ${part} of its seconds was read`);
		said.push(...most);
	}
	return { said, doubts };
}

/**
 * What services had said before, and what was so while most of the failed calls to them went on; hardly any of their kinds went well in that time.
 * @returns none or one, the first
 */
function statesOf({ seen, logOf }: About, services: string[], failed: number[]): Saying[] {
	const { began, over, sign, kind, to: callee } = seen;
	const found = services.flatMap((service) => {
		const own = failed.filter((call) => callee[call] === service);
		const kinds = kindsOf(seen, own);
		const good = seen.servedBy(service).filter((call) => sign[call] === GOOD && kinds.has(kind[call]));
		return (logOf(service)?.states ?? []).flatMap((state) => {
			const during = own.filter((call) => over[call] >= state.from && began[call] <= state.to).length;
			const well = good.filter((call) => began[call] >= state.from && over[call] <= state.to).length;
			if (share(during, own.length) < HELD_SHARE || well > own.length * WELL_PART) return [];
			return [
				stateSaying(
					state,
					own.reduce((first, call) => Math.min(first, began[call]), Number.POSITIVE_INFINITY),
				),
			];
		});
	});
	return found.slice(0, 1);
}
/** Of the failed, and of those as many good ones at the most: one may have been on its way. */
const HELD_SHARE = 0.9;
const WELL_PART = 0.1;

/**
 * Services that may speak of it too: whom the place asked, and who asked it, the nearest first.
 * @returns containers of one service together
 */
function beside({ wire }: Seen, ends: End[], places: string[]): string[][] {
	const service = new Map(wire.services.map((one) => [one.name, one.service]));
	const asked = ends.flatMap(({ place: { edge } }) => (edge ? [edge.to, edge.from] : []));
	const way = ends.flatMap(({ chain }) => chain.map(({ service }) => service).reverse());
	const names = [...new Set([...asked, ...way])].filter((name) => !places.includes(name) && name !== GENERATOR_NAME);
	return [...grouped(names, (name) => service.get(name) || name).values()].map((group) => group.toSorted());
}

/** @returns part: one in so many seconds was read */
function wordsOf(
	{ seen, calm, logOf }: About,
	services: string[],
	failed: number[],
	of: { requests: number; isOfPlace: boolean },
): { own: Saying[]; part: number } {
	const logs = services.flatMap((name) => logOf(name) ?? []);
	if (logs.length === 0) return { own: [], part: 1 };
	const isRead = (t: number) => logs.every((log) => log.isRead(t));
	const written = grouped(
		logs.flatMap(({ templates }) => templates.filter(({ phrase }) => phrase?.cause !== RESTARTING)),
		({ phrase, text }) => phrase ?? text,
	);
	const templates = [...written.values()].map(([one, ...others]) => ({
		...one,
		quote: others.every(({ quote }) => quote === one.quote) ? one.quote : one.text,
		times: [one, ...others]
			.flatMap(({ times }) => times)
			.filter(isRead)
			.sort((earlier, later) => earlier - later),
	}));
	const served = services.flatMap(seen.servedBy);
	// Who is asked by nobody, and takes its work from a queue, has no seconds in which it is asked.
	const usual = served.length === 0 ? calm : calm.filter(isBusy(seen, served));
	const time = failingTimeOf(seen, failed, usual, isRead, NEAR_S);
	const part = Math.max(1, ...logs.map((log) => log.part));
	const isBad = (call: number) => seen.sign[call] !== GOOD && seen.began[call] >= seen.load.from && isRead(seen.over[call]);
	const bad = endsOf(seen, served.filter(isBad));
	const answered = { during: 0, still: 0 };
	for (const call of served) {
		if (time.isFailing(seen.over[call])) answered.during += 1;
		if (time.isCalm(seen.over[call])) answered.still += 1;
	}
	const kinds = kindsOf(seen, failed);
	const well = served.filter((call) => seen.sign[call] === GOOD && seen.began[call] >= seen.load.from && isRead(seen.over[call]));
	const good = [well, well.filter((call) => kinds.has(seen.kind[call]))].map((calls) => endsOf(seen, calls));
	return { own: sayings({ time, services, bad, good, isComplete: part === 1, ...answered, ...of }, templates), part };
}

/** Before its first request a service is idle, and what fails in the warm-up is not followed: such moments are none to compare with. */
function isBusy({ began, load, madeBy, sign }: Seen, served: number[]): (at: number) => boolean {
	const begun = served.reduce((first, call) => Math.min(first, began[call]), Number.POSITIVE_INFINITY);
	const isGoodFirst = madeBy(GENERATOR_NAME).every((call) => began[call] >= load.from || sign[call] === GOOD);
	return (at) => at >= begun && (isGoodFirst || at >= load.from);
}
