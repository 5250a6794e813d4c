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

import { mechanisms } from '../../record/causes.js';
import { codeOf, counted, ended, few, percent, seconds, things, tookText } from './text.js';

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

/** What the place did, as the predicate of a sentence. @param {import('./step.js').Why} why @returns {Said} */
export const titleOf = ({ title, mechanism }) => title ?? (mechanism === null ? 'was where they stood' : mechanisms[mechanism].predicate);

/** @typedef {{ sign: string, meaning?: string }} Signed  sign: how calls ended; meaning: of its code */

/** @param {Signed} signed */
const endedSo = ({ sign, meaning }) => `${ended(sign)}${meaningText(meaning)}`;
/** @param {Signed} signed */
const codeIn = ({ sign, meaning }) => `${codeOf(sign)}${meaningText(meaning)}`;
/** @param {string | undefined} meaning */
const meaningText = (meaning) => (meaning === undefined ? '' : ` (${meaning})`);

/** @param {number} count */
const connections = (count) => things(count, 'connection');
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
		/** @param {{ to: string, slow: import('./step.js').Slowness }} facts */
		took: ({ to, slow }) => tookText(to, slow),
		/** @param {{ to: string }} facts */
		'quickest-alone': ({ to }) =>
			`no second of the load was calm: whether ${to} took longer than usual is known from its quickest calls alone`,
		/** @param {{ service: string, callees: string, kind: string, all: number, own: number, part: number }} facts  calls at the mean; part of what it was asked, 0 to 1 */
		'most-for': ({ service, callees, kind, all, own, part }) =>
			`Of ${few(all)} calls to ${callees} that went on at the mean ${few(own)} were made for ${kind}, which was ${percent(part)} of what ${service} was asked.`,
		/** @param {{ service: string, standing: number }} facts */
		stood: ({ service, standing }) => `${few(standing)} requests stood in ${service}.`,
		/** @param {{ service: string, to: string, mean: number }} facts */
		meanwhile: ({ service, to, mean }) => `Meanwhile ${service} waited for ${few(mean)} answers of ${to}.`,
		/** @param {{ service: string, cores: number }} facts */
		used: ({ service, cores }) => `${service} used ${cores.toFixed(2)} cores.`,
		/** @param {{ count: number, service?: string }} facts */
		queue: ({ count, service }) => `${connections(count)} waited to be accepted${service === undefined ? '' : ` by ${service}`}.`,
		/** @param {{ what: string }} facts */
		uncalm: ({ what }) => `no second of the load was calm, so that ${what} is not known`,
		/** @param {{ said: Said }} facts */
		nearly: ({ said }) => `nearly: ${written(said)}`,
		/** @param {{ service: string, what: Said }} facts */
		did: ({ service, what }) => `${service} ${written(what)}`,
		/** @param {{ one: Said, rival: Said, isEqual: boolean, trials: string[] }} facts */
		rival: ({ one, rival, isEqual, trials }) =>
			`${isEqual ? 'whether it' : 'it may also be that it'} ${written(rival)}${isEqual ? ` or ${written(one)} is not known` : ''}${trials.length === 0 ? '' : `: ${trials.join(' or ')} would tell`}`,
	},
	'pool-held': {
		/** @param {{ to: string, total: number, meanwhile?: string }} facts  total: connections; meanwhile: whom it waited for */
		title: ({ to, total, meanwhile }) => `held its ${connections(total)} to ${to} and asked nothing on them${whileWaiting(meanwhile)}`,
		/** @param {{ service: string, to: string, total: number, held: number, meanwhile?: string }} facts  held: transactions at the service */
		before: ({ service, to, total, held, meanwhile }) =>
			`kept ${things(Math.round(held), 'transaction')} open at ${service}, which has ${connections(total)} to ${to}, and asked nothing in them${whileWaiting(meanwhile)}`,
		/** @param {Signed & { to: string, total: number }} facts */
		'at-once': ({ to, total, ...signed }) =>
			`${endedSo(signed)} at once while it held its ${connections(total)} to ${to} and asked nothing on most of them`,
		/** @param {{ to: string, total: number }} facts */
		lost: ({ to, total }) => `had none of its ${connections(total)} to ${to} to give, though nothing was asked on them`,
		/** @param {{ service: string, to: string, total: number, held: number, isUnread: boolean }} facts */
		held: ({ service, to, total, held, isUnread }) =>
			`${service} held ${few(held)} of its ${connections(total)} to ${to} ${isUnread ? 'with an answer that it did not read to its end' : 'in a transaction'} and asked nothing on them.`,
		/** @param {{ service: string, to: string, total: number, held: number, standing: number }} facts */
		'handed-on': ({ service, to, total, held, standing }) =>
			`${service} held ${few(held)} of its ${connections(total)} to ${to} in a transaction in which nothing was asked; ${few(standing)} requests stood in it.`,
		/** @param {{ service: string, from: string, held: number }} facts */
		holder: ({ service, from, held }) => `${from} had ${few(held)} connections to ${service} in a transaction, and asked nothing on them.`,
		/** @param {{ held: number }} facts */
		part: ({ held }) => `${few(held)} of them were in a transaction in which nothing was asked.`,
		/** @param {{ service: string, to: string, total: number, idle: number }} facts */
		idle: ({ service, to, total, idle }) =>
			`${few(idle)} of ${connections(total)} of ${service} to ${to} were open, and nothing was asked on them.`,
	},
	'pool-full': {
		/** @param {{ to: string, total: number, kind?: string }} facts  kind: for which most of them are */
		title: ({ to, total, kind }) => `had all its ${connections(total)} to ${to} in use${mostText(kind)}`,
		/** @param {Signed & { to: string, total: number }} facts */
		'at-once': ({ to, total, ...signed }) => `${endedSo(signed)} at once while all its ${connections(total)} to ${to} were in use`,
		/** @param {{ service: string, to: string, total: number, standing: number }} facts */
		used: ({ service, to, total, standing }) =>
			`All ${connections(total)} of ${service} to ${to} were in use, and ${few(standing)} requests stood before them.`,
		/** @param {{ service: string, to: string, total: number, part: number, failed: number, goodPart: number }} facts  parts of the failed and of the good, 0 to 1 */
		when: ({ service, to, total, part, failed, goodPart }) =>
			`All ${connections(total)} of ${service} to ${to} were in use when ${percent(part)} of the ${counted(failed)} failed requests came, and when ${percent(goodPart)} of the good ones did; it never had more.`,
		/** @param {{ service: string, part: number, goodPart: number }} facts */
		asked: ({ service, part, goodPart }) =>
			`${service} asked somebody for ${percent(part)} of the failed requests, and for ${percent(goodPart)} of the good ones.`,
		limit: () => 'a limit of its own on requests at a time looks the same, unless a line of its log says which it was',
		/** @param {{ service: string, to: string, total: number, used: number, least: number }} facts */
		nearly: ({ service, to, total, used, least }) =>
			`${few(used)} of ${connections(total)} of ${service} to ${to} were in use at the mean; ${few(least)} would count as all`,
	},
	'held-by-one': {
		/** @param {{ to: string, kind: string }} facts */
		line: ({ to, kind }) =>
			`sent calls to ${to} on a connection on which ${kind} was not answered yet: ${to} answers one after the other there`,
		/** @param {{ service: string, to: string, kind: string, part: number, usual: number, mean: number }} facts  parts of moments, 0 to 1 */
		behind: ({ service, to, kind, part, usual, mean }) =>
			`At ${percent(part)} of the moments at which requests stood in ${service}, ${few(mean)} of its calls to ${to} stood on a connection behind ${kind}, in calm seconds at ${percent(usual)}.`,
		/** @param {{ firsts: number, took: number, part: number, within: number }} facts */
		with: ({ firsts, took, part, within }) =>
			`${counted(firsts)} such ${firsts === 1 ? 'call' : 'calls'} went on for ${seconds(took)}; ${percent(part)} of what stood behind was answered within ${seconds(within)} of its end.`,
		/** @param {{ took: number }} facts */
		alone: ({ took }) => `What did not stand behind one took ${seconds(took)}.`,
	},
	'workers-taken': {
		/** @param {{ high: number, whom: string, kind?: string }} facts  high: at a time */
		title: ({ high, whom, kind }) => `had all its workers taken, ${counted(high)} at a time, each waiting for ${whom}${mostText(kind)}`,
		/** @param {Signed & { high: number, whom: string, equal: number }} facts  equal: seconds */
		queue: ({ high, whom, equal, ...signed }) =>
			`sent ${counted(high)} requests at a time on to ${whom} and no more, and ${endedSo(signed)} to what had waited ${seconds(equal)} in its queue`,
		/** @param {{ high: number, to: string, lines: number }} facts  lines: connections */
		shared: ({ high, to, lines }) =>
			`asked ${to} ${counted(high)} at a time, on ${connections(lines)}, and let the others stand: a limit of its own, or of streams on a connection`,
		/** @param {{ high: number, whom: string, kinds: string }} facts */
		spared: ({ high, whom, kinds }) =>
			`sent ${kinds} on to ${whom} ${counted(high)} at a time and let the others stand, not for a lack of workers: it answered other requests meanwhile`,
		/** @param {{ whose: string, high: number, lasted: number, isSending: boolean }} facts */
		held: ({ whose, high, lasted, isSending }) =>
			`had its workers taken by ${whose}, ${counted(high)} at a time for ${seconds(lasted)} each${isSending ? ', for it was sent slowly' : ''}`,
		/** @param {{ service: string, high: number, isNever: boolean, whom: string, before: number }} facts */
		worked: ({ service, high, isNever, whom, before }) =>
			`${service} worked on ${counted(high)} at a time and ${isNever ? 'never' : 'hardly ever'} on more, each waiting for ${whom}; ${few(before)} more stood before them.`,
		/** @param {{ quick: number, others: number, usual: number }} facts */
		answered: ({ quick, others, usual }) =>
			`Meanwhile it answered ${counted(quick)} of ${counted(others)} other requests, in ${seconds(usual)} at the median: its workers were not all taken.`,
		/** @param {{ service: string, whose: string, high: number, lasted: number, queue: number | null }} facts  queue: connections that waited; null: others had no answer */
		going: ({ service, whose, high, lasted, queue }) =>
			`${counted(high)} calls ${whose} went on in ${service} at most moments and never more, ${seconds(lasted)} each, ${queue === null ? 'each with its answer begun, and hardly any other was answered beside so many' : `while ${connections(queue)} waited to be accepted`}.`,
		/** @param {{ service: string, sending: number }} facts */
		sent: ({ service, sending }) =>
			`${seconds(sending)} passed until the last byte of such a question had come: ${service} waited for its caller.`,
		unknown: () => 'no second of the load was calm: whether as many go on then is not known',
	},
	'workers-idle-connections': {
		/** @param {{ count: number, whose: string, used: Used | null, lasted: number }} facts  used: as what, where they are in use */
		title: ({ count, whose, used, lasted }) =>
			`had its workers held by ${connections(count)} ${used === null ? `that ${whose} kept open and did not use` : `of ${whose} that ${usedText(used)}, each for ${seconds(lasted)}`}`,
		/** @param {{ service: string, count: number, used: Used | null, keepers: { client: string, count: number }[], queue: number }} facts */
		kept: ({ service, count, used, keepers, queue }) =>
			`${used === null ? `Callers kept ${few(count)} connections to ${service} open and asked nothing on them` : `${few(count)} connections to ${service} ${usedText(used)}`} (${keepers.map((keeper) => `${few(keeper.count)} of ${keeper.client}`).join(', ')}), while ${few(queue)} waited to be accepted.`,
		/** @param {{ service: string }} facts */
		alone: ({ service }) => `${service} waited for no callee.`,
		unasked: () => 'nothing was asked on a connection that was kept open: a program that stands still would not have answered there either',
		/** @param {{ service: string, low: number, high: number, queue: number }} facts */
		nearly: ({ service, low, high, queue }) =>
			`callers kept ${few(low)} to ${few(high)} connections to ${service} open and asked nothing on them, while ${few(queue)} waited to be accepted; a steady number would count`,
	},
	'slots-taken': {
		/** @param {{ service: string, count: number, isOfBoth: boolean, full: number, goodFull: number }} facts  full: parts that came when so many were open, 0 to 1 */
		kept: ({ service, count, isOfBoth, full, goodFull }) =>
			`${service} kept ${connections(count)}${isOfBoth ? ', to its callers and to whom it asks,' : ''} and no more: ${percent(full)} of those that failed came when so many were open, and ${percent(goodFull)} of those that it took.`,
	},
	lock: {
		/** @param {{ client: string, isOfTables: boolean }} facts */
		title: ({ client, isOfTables }) =>
			isOfTables ? `let calls wait for tables that ${client} had locked` : `let calls wait for a transaction that ${client} kept open`,
		/** @param {{ whose: string, callee: string }} facts  callee: empty where they waited for none */
		'in-turn': ({ whose, callee }) =>
			`let calls wait for a lock that transactions of ${whose} held one after the other${callee === '' ? '' : `, while they waited for ${callee}`}`,
		'given-up': () => 'let calls wait for a lock until it gave them up',
		/** @param {{ client: string }} facts */
		told: ({ client }) => `let calls wait for a lock that ${client} held`,
		/** @param {{ client: string, service: string, isOfTables: boolean, longest: number, part: number, goodPart: number | null }} facts  parts of those that waited, and of the good, 0 to 1 */
		kept: ({ client, service, isOfTables, longest, part, goodPart }) =>
			`${client} kept ${isOfTables ? 'tables locked' : 'a transaction open'} at ${service}, for up to ${seconds(longest)}, before and through ${percent(part)} of the calls that waited${goodPart === null ? '' : `, and ${percent(goodPart)} of the good ones`}.`,
		/** @param {{ part: number, within: number }} facts */
		released: ({ part, within }) => `${percent(part)} of them were over within ${seconds(within)} of its end.`,
		/** @param {{ client: string }} facts */
		rows: ({ client }) =>
			`${client} had changed the same table, and other calls to it went on: that it held these very rows is not on record`,
		/** @param {{ each: number, kinds: string, covered: number }} facts  covered: part of the wait, 0 to 1 */
		turns: ({ each, kinds, covered }) =>
			`While one of these waited, ${few(each)} other transactions that had got the same (${kinds}) came to their end; they held it for ${percent(covered)} of the wait.`,
		/** @param {{ held: number, callee: string, part: number, took: number }} facts */
		turn: ({ held, callee, part, took }) =>
			`Each held it for ${seconds(held)} at the median${callee === '' ? '' : `; in ${percent(part)} a call to ${callee} took up most of that, ${seconds(took)}`}.`,
		'row-unknown': () => 'which of them held the very same row is not on record',
		/** @param {{ callee: string }} facts */
		'by-time': ({ callee }) => `that these calls to ${callee} were made for them is known by their time alone`,
		unknown: () => 'Who held the lock is not on record: no transaction was seen that was open before and through these calls.',
		/** @param {{ client: string, service: string, count: number, held: number, state: string }} facts  count: that waited for it */
		holder: ({ client, service, count, held, state }) =>
			`${client} held locks that ${few(count)} others waited for, by what ${service} told each second, in a transaction of up to ${seconds(held)} (${state || 'in an unknown state'}).`,
		/** @param {{ count: number }} facts */
		before: ({ count }) => `In calm seconds ${count === 0 ? 'nobody' : counted(count)} waited for a lock there.`,
	},
	'cpu-throttled': {
		/** @param {{ slow: { title: Said, usual: number } | null, also: Said | null }} facts  slow: the kind that it works on; also: who else has it work */
		title: ({ slow, also }) =>
			`${mechanisms['cpu-throttled'].predicate}${slow === null ? '' : `, and ${written(slow.title)} (in calm seconds ${seconds(slow.usual)})`}${also === null ? '' : written(also)}`,
		/** @param {{ service: string, now: number, before: number | null }} facts  of its quota periods, 0 to 1 */
		throttled: ({ service, now, before }) =>
			`${service} was throttled in ${percent(now)} of its quota periods while requests failed${before === null ? '' : `, in calm seconds in ${percent(before)}`}.`,
		/** @param {{ service: string, now: number, cores: number }} facts */
		throughout: ({ service, now, cores }) =>
			`${service} was throttled in ${percent(now)} of its quota periods, and used ${cores.toFixed(2)} cores.`,
		/** @param {{ before: number }} facts */
		'calm-too': ({ before }) => `it was throttled in ${percent(before)} of its periods in calm seconds too`,
		/** @param {{ service: string, now: number, least: number }} facts */
		nearly: ({ service, now, least }) => `${service} was throttled in ${percent(now)} of its quota periods; ${percent(least)} would count`,
	},
	'cpu-taken': {
		/** @param {{ name: string, now: number, before: number, cores: number }} facts */
		taken: ({ name, now, before, cores }) =>
			`${name} used ${now.toFixed(2)} of ${few(cores)} cores while requests failed, in calm seconds ${before.toFixed(2)}.`,
		/** @param {{ busy: number, still: number }} facts  of the machine, 0 to 1 */
		machine: ({ busy, still }) => `The machine was ${percent(busy)} busy, in calm seconds ${percent(still)}.`,
		/** @param {{ service: string, now: number, before: number }} facts  of the time, 0 to 1 */
		waited: ({ service, now, before }) =>
			`Tasks of ${service} waited for a CPU in ${percent(now)} of the time, in calm seconds in ${percent(before)}.`,
		/** @param {{ service: string }} facts */
		stood: ({ service }) => `Requests stood in ${service}, which waited for no callee.`,
		'calm-too': () => 'the machine was as full in calm seconds: who else took its CPU then is not known',
	},
	busy: {
		/** @param {{ cores: number, isThread: boolean }} facts  isThread: as much as one can use; else as its quota allows */
		title: ({ cores, isThread }) =>
			`${mechanisms.busy.predicate}: it used ${cores.toFixed(2)} cores, as much as ${isThread ? 'one thread can' : 'its quota allows'}`,
		/** @param {{ one: Said, also: Said }} facts */
		beside: ({ one, also }) => `${written(one)}${written(also)}`,
		/** @param {{ service: string, cores: number, before: number | null }} facts */
		used: ({ service, cores, before }) =>
			`${service} used ${cores.toFixed(2)} cores while requests failed${before === null ? '' : `, in calm seconds ${before.toFixed(2)}`}.`,
		silent: () =>
			'It answered nobody and asked nobody meanwhile: a loop that does not end looks like this, and a collector of memory that runs all the time.',
		/** @param {{ count: number }} facts */
		unanswered: ({ count }) => `${counted(count)} connection requests got no answer.`,
		/** @param {{ now: number, kind: string, from: string }} facts  calls that went on */
		also: ({ now, kind, from }) => `, while ${few(now)} calls ${kind} of ${from} went on there`,
		/** @param {{ now: number, all: number, usual: number, from: string, service: string, longest: number }} facts */
		others: ({ now, all, usual, from, service, longest }) =>
			`${from}, which no service asks, had ${few(now)} of the ${few(all)} calls that went on at ${service} while requests failed, for up to ${seconds(longest)} each, and ${few(usual)} in calm seconds.`,
	},
	'time-limit': {
		/** @param {{ service: string, what: string, equal: number, late: number | null, usual: number }} facts  seconds; late: of answers that nobody waited for */
		title: ({ service, what, equal, late, usual }) =>
			`gave ${service} up after ${seconds(equal)}, a time limit ${late === null ? `hardly longer than the ${seconds(usual)} and more` : `shorter than the ${seconds(late)}`} that ${what} takes there as a rule`,
		/** @param {{ to: string, equal: number }} facts */
		own: ({ to, equal }) => `ended requests after ${seconds(equal)}, a time limit of its own, while it waited for ${to}`,
		/** @param {{ to: string, longest: number, shortest: number }} facts  that were answered, and that were not */
		closed: ({ to, longest, shortest }) =>
			`closed requests without an answer that took longer than a time limit of its own (over ${seconds(longest)}, at most ${seconds(shortest)}), though ${to} had answered them`,
		/** @param {{ caller: string, service: string, what: string, count: number, equal: number }} facts */
		'given-up': ({ caller, service, what, count, equal }) =>
			`${caller} gave up ${counted(count)} calls ${what} to ${service}, each after ${seconds(equal)}.`,
		/** @param {{ count: number, low: number, high: number }} facts */
		late: ({ count, low, high }) =>
			`${counted(count)} of them were answered well all the same, when nobody waited any more: ${seconds(low)} to ${seconds(high)} after they were asked, from the first to the last.`,
		/** @param {{ count: number, low: number, high: number, usual: number }} facts */
		'in-time': ({ count, low, high, usual }) =>
			`${counted(count)} such calls were answered in time, after ${seconds(low)} to ${seconds(high)}, ${seconds(usual)} at the median.`,
		/** @param {{ service: string }} facts */
		'none-in-time': ({ service }) => `no such call was answered in time: whether ${service} ever takes less for it is not known`,
		/** @param {{ to: string }} facts */
		'none-well': ({ to }) => `no such request went well: whether ${to} ever takes less for it is not known`,
		/** @param {Signed & { service: string, to: string, count: number, equal: number, part: number }} facts */
		'going-on': ({ service, to, count, equal, part, ...signed }) =>
			`${counted(count)} requests in ${service} were ${endedSo(signed)}, each after ${seconds(equal)}; a call to ${to} that had begun with them went on then, in ${percent(part)} of them.`,
		/** @param {{ count: number, longest: number, shortest: number }} facts */
		between: ({ count, longest, shortest }) =>
			`All ${counted(count)} that took up to ${seconds(longest)} were answered, none that took ${seconds(shortest)} and more: its limit lies between.`,
		/** @param {{ service: string, what: string }} facts */
		error: ({ service, what }) => `an error of ${service} in the work on ${what}, which breaks the connection off, looks the same`,
		/** @param {{ to: string, low: number, high: number, usual: number | null }} facts */
		usual: ({ to, low, high, usual }) =>
			`${to} took ${seconds(low)} to ${seconds(high)} for them${usual === null ? ', from the first to the last' : `, and ${seconds(usual)} for such requests that went well`}.`,
	},
	'broken-off': {
		/** @param {{ to: string }} facts */
		closed: ({ to }) => `closed requests without an answer, though ${to} had answered them`,
		/** @param {{ to: string, low: number, high: number }} facts */
		torn: ({ to, low, high }) =>
			`broke requests off after ${seconds(low)} to ${seconds(high)} while it waited for ${to}, and its calls to ${to} in the same moment, as a process does that ends`,
		/** @param {{ service: string, to: string, what: string, count: number, took: number }} facts */
		answered: ({ service, to, what, count, took }) =>
			`${service} closed ${counted(count)} requests ${what} without an answer, ${seconds(took)} after they were asked and as soon as ${to} had answered.`,
		/** @param {Signed & { service: string, to: string, count: number, all: number, within: number }} facts */
		together: ({ service, to, count, all, within, ...signed }) =>
			`${counted(count)} of ${counted(all)} requests in ${service} were ${endedSo(signed)} within ${seconds(within)} of a call to ${to} that it gave up.`,
		/** @param {{ to: string }} facts */
		open: ({ to }) => `why ${to} had not answered by then is not on record`,
	},
	'many-calls': {
		/** @param {{ to: string, what: string, rate: number }} facts  a second */
		title: ({ to, what, rate }) =>
			`asked ${to} again and again for ${what}, ${few(rate)} times a second in all, and was answered as soon as ever`,
		/** @param {{ service: string, to: string, standing: number, mean: number, rate: number }} facts */
		waited: ({ service, to, standing, mean, rate }) =>
			`${few(standing)} requests were in ${service} at the mean, which waited for ${few(mean)} answers of ${to} and asked it ${few(rate)} times a second.`,
		/** @param {{ caller: string, equal: number }} facts */
		'given-up': ({ caller, equal }) => `${caller} gave up after ${seconds(equal)} each time.`,
	},
	unended: {
		/** @param {{ caller: string, silent: number }} facts */
		title: ({ caller, silent }) =>
			`began its answers and did not end them: nothing more came for ${seconds(silent)}, until ${caller} gave up`,
		/** @param {{ service: string, caller: string, count: number, begun: number, silent: number }} facts */
		begun: ({ service, caller, count, begun, silent }) =>
			`${counted(count)} answers of ${service} began ${seconds(begun)} after the question, and were still without their end when ${caller} closed the connection, ${seconds(silent)} after the last byte.`,
		/** @param {{ count: number, took: number }} facts */
		whole: ({ count, took }) => `${counted(count)} others in the same seconds were whole after ${seconds(took)}.`,
		unknown: () => 'whether it said that more would come than it sent, or stopped in the middle, is not on record',
	},
	'not-read': {
		/** @param {{ service: string, short: Said | null }} facts  short: what it has none of, and so reads nothing */
		title: ({ service, short }) => `${short === null ? '' : `${written(short)}, and `}took nothing more of what ${service} sends it`,
	},
	hung: {
		/** @param {{ idle: Said }} facts */
		pool: ({ idle }) =>
			`${written(idle)} A pool that lost its connections without noticing looks the same: requests wait for one, and nothing is asked.`,
	},
	gone: {
		/** @param {{ count: number, back_s: number | null, quote?: string, isUncaught?: boolean }} facts  back_s: median; null where it never was */
		title: ({ count, back_s: back, quote, isUncaught = false }) => {
			const why = quote === undefined ? '' : isUncaught ? ` of an error that nobody caught (“${quote}”)` : ` with “${quote}” in its log`;
			return `ended${count > 1 ? ` ${counted(count)} times` : ''}${why}${back === null ? '' : `, and was back after ${seconds(back)} each time (median)`}`;
		},
	},
	'own-error': {
		/** @param {Signed & { more?: Said }} facts  more: of which, or after what */
		title: ({ more = '', ...signed }) => `${endedSo(signed)} by itself${written(more)}`,
		/** @param {Signed & { to: string, times: number }} facts */
		repeated: ({ sign, meaning, to, times }) =>
			`repeated the ${sign}${meaningText(meaning)} that ${to} had answered ${things(times, 'time')}: it answers good requests without asking too, as a cache does`,
		/** @param {{ to: string, than: string }} facts */
		after: ({ to, than }) => `, after ${than} answers of ${to} than for good ones`,
	},
	'turned-away': {
		/** @param {Signed & { isTooMany?: boolean, taker?: Taker | null }} facts */
		title: ({ isTooMany = false, taker = null, ...signed }) =>
			`turned requests away with ${codeIn(signed)}${isTooMany ? ' (too many requests)' : ''}${taker === null ? '' : `; ${takerText(taker, 'it')}`}`,
		/** @param {{ taker: Taker, service: string, now: number, usual: number }} facts  calls a second */
		taker: ({ taker, service, now, usual }) =>
			`${takerText(taker, service)} around these: ${few(now)} a second, in calm seconds ${few(usual)}.`,
		/** @param {Signed & { number: number, what: string, pool: { total: number, to: string } | null }} facts  number: that were in it */
		number: ({ number, what, pool, ...signed }) =>
			`${endedSo(signed)} when ${counted(number)} or more of ${what} were in it${pool === null ? '' : `, with ${things(pool.total, 'connection')} to ${pool.to}`}`,
		/** @param {Signed & { client: string, count: number, total: number }} facts  connections of that client, and of all */
		keeper: ({ client, count, total, ...signed }) =>
			`turned connections away with ${codeIn(signed)}, while ${client} kept ${counted(count)} of ${counted(total)} open`,
		/** @param {Signed & { slots: number | null, left: { client: string, count: number } | null }} facts  left: connections that it uses no more */
		connections: ({ slots, left, ...signed }) =>
			`turned connections away with ${codeIn(signed)}${slots === null ? '' : `, since it had ${counted(slots)} open and takes no more`}${left === null ? '' : `; ${left.client} uses ${counted(left.count)} of its own no more`}`,
	},
	'name-unanswered': {
		/** @param {Signed & { way: 'silent' | 'waited' | 'ended', name: string }} facts */
		title: ({ way, name, ...signed }) =>
			`${way === 'silent' ? 'got no answer' : way === 'waited' ? 'waited for its answer' : `was ${endedSo(signed)}`} when it asked for the address of ${name}`,
	},
};

/** @typedef {{ from: string, part: number }} Taker  of all calls that it made, 0 to 1 */

/** @param {Taker} taker @param {string} to */
const takerText = ({ from, part }, to) => `${from}, which no service asks, made ${percent(part)} of the calls to ${to}`;
