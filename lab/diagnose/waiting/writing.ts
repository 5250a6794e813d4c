/**
 * Makes the sentences of answers, after the choice. An answer tells in data: of which cause, which part of what is said of it, and with which
 * names and numbers. Nothing reads a sentence back.
 */

import { mechanisms } from '../../record/causes.ts';
import type { Slowness, Why } from './step.ts';
import { asked, codeOf, counted, ended, few, mebibytes, percent, seconds, things, tookText } from './text.ts';

type Sentences = typeof SENTENCES;

export type Worded = {
	cause: keyof Sentences;
	part: string;
	facts: any;
};

/** a string is as it is: of questions whose answers are no data yet, and of what is made after the choice */
export type Said = string | Worded;

export const tell = <C extends keyof Sentences, P extends keyof Sentences[C] & string>(
	cause: C,
	part: P,
	facts: Sentences[C][P] extends (facts: infer F) => string ? F : never,
): Worded => ({ cause, part, facts });

export const written = (said: Said): string => (typeof said === 'string' ? said : (SENTENCES[said.cause] as any)[said.part](said.facts));

/** The same with what the code means that it names. */
export function withMeaning(said: Said, meaning: string): Said {
	if (typeof said === 'string') return said;
	const { one, sign } = said.facts;
	if (one !== undefined) return { ...said, facts: { ...said.facts, one: withMeaning(one, meaning) } };
	return sign === undefined ? said : { ...said, facts: { ...said.facts, meaning } };
}

/**
 * @param before what was read in calm seconds
 * @param what that is not known without
 */
export const doubtOfCalm = (before: unknown, what: string = 'what is usual'): { doubts?: Said[] } =>
	before === null ? { doubts: [tell('any', 'uncalm', { what })] } : {};

/** Whether it names a code with what that means. */
export const hasMeaning = (said: Said | undefined): boolean =>
	typeof said === 'object' && (said.facts.meaning !== undefined || hasMeaning(said.facts.one));

/** What the place did, as the predicate of a sentence. */
export const titleOf = ({ title, mechanism }: Why): Said =>
	title ?? (mechanism === null ? 'was where they stood' : mechanisms[mechanism].predicate);

/** sign: how calls ended; meaning: of its code */
type Signed = { sign: string; meaning?: string };

const endedSo = ({ sign, meaning }: Signed) => `${ended(sign)}${meaningText(meaning)}`;
const codeIn = ({ sign, meaning }: Signed) => `${codeOf(sign)}${meaningText(meaning)}`;
const meaningText = (meaning: string | undefined) => (meaning === undefined ? '' : ` (${meaning})`);

/** connections to it */
type Pooled = { to: string; total: number };

/** of that service */
type Pool = Pooled & { service: string };

const connections = (count: number) => things(count, 'connection');
const allOfPool = (total: number) => (total === 1 ? 'the only connection of its pool' : `all ${connections(total)} of its pool`);
const calmly = (before: number | null | undefined, text: (number: number) => string) =>
	typeof before === 'number' ? `, and ${text(before)} in calm seconds` : '';
const whileWaiting = (to: string | undefined) => (to === undefined ? '' : ` while it waited for ${to}`);
const mostText = (kind: string | undefined) => (kind === undefined ? '' : `, most of them for ${kind}`);
/** to: to whom it hands them on */
type Used = { protocol: string; to: string | null };

const usedText = ({ protocol, to }: Used) => `went on as ${protocol}${to === null ? '' : ` to ${to}`}`;

/** By cause, of which some are said of several. Titles are predicates of a sentence whose subject is the place. */
const SENTENCES = {
	any: {
		/** Answers that have nothing to do with each other, and are as certain. */
		either: ({ one, other }: { one: Said; other: Said }) => `${written(one)}, or ${written(other)}`,
		took: ({ to, slow }: { to: string; slow: Slowness }) => tookText(to, slow),
		'quickest-alone': ({ to }: { to: string }) =>
			`no second of the load was calm: whether ${to} took longer than usual is known from its quickest calls alone`,
		/** @param f calls at the mean; part of what it was asked, 0 to 1 */
		'most-for': ({
			service,
			callees,
			kind,
			all,
			own,
			part,
		}: {
			service: string;
			callees: string;
			kind: string;
			all: number;
			own: number;
			part: number;
		}) =>
			`Of ${few(all)} calls to ${callees} that went on at the mean ${few(own)} were made for ${kind}, which was ${percent(part)} of what ${service} was asked.`,
		stood: ({ service, standing }: { service: string; standing: number }) => `${few(standing)} requests were waiting in ${service}.`,
		meanwhile: ({ service, to, mean }: { service: string; to: string; mean: number }) =>
			`Meanwhile ${service} waited for ${few(mean)} answers of ${to}.`,
		used: ({ service, cores }: { service: string; cores: number }) => `${service} used ${cores.toFixed(2)} cores.`,
		queue: ({ count, service }: { count: number; service?: string }) =>
			`${connections(count)} waited to be accepted${service === undefined ? '' : ` by ${service}`}.`,
		uncalm: ({ what }: { what: string }) => `no second of the load was calm, so that ${what} is not known`,
		nearly: ({ said }: { said: Said }) => `nearly: ${written(said)}`,
		did: ({ service, what }: { service: string; what: Said }) => `${service} ${written(what)}`,
		rival: ({ one, rival, isEqual, trials }: { one: Said; rival: Said; isEqual: boolean; trials: string[] }) =>
			`${isEqual ? 'whether it' : 'it may also be that it'} ${written(rival)}${isEqual ? ` or ${written(one)} is not known` : ''}${trials.length === 0 ? '' : `: ${trials.join(' or ')} would tell`}`,
	},
	'pool-held': {
		/** @param f total: connections; meanwhile: whom it waited for */
		title: ({ to, total, meanwhile }: Pooled & { meanwhile?: string }) =>
			`held ${allOfPool(total)} to ${to} and sent nothing on ${total === 1 ? 'it' : 'them'}${whileWaiting(meanwhile)}`,
		/** @param f held: transactions at the service */
		before: ({ service, to, total, held, meanwhile }: Pool & { held: number; meanwhile?: string }) =>
			`kept ${things(Math.round(held), 'transaction')} open at ${service}, which has ${connections(total)} to ${to}, and sent nothing in them${whileWaiting(meanwhile)}`,
		'at-once': ({ to, total, ...signed }: Signed & Pooled) =>
			`${endedSo(signed)} at once while it held ${allOfPool(total)} to ${to} and sent nothing on most of them`,
		lost: ({ to, total }: Pooled) => `had none of the ${connections(total)} of its pool to ${to} to give, though nothing was sent on them`,
		held: ({ service, to, total, held, isUnread }: Pool & { held: number; isUnread: boolean }) =>
			`${service} held ${few(held)} of its ${connections(total)} to ${to} ${isUnread ? 'with an answer that it did not read to its end' : 'in a transaction'} and sent nothing on them.`,
		'handed-on': ({ service, to, total, held, standing }: Pool & { held: number; standing: number }) =>
			`${service} held ${few(held)} of its ${connections(total)} to ${to} in a transaction in which nothing was sent; ${few(standing)} requests were waiting in it.`,
		holder: ({ service, from, held }: { service: string; from: string; held: number }) =>
			`${from} had ${few(held)} connections to ${service} in a transaction, and sent nothing on them.`,
		part: ({ held }: { held: number }) => `${few(held)} of them were in a transaction in which nothing was sent.`,
		idle: ({ service, to, total, idle }: Pool & { idle: number }) =>
			`${few(idle)} of ${connections(total)} of ${service} to ${to} were open, and nothing was sent on them.`,
	},
	'pool-full': {
		/** @param f kind: for which most of them are */
		title: ({ to, total, kind }: Pooled & { kind?: string }) => `had ${allOfPool(total)} to ${to} in use${mostText(kind)}`,
		'at-once': ({ to, total, ...signed }: Signed & Pooled) =>
			`${endedSo(signed)} at once while ${allOfPool(total)} to ${to} ${total === 1 ? 'was' : 'were'} in use`,
		used: ({ service, to, total, standing }: Pool & { standing: number }) =>
			`All ${connections(total)} of ${service} to ${to} were in use, and ${few(standing)} requests waited for one.`,
		/** @param f parts of the failed and of the good, 0 to 1 */
		when: ({ service, to, total, part, failed, goodPart }: Pool & { part: number; failed: number; goodPart: number }) =>
			`All ${connections(total)} of ${service} to ${to} were in use when ${percent(part)} of the ${counted(failed)} failed requests came, and when ${percent(goodPart)} of the good ones did; it never had more.`,
		asked: ({ service, part, goodPart }: { service: string; part: number; goodPart: number }) =>
			`${service} made calls for ${percent(part)} of the failed requests, and for ${percent(goodPart)} of the good requests.`,
		limit: () => 'a limit of its own on requests at a time looks the same, unless a line of its log says which it was',
		nearly: ({ service, to, total, used, least }: Pool & { used: number; least: number }) =>
			`${few(used)} of ${connections(total)} of ${service} to ${to} were in use at the mean; ${few(least)} would count as all`,
	},
	'held-by-one': {
		line: ({ to, kind }: { to: string; kind: string }) =>
			`sent calls to ${to} on a connection on which ${kind} was not answered yet: ${to} answers one after the other there`,
		/** @param f parts of moments, 0 to 1 */
		behind: ({
			service,
			to,
			kind,
			part,
			usual,
			mean,
		}: {
			service: string;
			to: string;
			kind: string;
			part: number;
			usual: number;
			mean: number;
		}) =>
			`At ${percent(part)} of the moments at which requests were waiting in ${service}, ${few(mean)} of its calls to ${to} stood on a connection behind ${kind}, in calm seconds at ${percent(usual)}.`,
		with: ({ firsts, took, part, within }: { firsts: number; took: number; part: number; within: number }) =>
			`${counted(firsts)} such ${firsts === 1 ? 'call' : 'calls'} went on for ${seconds(took)}; ${percent(part)} of what stood behind was answered within ${seconds(within)} of its end.`,
		alone: ({ took }: { took: number }) => `What did not stand behind one took ${seconds(took)}.`,
	},
	'workers-taken': {
		/** @param f high: at a time */
		title: ({ high, whom, kind }: { high: number; whom: string; kind?: string }) =>
			`${high === 1 ? 'worked on one request at a time' : `had all ${counted(high)} workers taken`}, each waiting for ${whom}${mostText(kind)}`,
		/** @param f equal: seconds */
		queue: ({ high, whom, equal, ...signed }: Signed & { high: number; whom: string; equal: number }) =>
			`sent ${counted(high)} requests at a time on to ${whom} and no more, and ${endedSo(signed)} to what had waited ${seconds(equal)} in its queue`,
		/** @param f lines: connections */
		shared: ({ high, to, lines }: { high: number; to: string; lines: number }) =>
			`asked ${to} ${counted(high)} at a time, on ${connections(lines)}, and let the others stand: a limit of its own, or of streams on a connection`,
		spared: ({ high, whom, kinds }: { high: number; whom: string; kinds: string }) =>
			`sent ${kinds} on to ${whom} ${counted(high)} at a time and let the others stand, not for a lack of workers: it answered other requests meanwhile`,
		held: ({ whose, high, lasted, isSending }: { whose: string; high: number; lasted: number; isSending: boolean }) =>
			`had its workers taken by ${whose}, ${counted(high)} at a time for ${seconds(lasted)} each${isSending ? ', for it was sent slowly' : ''}`,
		streams: ({ whose, high, total, lasted }: { whose: string; high: number; total: number; lasted: number }) =>
			`had ${counted(high)} of its ${counted(total)} workers taken by ${whose}, each for ${seconds(lasted)}`,
		left: ({ service, high, earlier, most }: { service: string; high: number; earlier: number; most: number }) =>
			`${service} worked on ${counted(high)} more at a time, and on up to ${counted(earlier)} in calm seconds, while ${counted(most)} and fewer of those went on.`,
		worked: ({ service, high, isNever, whom, before }: { service: string; high: number; isNever: boolean; whom: string; before: number }) =>
			`${service} worked on ${counted(high)} at a time and ${isNever ? 'never' : 'hardly ever'} on more, each waiting for ${whom}; ${few(before)} more requests waited for their turn.`,
		answered: ({ quick, others, usual }: { quick: number; others: number; usual: number }) =>
			`Meanwhile it answered ${counted(quick)} of ${counted(others)} other requests, in ${seconds(usual)} at the median: its workers were not all taken.`,
		/** @param f queue: connections that waited; null: others had no answer */
		going: ({
			service,
			whose,
			high,
			lasted,
			queue,
		}: {
			service: string;
			whose: string;
			high: number;
			lasted: number;
			queue: number | null;
		}) =>
			`${counted(high)} calls ${whose} went on in ${service} at most moments and never more, ${seconds(lasted)} each, ${queue === null ? 'each with its answer begun, and hardly any other was answered beside so many' : `while ${connections(queue)} waited to be accepted`}.`,
		sent: ({ service, sending }: { service: string; sending: number }) =>
			`${seconds(sending)} passed until the last byte of such a question had come: ${service} waited for its caller.`,
		unknown: () => 'no second of the load was calm: whether as many go on then is not known',
		/** @param f width: at a time; isOfSome: others of their kind did not wait */
		few: ({ width, standing, isOfSome }: { width: number; standing: number; isOfSome: boolean }) =>
			`worked on ${width === 1 ? 'one request' : things(width, 'request')} at a time, idle and waiting for nobody, while ${few(standing)} stood in it${isOfSome ? ' and others of their kind did not wait: a lock by user, row or file' : `: a lock of its own${width === 1 ? ', or a single worker' : ` by ${counted(width)} keys, or so few workers`}`}`,
		/** @param f alone, early: seconds */
		rhythm: ({ alone, width, spans, early }: { alone: number; width: number; spans: number; early: number }) =>
			`One took ${seconds(alone)} alone, and ${width === 1 ? 'the next was never over' : `${counted(width)} more were never over`} within less after another: of ${counted(spans)} spans nine in ten lasted ${seconds(early)} and more.`,
		inside: ({ service, standing, own }: { service: string; standing: number; own: number }) =>
			`${few(standing)} requests were in ${service}, which waited for ${few(standing - own)} answers of others.`,
		accepted: ({ service }: { service: string }) => `${service} had accepted them all.`,
		overrun: ({ caller, equal }: { caller: string; equal: number }) =>
			`let requests stand until ${caller} gave up after ${seconds(equal)}, though it was idle and waited for nobody: a lock, a sleep or a limit of workers inside`,
		/** @param f calls a second */
		rate: ({ caller, service, equal, now, before }: { caller: string; service: string; equal: number; now: number; before: number }) =>
			`${caller} asked ${service} ${few(now)} times a second (${few(before)} times in calm seconds), and gave up after ${seconds(equal)} each time.`,
		late: ({ count, took }: { count: number; took: number }) =>
			`The ${counted(count)} calls that were still answered then, or just before, took ${seconds(took)} at the median.`,
	},
	'workers-idle-connections': {
		/** @param f used: as what, where they are in use */
		title: ({ count, whose, used, lasted }: { count: number; whose: string; used: Used | null; lasted: number }) =>
			`had its workers held by ${connections(count)} ${used === null ? `that ${whose} kept open and did not use` : `of ${whose} that ${usedText(used)}, each for ${seconds(lasted)}`}`,
		kept: ({
			service,
			count,
			used,
			keepers,
			queue,
		}: {
			service: string;
			count: number;
			used: Used | null;
			keepers: { client: string; count: number }[];
			queue: number;
		}) =>
			`${used === null ? `Callers kept ${few(count)} connections to ${service} open and sent nothing on them` : `${few(count)} connections to ${service} ${usedText(used)}`} (${keepers.map((keeper) => `${few(keeper.count)} of ${keeper.client}`).join(', ')}), while ${few(queue)} waited to be accepted.`,
		alone: ({ service }: { service: string }) => `${service} waited for no callee.`,
		unasked: () => 'nothing was asked on a connection that was kept open: a program that stands still would not have answered there either',
		nearly: ({ service, low, high, queue }: { service: string; low: number; high: number; queue: number }) =>
			`callers kept ${few(low)} to ${few(high)} connections to ${service} open and sent nothing on them, while ${few(queue)} waited to be accepted; a steady number would count`,
	},
	'out-of-descriptors': {
		/** @param f files; connections that the keeper does not use */
		title: ({ open, limit, keeper }: { open: number; limit: number; keeper: { client: string; count: number } | null }) =>
			`had ${counted(open)} files open at a limit of ${counted(limit)}${keeper === null ? '' : `, ${counted(keeper.count)} of them connections that ${keeper.client} kept open and did not use`}`,
		open: ({ service, open, limit, before }: { service: string; open: number; limit: number; before: number | null }) =>
			`A process of ${service} had ${counted(open)} of ${counted(limit)} files open while requests failed${calmly(before, counted)}. Each connection uses one file.`,
		/** @param f connections */
		keeper: ({ client, count, opened, closed }: { client: string; count: number; opened: number; closed: number }) =>
			`${client} had opened ${counted(opened)} connections to it by the last of these and closed ${closed === 0 ? 'none' : counted(closed)}; on ${counted(count)} of them nothing was asked.`,
	},
	'out-of-threads': {
		title: ({ limit }: { limit: number }) =>
			`could not start another thread: it may have ${things(limit, 'process', 'processes')} and threads`,
		/** @param f now, before: refusals a second */
		refused: ({
			service,
			refused,
			failed,
			now,
			before,
		}: {
			service: string;
			refused: number;
			failed: number;
			now: number;
			before: number | null;
		}) =>
			`The kernel refused ${service} a further process or thread ${counted(refused)} times while ${counted(failed)} requests failed there${before === null ? '' : before === 0 ? ', and never in calm seconds' : `, ${few(now)} times a second; ${few(before)} in calm seconds`}.`,
		seen: ({ most, limit }: { most: number; limit: number }) => `Up to ${counted(most)} of ${counted(limit)} were seen at a time.`,
	},
	'memory-short': {
		/** @param f bytes */
		limit: ({ service, limit }: { service: string; limit: number }) => `${service} may use ${mebibytes(limit)} of memory.`,
		/** @param f of the time, 0 to 1 */
		waited: ({ now, before }: { now: number; before?: number | null }) =>
			`Its tasks waited for memory in ${percent(now)} of the time${calmly(before, percent)}.`,
		/** @param f pages a second */
		back: ({ now, before }: { now: number; before?: number | null }) =>
			`${counted(now)} pages a second that had been thrown out came back from the disk for it${calmly(before, counted)}.`,
	},
	'disk-wait': {
		/** @param f service: null of the machine; of the time, 0 to 1 */
		waited: ({ service, now, before }: { service: string | null; now: number; before: number | null }) =>
			`${service === null ? 'On the machine something' : `Tasks of ${service}`} waited for the disk in ${percent(now)} of the time while requests failed${calmly(before, percent)}.`,
		/** @param f bytes a second */
		moved: ({ name, now, before }: { name: string; now: number; before: number | null }) =>
			`${name} read and wrote ${mebibytes(now)} a second there${calmly(before, mebibytes)}.`,
		'machine-alone': ({ service }: { service: string }) =>
			`the kernel counts waiting for the disk for the whole machine alone, not for ${service}`,
	},
	'slots-taken': {
		/** @param f full: parts that came when so many were open, 0 to 1 */
		kept: ({
			service,
			count,
			isOfBoth,
			full,
			goodFull,
		}: {
			service: string;
			count: number;
			isOfBoth: boolean;
			full: number;
			goodFull: number;
		}) =>
			`${service} kept ${connections(count)}${isOfBoth ? ', to its callers and to whom it asks,' : ''} and never more. ${percent(full)} of the connections that it refused came while that many were open, and ${percent(goodFull)} of those that it accepted.`,
	},
	lock: {
		/** @param f statement: that took it; null of a transaction */
		title: ({ client, isOfTables, statement }: { client: string; isOfTables: boolean; statement: string | null }) =>
			statement === null
				? `let calls wait for ${isOfTables ? `tables that ${client} had locked` : `a transaction that ${client} kept open`}`
				: `let calls wait for a lock that ${client} had taken with ${asked(statement)}`,
		/** @param f callee: empty where they waited for none */
		'in-turn': ({ whose, callee }: { whose: string; callee: string }) =>
			`let calls wait for a lock that transactions of ${whose} held one after the other${callee === '' ? '' : `, while they waited for ${callee}`}`,
		'given-up': () => 'let calls wait for a lock until it gave them up',
		reported: ({ client }: { client: string }) => `let calls wait for a lock that ${client} held`,
		/** @param f parts of those that waited, and of the good, 0 to 1 */
		kept: ({
			client,
			service,
			isOfTables,
			statement,
			longest,
			part,
			goodPart,
		}: {
			client: string;
			service: string;
			isOfTables: boolean;
			statement: string | null;
			longest: number;
			part: number;
			goodPart: number | null;
		}) =>
			`${client} kept ${statement !== null ? `a lock that it had taken with ${asked(statement)}` : isOfTables ? 'tables locked' : 'a transaction open'} at ${service}, for up to ${seconds(longest)}, before and through ${percent(part)} of the calls that waited${goodPart === null ? '' : `, and ${percent(goodPart)} of the good ones`}.`,
		released: ({ part, within }: { part: number; within: number }) =>
			`${percent(part)} of them were over within ${seconds(within)} of its end.`,
		'let-go': ({ waited, over, within }: { waited: number; over: number; within: number }) =>
			`${counted(waited)} such calls still waited as it was given back: ${counted(over)} were over within ${seconds(within)} of that.`,
		rows: ({ client }: { client: string }) =>
			`${client} had changed the same table, and other calls to it went on: that it held these very rows is not on record`,
		/** @param f covered: part of the wait, 0 to 1 */
		turns: ({ each, kinds, covered }: { each: number; kinds: string; covered: number }) =>
			`While one of these waited, ${few(each)} other transactions that had got the same (${kinds}) came to their end; they held it for ${percent(covered)} of the wait.`,
		turn: ({ held, callee, part, took }: { held: number; callee: string; part: number; took: number }) =>
			`Each held it for ${seconds(held)} at the median${callee === '' ? '' : `; in ${percent(part)} a call to ${callee} took up most of that, ${seconds(took)}`}.`,
		'row-unknown': () => 'which of them held the very same row is not on record',
		'by-time': ({ callee }: { callee: string }) => `that these calls to ${callee} were made for them is known by their time alone`,
		unknown: () => 'Who held the lock is not on record: no transaction was seen that was open before and through these calls.',
		/** @param f count: that waited for it */
		holder: ({ client, service, count, held, state }: { client: string; service: string; count: number; held: number; state: string }) =>
			`${client} held locks that ${few(count)} others waited for, by what ${service} told each second, in a transaction of up to ${seconds(held)} (${state || 'in an unknown state'}).`,
		before: ({ count }: { count: number }) => `In calm seconds ${count === 0 ? 'nobody' : counted(count)} waited for a lock there.`,
	},
	'cpu-throttled': {
		/** @param f slow: the kind that it works on; also: who else has it work */
		title: ({ slow, also }: { slow: { title: Said; usual: number } | null; also: Said | null }) =>
			`${mechanisms['cpu-throttled'].predicate}${slow === null ? '' : `, and ${written(slow.title)} (${seconds(slow.usual)} in calm seconds)`}${also === null ? '' : written(also)}`,
		/** @param f of its quota periods, 0 to 1 */
		throttled: ({ service, now, before }: { service: string; now: number; before: number | null }) =>
			`${service} was throttled in ${percent(now)} of its quota periods while requests failed${before === null ? '' : `, and in ${percent(before)} in calm seconds`}.`,
		throughout: ({ service, now, cores }: { service: string; now: number; cores: number }) =>
			`${service} was throttled in ${percent(now)} of its quota periods, and used ${cores.toFixed(2)} cores.`,
		'calm-too': ({ before }: { before: number }) => `it was throttled in ${percent(before)} of its periods in calm seconds too`,
		nearly: ({ service, now, least }: { service: string; now: number; least: number }) =>
			`${service} was throttled in ${percent(now)} of its quota periods; ${percent(least)} would count`,
	},
	'cpu-taken': {
		taken: ({ name, now, before, cores }: { name: string; now: number; before: number; cores: number }) =>
			`${name} used ${now.toFixed(2)} of ${few(cores)} cores while requests failed, and ${before.toFixed(2)} in calm seconds.`,
		/** @param f of the machine, 0 to 1 */
		machine: ({ busy, still }: { busy: number; still: number }) =>
			`The machine was ${percent(busy)} busy, and ${percent(still)} in calm seconds.`,
		/** @param f of the time, 0 to 1 */
		waited: ({ service, now, before }: { service: string; now: number; before: number }) =>
			`Tasks of ${service} waited for a CPU in ${percent(now)} of the time, and in ${percent(before)} in calm seconds.`,
		stood: ({ service }: { service: string }) => `Requests were waiting in ${service}, which waited for no callee.`,
		'calm-too': () => 'the machine was as full in calm seconds: who else took its CPU then is not known',
	},
	busy: {
		/** @param f isThread: as much as one can use; else as its quota allows */
		title: ({ cores, isThread }: { cores: number; isThread: boolean }) =>
			`${mechanisms.busy.predicate}: it used ${cores.toFixed(2)} cores, as much as ${isThread ? 'one thread can' : 'its quota allows'}`,
		beside: ({ one, also }: { one: Said; also: Said }) => `${written(one)}${written(also)}`,
		used: ({ service, cores, before }: { service: string; cores: number; before: number | null }) =>
			`${service} used ${cores.toFixed(2)} cores while requests failed${before === null ? '' : `, and ${before.toFixed(2)} in calm seconds`}.`,
		silent: () =>
			'While requests failed, it answered no request and made no calls. An endless loop looks like this, and so does a garbage collector that runs all the time.',
		unanswered: ({ count }: { count: number }) => `${counted(count)} connection requests got no answer.`,
		/** @param f calls that went on */
		also: ({ now, kind, from }: { now: number; kind: string; from: string }) =>
			`, while ${few(now)} calls ${kind} of ${from} went on there`,
		others: ({
			now,
			all,
			usual,
			from,
			service,
			longest,
		}: {
			now: number;
			all: number;
			usual: number;
			from: string;
			service: string;
			longest: number;
		}) =>
			`${from}, which no service asks, had ${few(now)} of the ${few(all)} calls that went on at ${service} while requests failed, for up to ${seconds(longest)} each, and ${few(usual)} in calm seconds.`,
	},
	'time-limit': {
		/** @param f seconds; late: of answers that nobody waited for */
		title: ({ service, what, equal, late, usual }: { service: string; what: string; equal: number; late: number | null; usual: number }) =>
			`gave ${service} up after ${seconds(equal)}, a time limit ${late === null ? `hardly longer than the ${seconds(usual)} and more` : `shorter than the ${seconds(late)}`} that ${what} takes there as a rule`,
		own: ({ to, equal }: { to: string; equal: number }) =>
			`ended requests after ${seconds(equal)}, a time limit of its own, while it waited for ${to}`,
		/** @param f that were answered, and that were not */
		closed: ({ to, longest, shortest }: { to: string; longest: number; shortest: number }) =>
			`closed requests without an answer that took longer than a time limit of its own (over ${seconds(longest)}, at most ${seconds(shortest)}), though ${to} had answered them`,
		'given-up': ({
			caller,
			service,
			what,
			count,
			equal,
		}: {
			caller: string;
			service: string;
			what: string;
			count: number;
			equal: number;
		}) => `${caller} gave up ${counted(count)} calls ${what} to ${service}, each after ${seconds(equal)}.`,
		late: ({ count, low, high }: { count: number; low: number; high: number }) =>
			`${counted(count)} of them were answered well all the same, when nobody waited any more: ${seconds(low)} to ${seconds(high)} after they were asked, from the first to the last.`,
		'in-time': ({ count, low, high, usual }: { count: number; low: number; high: number; usual: number }) =>
			`${counted(count)} such calls were answered in time, after ${seconds(low)} to ${seconds(high)}, ${seconds(usual)} at the median.`,
		'none-in-time': ({ service }: { service: string }) =>
			`no such call was answered in time: whether ${service} ever takes less for it is not known`,
		'none-well': ({ to }: { to: string }) => `no such request went well: whether ${to} ever takes less for it is not known`,
		'going-on': ({
			service,
			to,
			count,
			equal,
			part,
			...signed
		}: Signed & { service: string; to: string; count: number; equal: number; part: number }) =>
			`${counted(count)} requests in ${service} were ${endedSo(signed)}, each after ${seconds(equal)}; a call to ${to} that had begun with them went on then, in ${percent(part)} of them.`,
		between: ({ count, longest, shortest }: { count: number; longest: number; shortest: number }) =>
			`All ${counted(count)} that took up to ${seconds(longest)} were answered, none that took ${seconds(shortest)} and more: its limit lies between.`,
		error: ({ service, what }: { service: string; what: string }) =>
			`an error of ${service} in the work on ${what}, which breaks the connection off, looks the same`,
		usual: ({ to, low, high, usual }: { to: string; low: number; high: number; usual: number | null }) =>
			`${to} took ${seconds(low)} to ${seconds(high)} for them${usual === null ? ', from the first to the last' : `, and ${seconds(usual)} for such requests that went well`}.`,
	},
	'broken-off': {
		closed: ({ to }: { to: string }) => `closed requests without an answer, though ${to} had answered them`,
		torn: ({ to, low, high }: { to: string; low: number; high: number }) =>
			`broke requests off after ${seconds(low)} to ${seconds(high)} while it waited for ${to}, and its calls to ${to} in the same moment, as a process does that ends`,
		answered: ({ service, to, what, count, took }: { service: string; to: string; what: string; count: number; took: number }) =>
			`${service} closed ${counted(count)} requests ${what} without an answer, ${seconds(took)} after they were asked and as soon as ${to} had answered.`,
		together: ({
			service,
			to,
			count,
			all,
			within,
			...signed
		}: Signed & { service: string; to: string; count: number; all: number; within: number }) =>
			`${counted(count)} of ${counted(all)} requests in ${service} were ${endedSo(signed)} within ${seconds(within)} of a call to ${to} that it gave up.`,
		open: ({ to }: { to: string }) => `why ${to} had not answered by then is not on record`,
	},
	'many-calls': {
		/** @param f number: of calls; each: seconds */
		title: ({ to, what, number, each }: { to: string; what: string; number: number; each: number }) =>
			`made about ${counted(number)} calls to ${to} for each ${what}, which took ${seconds(each)} each (N+1 calls)`,
		waited: ({ service, to, standing, mean, rate }: { service: string; to: string; standing: number; mean: number; rate: number }) =>
			`${few(standing)} requests were in ${service} at the mean, which waited for ${few(mean)} answers of ${to} and asked it ${few(rate)} times a second.`,
		'given-up': ({ caller, equal }: { caller: string; equal: number }) => `${caller} gave up after ${seconds(equal)} each time.`,
	},
	unended: {
		title: ({ caller, silent }: { caller: string; silent: number }) =>
			`began its answers and did not end them: nothing more came for ${seconds(silent)}, until ${caller} gave up`,
		begun: ({ service, caller, count, begun, silent }: { service: string; caller: string; count: number; begun: number; silent: number }) =>
			`${counted(count)} answers of ${service} began ${seconds(begun)} after the question, and were still without their end when ${caller} closed the connection, ${seconds(silent)} after the last byte.`,
		whole: ({ count, took }: { count: number; took: number }) =>
			`${counted(count)} others in the same seconds were whole after ${seconds(took)}.`,
		unknown: () => 'whether it said that more would come than it sent, or stopped in the middle, is not on record',
	},
	'not-read': {
		/** @param f short: what it has none of, and so reads nothing */
		title: ({ service, short }: { service: string; short: Said | null }) =>
			`${short === null ? '' : `${written(short)}, and `}took nothing more of what ${service} sends it`,
	},
	hung: {
		pool: ({ idle }: { idle: Said }) =>
			`${written(idle)} A pool that lost its connections without noticing looks the same: requests wait for one, and nothing is asked.`,
		/** @param f second: of the load; holders: those that had begun; 0 where none is known */
		kept: ({ kind, second, holders }: { kind: string; second: number; holders: number }) =>
			`let each ${asked(kind)} stand from second ${counted(second)} on, in ${holders === 0 ? 'a lock or a limit of its own' : holders === 1 ? 'a lock of its own' : `a limit of its own, ${counted(holders)} at a time`}`,
		stopped: ({
			service,
			kind,
			standing,
			...of
		}: Record<'good' | 'after' | 'second' | 'standing', number> & { service: string; kind: string }) =>
			`${service} answered ${counted(of.good)} requests ${asked(kind)} until second ${counted(of.second)}, and none of the ${counted(of.after)} after. ${few(standing)} stood in it at the mean.`,
		/** @param f open: calls at the mean; askers: of those after */
		unasked: ({ service, open, askers, after }: { service: string; open: number; askers: number; after: number }) =>
			`${service} waited for nobody meanwhile: ${few(open)} calls to others were open for them at the mean. ${counted(askers)} of the ${counted(after)} had asked anybody, as good ones do.`,
		which: () => 'a lock, a limit and an empty pool inside a program look the same',
	},
	gone: {
		/** @param f back_s: median; null where it never was */
		title: ({
			count,
			back_s: back,
			quote,
			isUncaught = false,
		}: {
			count: number;
			back_s: number | null;
			quote?: string;
			isUncaught?: boolean;
		}) => {
			const why = quote === undefined ? '' : isUncaught ? ` of an error that nobody caught (“${quote}”)` : ` with “${quote}” in its log`;
			return `ended${count > 1 ? ` ${counted(count)} times` : ''}${why}${back === null ? '' : `, and was back after ${seconds(back)} each time (median)`}`;
		},
	},
	'own-error': {
		/** @param f more: of which, or after what */
		title: ({ more = '', ...signed }: Signed & { more?: Said }) => `${endedSo(signed)} by itself${written(more)}`,
		repeated: ({ sign, meaning, to, times }: Signed & { to: string; times: number }) =>
			`repeated the ${sign}${meaningText(meaning)} that ${to} had answered ${things(times, 'time')}: it answers good requests without asking too, as a cache does`,
		after: ({ to, than }: { to: string; than: string }) => `, after ${than} answers of ${to} than for good ones`,
	},
	'turned-away': {
		title: ({ isTooMany = false, taker = null, ...signed }: Signed & { isTooMany?: boolean; taker?: Taker | null }) =>
			`turned requests away with ${codeIn(signed)}${isTooMany ? ' (too many requests)' : ''}${taker === null ? '' : `; ${takerText(taker, 'it')}`}`,
		/** @param f calls a second */
		taker: ({ taker, service, now, usual }: { taker: Taker; service: string; now: number; usual: number }) =>
			`${takerText(taker, service)} around these: ${few(now)} a second, and ${few(usual)} in calm seconds.`,
		/** @param f number: that were in it */
		number: ({ number, what, pool, ...signed }: Signed & { number: number; what: string; pool: { total: number; to: string } | null }) =>
			`${endedSo(signed)} when ${counted(number)} or more of ${what} were in it${pool === null ? '' : `, with ${things(pool.total, 'connection')} to ${pool.to}`}`,
		/** @param f connections of that client, and of all */
		keeper: ({ client, count, total, ...signed }: Signed & { client: string; count: number; total: number }) =>
			`turned connections away with error ${codeIn(signed)}, while ${client} kept ${counted(count)} of ${counted(total)} open`,
		/** @param f left: connections that it uses no more */
		connections: ({ slots, left, ...signed }: Signed & { slots: number | null; left: { client: string; count: number } | null }) =>
			`turned connections away with error ${codeIn(signed)}${slots === null ? '' : `, since it had ${counted(slots)} open and takes no more`}${left === null ? '' : `; ${left.client} uses ${counted(left.count)} of its own no more`}`,
	},
	'name-unanswered': {
		title: ({ way, name, ...signed }: Signed & { way: 'silent' | 'waited' | 'ended'; name: string }) =>
			`${way === 'silent' ? 'got no answer' : way === 'waited' ? 'waited for its answer' : `was ${endedSo(signed)}`} when it asked for the address of ${name}`,
	},
};

/** of all calls that it made, 0 to 1 */
type Taker = { from: string; part: number };

const takerText = ({ from, part }: Taker, to: string) => `${from}, which no service asks, made ${percent(part)} of the calls to ${to}`;
