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
import { codeOf, counted, ended, few, percent, seconds, things } from './text.js';

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

/** By cause, of which some are said of several. Titles are predicates of a sentence whose subject is the place. */
const SENTENCES = {
	any: {
		/** Answers that have nothing to do with each other, and are as certain. @param {{ one: Said, other: Said }} facts */
		either: ({ one, other }) => `${written(one)}, or ${written(other)}`,
		/** @param {{ service: string, what: Said }} facts */
		did: ({ service, what }) => `${service} ${written(what)}`,
		/** @param {{ one: Said, rival: Said, isEqual: boolean, trials: string[] }} facts */
		rival: ({ one, rival, isEqual, trials }) =>
			`${isEqual ? 'whether it' : 'it may also be that it'} ${written(rival)}${isEqual ? ` or ${written(one)} is not known` : ''}${trials.length === 0 ? '' : `: ${trials.join(' or ')} would tell`}`,
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
