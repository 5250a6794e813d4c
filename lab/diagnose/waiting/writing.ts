/**
 * Makes the sentences of answers, after the choice. An answer tells in data: of which cause, which part of what is said of it, and with which
 * names and numbers. Nothing reads a sentence back.
 *
 * @typedef {typeof SENTENCES} Sentences
 *
 * @typedef {object} Told
 * @property {keyof Sentences} cause
 * @property {string} part
 * @property {any} facts
 *
 * @typedef {string | Told} Said  a string is as it is: of questions whose answers are no data yet, and of what is made after the choice
 */

import { mechanisms } from '../../record/causes.ts';
import { codeOf, counted, ended, few, mebibytes, percent, seconds, things, tookText } from './text.ts';

/**
 * @template {keyof Sentences} C @template {keyof Sentences[C] & string} P
 * @param {C} cause @param {P} part @param {Sentences[C][P] extends (facts: infer F) => string ? F : never} facts @returns {Told}
 */
export const tell = (cause, part, facts) => ({ cause, part, facts });

/** @param {Said} said @returns {string} */
export const written = (said) => (typeof said === 'string' ? said : /** @type {any} */ (SENTENCES[said.cause])[said.part](said.facts));

/** The same with what the code means that it names. @param {Said} said @param {string} meaning @returns {Said} */
export function withMeaning(said, meaning) {
	if (typeof said === 'string') return said;
	const { one, sign } = said.facts;
	if (one !== undefined) return { ...said, facts: { ...said.facts, one: withMeaning(one, meaning) } };
	return sign === undefined ? said : { ...said, facts: { ...said.facts, meaning } };
}

/** @param {unknown} before  what was read in calm seconds @param {string} [what]  that is not known without @returns {{ doubts?: Said[] }} */
export const doubtOfCalm = (before, what = 'what is usual') => (before === null ? { doubts: [tell('any', 'uncalm', { what })] } : {});

/** Whether it names a code with what that means. @param {Said | undefined} said @returns {boolean} */
export const hasMeaning = (said) => typeof said === 'object' && (said.facts.meaning !== undefined || hasMeaning(said.facts.one));

/** What the place did, as the predicate of a sentence. @param {import('./step.ts').Why} why @returns {Said} */
export const titleOf = ({ title, mechanism }) => title ?? (mechanism === null ? 'was where they stood' : mechanisms[mechanism].predicate);

/** @typedef {{ sign: string, meaning?: string }} Signed  sign: how calls ended; meaning: of its code */

/** @param {Signed} signed */
const endedSo = ({ sign, meaning }) => `${ended(sign)}${meaningText(meaning)}`;
/** @param {Signed} signed */
const codeIn = ({ sign, meaning }) => `${codeOf(sign)}${meaningText(meaning)}`;
/** @param {string | undefined} meaning */
const meaningText = (meaning) => (meaning === undefined ? '' : ` (${meaning})`);

/** @typedef {{ to: string, total: number }} Pooled  connections to it @typedef {Pooled & { service: string }} Pool  of that service */

/** @param {number} count */
const connections = (count) => things(count, 'connection');
/** @param {number | null | undefined} before @param {(number: number) => string} text */
const calmly = (before, text) => (typeof before === 'number' ? `, in calm seconds ${text(before)}` : '');
/** @param {string | undefined} to */
const whileWaiting = (to) => (to === undefined ? '' : ` while it waited for ${to}`);
/** @param {string | undefined} kind */
const mostText = (kind) => (kind === undefined ? '' : `, most of them for ${kind}`);
/** @typedef {{ protocol: string, to: string | null }} Used  to: to whom it hands them on */
/** @param {Used} used */
const usedText = ({ protocol, to }) => `went on as ${protocol}${to === null ? '' : ` to ${to}`}`;

/** By cause, of which some are said of several. Titles are predicates of a sentence whose subject is the place. */
const SENTENCES = {
	any: {
		/** Answers that have nothing to do with each other, and are as certain. @param {{ one: Said, other: Said }} facts */
		either: ({ one, other }) => `${written(one)}, or ${written(other)}`,
		/** @param {{ to: string, slow: import('./step.ts').Slowness }} f */
		took: ({ to, slow }) => tookText(to, slow),
		/** @param {{ to: string }} f */
		'quickest-alone': ({ to }) =>
			`no second of the load was calm: whether ${to} took longer than usual is known from its quickest calls alone`,
		/** @param {{ service: string, callees: string, kind: string, all: number, own: number, part: number }} f  calls at the mean; part of what it was asked, 0 to 1 */
		'most-for': ({ service, callees, kind, all, own, part }) =>
			`Of ${few(all)} calls to ${callees} that went on at the mean ${few(own)} were made for ${kind}, which was ${percent(part)} of what ${service} was asked.`,
		/** @param {{ service: string, standing: number }} f */
		stood: ({ service, standing }) => `${few(standing)} requests were waiting in ${service}.`,
		/** @param {{ service: string, to: string, mean: number }} f */
		meanwhile: ({ service, to, mean }) => `Meanwhile ${service} waited for ${few(mean)} answers of ${to}.`,
		/** @param {{ service: string, cores: number }} f */
		used: ({ service, cores }) => `${service} used ${cores.toFixed(2)} cores.`,
		/** @param {{ count: number, service?: string }} f */
		queue: ({ count, service }) => `${connections(count)} waited to be accepted${service === undefined ? '' : ` by ${service}`}.`,
		/** @param {{ what: string }} f */
		uncalm: ({ what }) => `no second of the load was calm, so that ${what} is not known`,
		/** @param {{ said: Said }} f */
		nearly: ({ said }) => `nearly: ${written(said)}`,
		/** @param {{ service: string, what: Said }} f */
		did: ({ service, what }) => `${service} ${written(what)}`,
		/** @param {{ one: Said, rival: Said, isEqual: boolean, trials: string[] }} f */
		rival: ({ one, rival, isEqual, trials }) =>
			`${isEqual ? 'whether it' : 'it may also be that it'} ${written(rival)}${isEqual ? ` or ${written(one)} is not known` : ''}${trials.length === 0 ? '' : `: ${trials.join(' or ')} would tell`}`,
	},
	'pool-held': {
		/** @param {Pooled & { meanwhile?: string }} f  total: connections; meanwhile: whom it waited for */
		title: ({ to, total, meanwhile }) => `held its ${connections(total)} to ${to} and asked nothing on them${whileWaiting(meanwhile)}`,
		/** @param {Pool & { held: number, meanwhile?: string }} f  held: transactions at the service */
		before: ({ service, to, total, held, meanwhile }) =>
			`kept ${things(Math.round(held), 'transaction')} open at ${service}, which has ${connections(total)} to ${to}, and asked nothing in them${whileWaiting(meanwhile)}`,
		/** @param {Signed & Pooled} f */
		'at-once': ({ to, total, ...signed }) =>
			`${endedSo(signed)} at once while it held its ${connections(total)} to ${to} and asked nothing on most of them`,
		/** @param {Pooled} f */
		lost: ({ to, total }) => `had none of its ${connections(total)} to ${to} to give, though nothing was asked on them`,
		/** @param {Pool & { held: number, isUnread: boolean }} f */
		held: ({ service, to, total, held, isUnread }) =>
			`${service} held ${few(held)} of its ${connections(total)} to ${to} ${isUnread ? 'with an answer that it did not read to its end' : 'in a transaction'} and asked nothing on them.`,
		/** @param {Pool & { held: number, standing: number }} f */
		'handed-on': ({ service, to, total, held, standing }) =>
			`${service} held ${few(held)} of its ${connections(total)} to ${to} in a transaction in which nothing was asked; ${few(standing)} requests were waiting in it.`,
		/** @param {{ service: string, from: string, held: number }} f */
		holder: ({ service, from, held }) => `${from} had ${few(held)} connections to ${service} in a transaction, and asked nothing on them.`,
		/** @param {{ held: number }} f */
		part: ({ held }) => `${few(held)} of them were in a transaction in which nothing was asked.`,
		/** @param {Pool & { idle: number }} f */
		idle: ({ service, to, total, idle }) =>
			`${few(idle)} of ${connections(total)} of ${service} to ${to} were open, and nothing was asked on them.`,
	},
	'pool-full': {
		/** @param {Pooled & { kind?: string }} f  kind: for which most of them are */
		title: ({ to, total, kind }) => `had all its ${connections(total)} to ${to} in use${mostText(kind)}`,
		/** @param {Signed & Pooled} f */
		'at-once': ({ to, total, ...signed }) => `${endedSo(signed)} at once while all its ${connections(total)} to ${to} were in use`,
		/** @param {Pool & { standing: number }} f */
		used: ({ service, to, total, standing }) =>
			`All ${connections(total)} of ${service} to ${to} were in use, and ${few(standing)} requests stood before them.`,
		/** @param {Pool & { part: number, failed: number, goodPart: number }} f  parts of the failed and of the good, 0 to 1 */
		when: ({ service, to, total, part, failed, goodPart }) =>
			`All ${connections(total)} of ${service} to ${to} were in use when ${percent(part)} of the ${counted(failed)} failed requests came, and when ${percent(goodPart)} of the good ones did; it never had more.`,
		/** @param {{ service: string, part: number, goodPart: number }} f */
		asked: ({ service, part, goodPart }) =>
			`${service} asked somebody for ${percent(part)} of the failed requests, and for ${percent(goodPart)} of the good ones.`,
		limit: () => 'a limit of its own on requests at a time looks the same, unless a line of its log says which it was',
		/** @param {Pool & { used: number, least: number }} f */
		nearly: ({ service, to, total, used, least }) =>
			`${few(used)} of ${connections(total)} of ${service} to ${to} were in use at the mean; ${few(least)} would count as all`,
	},
	'held-by-one': {
		/** @param {{ to: string, kind: string }} f */
		line: ({ to, kind }) =>
			`sent calls to ${to} on a connection on which ${kind} was not answered yet: ${to} answers one after the other there`,
		/** @param {{ service: string, to: string, kind: string, part: number, usual: number, mean: number }} f  parts of moments, 0 to 1 */
		behind: ({ service, to, kind, part, usual, mean }) =>
			`At ${percent(part)} of the moments at which requests were waiting in ${service}, ${few(mean)} of its calls to ${to} stood on a connection behind ${kind}, in calm seconds at ${percent(usual)}.`,
		/** @param {{ firsts: number, took: number, part: number, within: number }} f */
		with: ({ firsts, took, part, within }) =>
			`${counted(firsts)} such ${firsts === 1 ? 'call' : 'calls'} went on for ${seconds(took)}; ${percent(part)} of what stood behind was answered within ${seconds(within)} of its end.`,
		/** @param {{ took: number }} f */
		alone: ({ took }) => `What did not stand behind one took ${seconds(took)}.`,
	},
	'workers-taken': {
		/** @param {{ high: number, whom: string, kind?: string }} f  high: at a time */
		title: ({ high, whom, kind }) => `had all its workers taken, ${counted(high)} at a time, each waiting for ${whom}${mostText(kind)}`,
		/** @param {Signed & { high: number, whom: string, equal: number }} f  equal: seconds */
		queue: ({ high, whom, equal, ...signed }) =>
			`sent ${counted(high)} requests at a time on to ${whom} and no more, and ${endedSo(signed)} to what had waited ${seconds(equal)} in its queue`,
		/** @param {{ high: number, to: string, lines: number }} f  lines: connections */
		shared: ({ high, to, lines }) =>
			`asked ${to} ${counted(high)} at a time, on ${connections(lines)}, and let the others stand: a limit of its own, or of streams on a connection`,
		/** @param {{ high: number, whom: string, kinds: string }} f */
		spared: ({ high, whom, kinds }) =>
			`sent ${kinds} on to ${whom} ${counted(high)} at a time and let the others stand, not for a lack of workers: it answered other requests meanwhile`,
		/** @param {{ whose: string, high: number, lasted: number, isSending: boolean }} f */
		held: ({ whose, high, lasted, isSending }) =>
			`had its workers taken by ${whose}, ${counted(high)} at a time for ${seconds(lasted)} each${isSending ? ', for it was sent slowly' : ''}`,
		/** @param {{ service: string, high: number, isNever: boolean, whom: string, before: number }} f */
		worked: ({ service, high, isNever, whom, before }) =>
			`${service} worked on ${counted(high)} at a time and ${isNever ? 'never' : 'hardly ever'} on more, each waiting for ${whom}; ${few(before)} more stood before them.`,
		/** @param {{ quick: number, others: number, usual: number }} f */
		answered: ({ quick, others, usual }) =>
			`Meanwhile it answered ${counted(quick)} of ${counted(others)} other requests, in ${seconds(usual)} at the median: its workers were not all taken.`,
		/** @param {{ service: string, whose: string, high: number, lasted: number, queue: number | null }} f  queue: connections that waited; null: others had no answer */
		going: ({ service, whose, high, lasted, queue }) =>
			`${counted(high)} calls ${whose} went on in ${service} at most moments and never more, ${seconds(lasted)} each, ${queue === null ? 'each with its answer begun, and hardly any other was answered beside so many' : `while ${connections(queue)} waited to be accepted`}.`,
		/** @param {{ service: string, sending: number }} f */
		sent: ({ service, sending }) =>
			`${seconds(sending)} passed until the last byte of such a question had come: ${service} waited for its caller.`,
		unknown: () => 'no second of the load was calm: whether as many go on then is not known',
		/** @param {{ width: number, standing: number, isOfSome: boolean }} f  width: at a time; isOfSome: others of their kind did not wait */
		few: ({ width, standing, isOfSome }) =>
			`worked on ${width === 1 ? 'one request' : things(width, 'request')} at a time, idle and waiting for nobody, while ${few(standing)} stood in it${isOfSome ? ' and others of their kind did not wait: a lock by user, row or file' : `: a lock of its own${width === 1 ? ', or a single worker' : ` by ${counted(width)} keys, or so few workers`}`}`,
		/** @param {{ alone: number, width: number, spans: number, early: number }} f  alone, early: seconds */
		rhythm: ({ alone, width, spans, early }) =>
			`One took ${seconds(alone)} alone, and ${width === 1 ? 'the next was never over' : `${counted(width)} more were never over`} within less after another: of ${counted(spans)} spans nine in ten lasted ${seconds(early)} and more.`,
		/** @param {{ service: string, standing: number, own: number }} f */
		inside: ({ service, standing, own }) =>
			`${few(standing)} requests were in ${service}, which waited for ${few(standing - own)} answers of others.`,
		/** @param {{ service: string }} f */
		accepted: ({ service }) => `${service} had accepted them all.`,
		/** @param {{ caller: string, equal: number }} f */
		overrun: ({ caller, equal }) =>
			`let requests stand until ${caller} gave up after ${seconds(equal)}, though it was idle and waited for nobody: a lock, a sleep or a limit of workers inside`,
		/** @param {{ caller: string, service: string, equal: number, now: number, before: number }} f  calls a second */
		rate: ({ caller, service, equal, now, before }) =>
			`${caller} asked ${service} ${few(now)} times a second, in calm seconds ${few(before)} times, and gave up after ${seconds(equal)} each time.`,
		/** @param {{ count: number, took: number }} f */
		late: ({ count, took }) =>
			`The ${counted(count)} calls that were still answered then, or just before, took ${seconds(took)} at the median.`,
	},
	'workers-idle-connections': {
		/** @param {{ count: number, whose: string, used: Used | null, lasted: number }} f  used: as what, where they are in use */
		title: ({ count, whose, used, lasted }) =>
			`had its workers held by ${connections(count)} ${used === null ? `that ${whose} kept open and did not use` : `of ${whose} that ${usedText(used)}, each for ${seconds(lasted)}`}`,
		/** @param {{ service: string, count: number, used: Used | null, keepers: { client: string, count: number }[], queue: number }} f */
		kept: ({ service, count, used, keepers, queue }) =>
			`${used === null ? `Callers kept ${few(count)} connections to ${service} open and asked nothing on them` : `${few(count)} connections to ${service} ${usedText(used)}`} (${keepers.map((keeper) => `${few(keeper.count)} of ${keeper.client}`).join(', ')}), while ${few(queue)} waited to be accepted.`,
		/** @param {{ service: string }} f */
		alone: ({ service }) => `${service} waited for no callee.`,
		unasked: () => 'nothing was asked on a connection that was kept open: a program that stands still would not have answered there either',
		/** @param {{ service: string, low: number, high: number, queue: number }} f */
		nearly: ({ service, low, high, queue }) =>
			`callers kept ${few(low)} to ${few(high)} connections to ${service} open and asked nothing on them, while ${few(queue)} waited to be accepted; a steady number would count`,
	},
	'out-of-descriptors': {
		/** @param {{ open: number, limit: number, keeper: { client: string, count: number } | null }} f  files; connections that the keeper does not use */
		title: ({ open, limit, keeper }) =>
			`had ${counted(open)} files open of the ${counted(limit)} that it may have${keeper === null ? '' : `, ${counted(keeper.count)} of them connections that ${keeper.client} kept open and did not use`}`,
		/** @param {{ service: string, open: number, limit: number, before: number | null }} f */
		open: ({ service, open, limit, before }) =>
			`A process of ${service} had ${counted(open)} of ${counted(limit)} files open while requests failed${before === null ? '' : `, in calm seconds ${counted(before)}`}; each connection is one.`,
		/** @param {{ client: string, count: number, opened: number, closed: number }} f  connections */
		keeper: ({ client, count, opened, closed }) =>
			`${client} had opened ${counted(opened)} connections to it by the last of these and closed ${closed === 0 ? 'none' : counted(closed)}; on ${counted(count)} of them nothing was asked.`,
	},
	'out-of-threads': {
		/** @param {{ limit: number }} f */
		title: ({ limit }) => `could not start another thread: it may have ${things(limit, 'process', 'processes')} and threads`,
		/** @param {{ service: string, refused: number, failed: number, now: number, before: number | null }} f  now, before: refusals a second */
		refused: ({ service, refused, failed, now, before }) =>
			`The kernel refused ${service} a further process or thread ${counted(refused)} times while ${counted(failed)} requests failed there${before === null ? '' : before === 0 ? ', and never in calm seconds' : `, ${few(now)} times a second; ${few(before)} in calm seconds`}.`,
		/** @param {{ most: number, limit: number }} f */
		seen: ({ most, limit }) => `Up to ${counted(most)} of ${counted(limit)} were seen at a time.`,
	},
	'memory-short': {
		/** @param {{ service: string, limit: number }} f  bytes */
		limit: ({ service, limit }) => `${service} may use ${mebibytes(limit)} of memory.`,
		/** @param {{ now: number, before?: number | null }} f  of the time, 0 to 1 */
		waited: ({ now, before }) => `Its tasks waited for memory in ${percent(now)} of the time${calmly(before, percent)}.`,
		/** @param {{ now: number, before?: number | null }} f  pages a second */
		back: ({ now, before }) =>
			`${counted(now)} pages a second that had been thrown out came back from the disk for it${calmly(before, counted)}.`,
	},
	'disk-wait': {
		/** @param {{ service: string | null, now: number, before: number | null }} f  service: null of the machine; of the time, 0 to 1 */
		waited: ({ service, now, before }) =>
			`${service === null ? 'On the machine something' : `Tasks of ${service}`} waited for the disk in ${percent(now)} of the time while requests failed${calmly(before, percent)}.`,
		/** @param {{ name: string, now: number, before: number | null }} f  bytes a second */
		moved: ({ name, now, before }) => `${name} read and wrote ${mebibytes(now)} a second there${calmly(before, mebibytes)}.`,
		/** @param {{ service: string }} f */
		'machine-alone': ({ service }) => `the kernel counts waiting for the disk for the whole machine alone, not for ${service}`,
	},
	'slots-taken': {
		/** @param {{ service: string, count: number, isOfBoth: boolean, full: number, goodFull: number }} f  full: parts that came when so many were open, 0 to 1 */
		kept: ({ service, count, isOfBoth, full, goodFull }) =>
			`${service} kept ${connections(count)}${isOfBoth ? ', to its callers and to whom it asks,' : ''} and no more: ${percent(full)} of those that failed came when so many were open, and ${percent(goodFull)} of those that it took.`,
	},
	lock: {
		/** @param {{ client: string, isOfTables: boolean }} f */
		title: ({ client, isOfTables }) =>
			isOfTables ? `let calls wait for tables that ${client} had locked` : `let calls wait for a transaction that ${client} kept open`,
		/** @param {{ whose: string, callee: string }} f  callee: empty where they waited for none */
		'in-turn': ({ whose, callee }) =>
			`let calls wait for a lock that transactions of ${whose} held one after the other${callee === '' ? '' : `, while they waited for ${callee}`}`,
		'given-up': () => 'let calls wait for a lock until it gave them up',
		/** @param {{ client: string }} f */
		reported: ({ client }) => `let calls wait for a lock that ${client} held`,
		/** @param {{ client: string, service: string, isOfTables: boolean, longest: number, part: number, goodPart: number | null }} f  parts of those that waited, and of the good, 0 to 1 */
		kept: ({ client, service, isOfTables, longest, part, goodPart }) =>
			`${client} kept ${isOfTables ? 'tables locked' : 'a transaction open'} at ${service}, for up to ${seconds(longest)}, before and through ${percent(part)} of the calls that waited${goodPart === null ? '' : `, and ${percent(goodPart)} of the good ones`}.`,
		/** @param {{ part: number, within: number }} f */
		released: ({ part, within }) => `${percent(part)} of them were over within ${seconds(within)} of its end.`,
		/** @param {{ client: string }} f */
		rows: ({ client }) =>
			`${client} had changed the same table, and other calls to it went on: that it held these very rows is not on record`,
		/** @param {{ each: number, kinds: string, covered: number }} f  covered: part of the wait, 0 to 1 */
		turns: ({ each, kinds, covered }) =>
			`While one of these waited, ${few(each)} other transactions that had got the same (${kinds}) came to their end; they held it for ${percent(covered)} of the wait.`,
		/** @param {{ held: number, callee: string, part: number, took: number }} f */
		turn: ({ held, callee, part, took }) =>
			`Each held it for ${seconds(held)} at the median${callee === '' ? '' : `; in ${percent(part)} a call to ${callee} took up most of that, ${seconds(took)}`}.`,
		'row-unknown': () => 'which of them held the very same row is not on record',
		/** @param {{ callee: string }} f */
		'by-time': ({ callee }) => `that these calls to ${callee} were made for them is known by their time alone`,
		unknown: () => 'Who held the lock is not on record: no transaction was seen that was open before and through these calls.',
		/** @param {{ client: string, service: string, count: number, held: number, state: string }} f  count: that waited for it */
		holder: ({ client, service, count, held, state }) =>
			`${client} held locks that ${few(count)} others waited for, by what ${service} told each second, in a transaction of up to ${seconds(held)} (${state || 'in an unknown state'}).`,
		/** @param {{ count: number }} f */
		before: ({ count }) => `In calm seconds ${count === 0 ? 'nobody' : counted(count)} waited for a lock there.`,
	},
	'cpu-throttled': {
		/** @param {{ slow: { title: Said, usual: number } | null, also: Said | null }} f  slow: the kind that it works on; also: who else has it work */
		title: ({ slow, also }) =>
			`${mechanisms['cpu-throttled'].predicate}${slow === null ? '' : `, and ${written(slow.title)} (in calm seconds ${seconds(slow.usual)})`}${also === null ? '' : written(also)}`,
		/** @param {{ service: string, now: number, before: number | null }} f  of its quota periods, 0 to 1 */
		throttled: ({ service, now, before }) =>
			`${service} was throttled in ${percent(now)} of its quota periods while requests failed${before === null ? '' : `, in calm seconds in ${percent(before)}`}.`,
		/** @param {{ service: string, now: number, cores: number }} f */
		throughout: ({ service, now, cores }) =>
			`${service} was throttled in ${percent(now)} of its quota periods, and used ${cores.toFixed(2)} cores.`,
		/** @param {{ before: number }} f */
		'calm-too': ({ before }) => `it was throttled in ${percent(before)} of its periods in calm seconds too`,
		/** @param {{ service: string, now: number, least: number }} f */
		nearly: ({ service, now, least }) => `${service} was throttled in ${percent(now)} of its quota periods; ${percent(least)} would count`,
	},
	'cpu-taken': {
		/** @param {{ name: string, now: number, before: number, cores: number }} f */
		taken: ({ name, now, before, cores }) =>
			`${name} used ${now.toFixed(2)} of ${few(cores)} cores while requests failed, in calm seconds ${before.toFixed(2)}.`,
		/** @param {{ busy: number, still: number }} f  of the machine, 0 to 1 */
		machine: ({ busy, still }) => `The machine was ${percent(busy)} busy, in calm seconds ${percent(still)}.`,
		/** @param {{ service: string, now: number, before: number }} f  of the time, 0 to 1 */
		waited: ({ service, now, before }) =>
			`Tasks of ${service} waited for a CPU in ${percent(now)} of the time, in calm seconds in ${percent(before)}.`,
		/** @param {{ service: string }} f */
		stood: ({ service }) => `Requests were waiting in ${service}, which waited for no callee.`,
		'calm-too': () => 'the machine was as full in calm seconds: who else took its CPU then is not known',
	},
	busy: {
		/** @param {{ cores: number, isThread: boolean }} f  isThread: as much as one can use; else as its quota allows */
		title: ({ cores, isThread }) =>
			`${mechanisms.busy.predicate}: it used ${cores.toFixed(2)} cores, as much as ${isThread ? 'one thread can' : 'its quota allows'}`,
		/** @param {{ one: Said, also: Said }} f */
		beside: ({ one, also }) => `${written(one)}${written(also)}`,
		/** @param {{ service: string, cores: number, before: number | null }} f */
		used: ({ service, cores, before }) =>
			`${service} used ${cores.toFixed(2)} cores while requests failed${before === null ? '' : `, in calm seconds ${before.toFixed(2)}`}.`,
		silent: () =>
			'It answered no request and made no calls meanwhile. An endless loop looks like this, and so does a garbage collector that runs all the time.',
		/** @param {{ count: number }} f */
		unanswered: ({ count }) => `${counted(count)} connection requests got no answer.`,
		/** @param {{ now: number, kind: string, from: string }} f  calls that went on */
		also: ({ now, kind, from }) => `, while ${few(now)} calls ${kind} of ${from} went on there`,
		/** @param {{ now: number, all: number, usual: number, from: string, service: string, longest: number }} f */
		others: ({ now, all, usual, from, service, longest }) =>
			`${from}, which no service asks, had ${few(now)} of the ${few(all)} calls that went on at ${service} while requests failed, for up to ${seconds(longest)} each, and ${few(usual)} in calm seconds.`,
	},
	'time-limit': {
		/** @param {{ service: string, what: string, equal: number, late: number | null, usual: number }} f  seconds; late: of answers that nobody waited for */
		title: ({ service, what, equal, late, usual }) =>
			`gave ${service} up after ${seconds(equal)}, a time limit ${late === null ? `hardly longer than the ${seconds(usual)} and more` : `shorter than the ${seconds(late)}`} that ${what} takes there as a rule`,
		/** @param {{ to: string, equal: number }} f */
		own: ({ to, equal }) => `ended requests after ${seconds(equal)}, a time limit of its own, while it waited for ${to}`,
		/** @param {{ to: string, longest: number, shortest: number }} f  that were answered, and that were not */
		closed: ({ to, longest, shortest }) =>
			`closed requests without an answer that took longer than a time limit of its own (over ${seconds(longest)}, at most ${seconds(shortest)}), though ${to} had answered them`,
		/** @param {{ caller: string, service: string, what: string, count: number, equal: number }} f */
		'given-up': ({ caller, service, what, count, equal }) =>
			`${caller} gave up ${counted(count)} calls ${what} to ${service}, each after ${seconds(equal)}.`,
		/** @param {{ count: number, low: number, high: number }} f */
		late: ({ count, low, high }) =>
			`${counted(count)} of them were answered well all the same, when nobody waited any more: ${seconds(low)} to ${seconds(high)} after they were asked, from the first to the last.`,
		/** @param {{ count: number, low: number, high: number, usual: number }} f */
		'in-time': ({ count, low, high, usual }) =>
			`${counted(count)} such calls were answered in time, after ${seconds(low)} to ${seconds(high)}, ${seconds(usual)} at the median.`,
		/** @param {{ service: string }} f */
		'none-in-time': ({ service }) => `no such call was answered in time: whether ${service} ever takes less for it is not known`,
		/** @param {{ to: string }} f */
		'none-well': ({ to }) => `no such request went well: whether ${to} ever takes less for it is not known`,
		/** @param {Signed & { service: string, to: string, count: number, equal: number, part: number }} f */
		'going-on': ({ service, to, count, equal, part, ...signed }) =>
			`${counted(count)} requests in ${service} were ${endedSo(signed)}, each after ${seconds(equal)}; a call to ${to} that had begun with them went on then, in ${percent(part)} of them.`,
		/** @param {{ count: number, longest: number, shortest: number }} f */
		between: ({ count, longest, shortest }) =>
			`All ${counted(count)} that took up to ${seconds(longest)} were answered, none that took ${seconds(shortest)} and more: its limit lies between.`,
		/** @param {{ service: string, what: string }} f */
		error: ({ service, what }) => `an error of ${service} in the work on ${what}, which breaks the connection off, looks the same`,
		/** @param {{ to: string, low: number, high: number, usual: number | null }} f */
		usual: ({ to, low, high, usual }) =>
			`${to} took ${seconds(low)} to ${seconds(high)} for them${usual === null ? ', from the first to the last' : `, and ${seconds(usual)} for such requests that went well`}.`,
	},
	'broken-off': {
		/** @param {{ to: string }} f */
		closed: ({ to }) => `closed requests without an answer, though ${to} had answered them`,
		/** @param {{ to: string, low: number, high: number }} f */
		torn: ({ to, low, high }) =>
			`broke requests off after ${seconds(low)} to ${seconds(high)} while it waited for ${to}, and its calls to ${to} in the same moment, as a process does that ends`,
		/** @param {{ service: string, to: string, what: string, count: number, took: number }} f */
		answered: ({ service, to, what, count, took }) =>
			`${service} closed ${counted(count)} requests ${what} without an answer, ${seconds(took)} after they were asked and as soon as ${to} had answered.`,
		/** @param {Signed & { service: string, to: string, count: number, all: number, within: number }} f */
		together: ({ service, to, count, all, within, ...signed }) =>
			`${counted(count)} of ${counted(all)} requests in ${service} were ${endedSo(signed)} within ${seconds(within)} of a call to ${to} that it gave up.`,
		/** @param {{ to: string }} f */
		open: ({ to }) => `why ${to} had not answered by then is not on record`,
	},
	'many-calls': {
		/** @param {{ to: string, what: string, rate: number }} f  a second */
		title: ({ to, what, rate }) =>
			`asked ${to} again and again for ${what}, ${few(rate)} times a second in all, and was answered as soon as ever`,
		/** @param {{ service: string, to: string, standing: number, mean: number, rate: number }} f */
		waited: ({ service, to, standing, mean, rate }) =>
			`${few(standing)} requests were in ${service} at the mean, which waited for ${few(mean)} answers of ${to} and asked it ${few(rate)} times a second.`,
		/** @param {{ caller: string, equal: number }} f */
		'given-up': ({ caller, equal }) => `${caller} gave up after ${seconds(equal)} each time.`,
	},
	unended: {
		/** @param {{ caller: string, silent: number }} f */
		title: ({ caller, silent }) =>
			`began its answers and did not end them: nothing more came for ${seconds(silent)}, until ${caller} gave up`,
		/** @param {{ service: string, caller: string, count: number, begun: number, silent: number }} f */
		begun: ({ service, caller, count, begun, silent }) =>
			`${counted(count)} answers of ${service} began ${seconds(begun)} after the question, and were still without their end when ${caller} closed the connection, ${seconds(silent)} after the last byte.`,
		/** @param {{ count: number, took: number }} f */
		whole: ({ count, took }) => `${counted(count)} others in the same seconds were whole after ${seconds(took)}.`,
		unknown: () => 'whether it said that more would come than it sent, or stopped in the middle, is not on record',
	},
	'not-read': {
		/** @param {{ service: string, short: Said | null }} f  short: what it has none of, and so reads nothing */
		title: ({ service, short }) => `${short === null ? '' : `${written(short)}, and `}took nothing more of what ${service} sends it`,
	},
	hung: {
		/** @param {{ idle: Said }} f */
		pool: ({ idle }) =>
			`${written(idle)} A pool that lost its connections without noticing looks the same: requests wait for one, and nothing is asked.`,
	},
	gone: {
		/** @param {{ count: number, back_s: number | null, quote?: string, isUncaught?: boolean }} f  back_s: median; null where it never was */
		title: ({ count, back_s: back, quote, isUncaught = false }) => {
			const why = quote === undefined ? '' : isUncaught ? ` of an error that nobody caught (“${quote}”)` : ` with “${quote}” in its log`;
			return `ended${count > 1 ? ` ${counted(count)} times` : ''}${why}${back === null ? '' : `, and was back after ${seconds(back)} each time (median)`}`;
		},
	},
	'own-error': {
		/** @param {Signed & { more?: Said }} f  more: of which, or after what */
		title: ({ more = '', ...signed }) => `${endedSo(signed)} by itself${written(more)}`,
		/** @param {Signed & { to: string, times: number }} f */
		repeated: ({ sign, meaning, to, times }) =>
			`repeated the ${sign}${meaningText(meaning)} that ${to} had answered ${things(times, 'time')}: it answers good requests without asking too, as a cache does`,
		/** @param {{ to: string, than: string }} f */
		after: ({ to, than }) => `, after ${than} answers of ${to} than for good ones`,
	},
	'turned-away': {
		/** @param {Signed & { isTooMany?: boolean, taker?: Taker | null }} f */
		title: ({ isTooMany = false, taker = null, ...signed }) =>
			`turned requests away with ${codeIn(signed)}${isTooMany ? ' (too many requests)' : ''}${taker === null ? '' : `; ${takerText(taker, 'it')}`}`,
		/** @param {{ taker: Taker, service: string, now: number, usual: number }} f  calls a second */
		taker: ({ taker, service, now, usual }) =>
			`${takerText(taker, service)} around these: ${few(now)} a second, in calm seconds ${few(usual)}.`,
		/** @param {Signed & { number: number, what: string, pool: { total: number, to: string } | null }} f  number: that were in it */
		number: ({ number, what, pool, ...signed }) =>
			`${endedSo(signed)} when ${counted(number)} or more of ${what} were in it${pool === null ? '' : `, with ${things(pool.total, 'connection')} to ${pool.to}`}`,
		/** @param {Signed & { client: string, count: number, total: number }} f  connections of that client, and of all */
		keeper: ({ client, count, total, ...signed }) =>
			`turned connections away with ${codeIn(signed)}, while ${client} kept ${counted(count)} of ${counted(total)} open`,
		/** @param {Signed & { slots: number | null, left: { client: string, count: number } | null }} f  left: connections that it uses no more */
		connections: ({ slots, left, ...signed }) =>
			`turned connections away with ${codeIn(signed)}${slots === null ? '' : `, since it had ${counted(slots)} open and takes no more`}${left === null ? '' : `; ${left.client} uses ${counted(left.count)} of its own no more`}`,
	},
	'name-unanswered': {
		/** @param {Signed & { way: 'silent' | 'waited' | 'ended', name: string }} f */
		title: ({ way, name, ...signed }) =>
			`${way === 'silent' ? 'got no answer' : way === 'waited' ? 'waited for its answer' : `was ${endedSo(signed)}`} when it asked for the address of ${name}`,
	},
};

/** @typedef {{ from: string, part: number }} Taker  of all calls that it made, 0 to 1 */

/** @param {Taker} taker @param {string} to */
const takerText = ({ from, part }, to) => `${from}, which no service asks, made ${percent(part)} of the calls to ${to}`;
