/**
 * How findings speak: counts, shares, times, ends.
 *
 * @import { Mechanism } from '../../record/causes.ts'
 * @import { Slowness, Step, Why } from './step.ts'
 */

import { NAMES } from '../../wire/tenancy.ts';
import { TURN } from '../../wire/turns.ts';
import { CODE, GOOD } from './seen.ts';
import { middle, mostFirst } from './spread.ts';

const SECONDS_FROM = 1;
const MILLI = 1000;

/** @param {number} number */
export const counted = (number) => Math.round(number).toLocaleString('en-US');

/** @param {number} part 0 to 1 */
export const percent = (part) => `${Math.round(part * 100)} %`;

/** @param {number} seconds  fewer than are shown are said to be less */
export function seconds(seconds) {
	if (seconds >= SECONDS_FROM) return `${seconds.toFixed(2)} s`;
	const ms = seconds * MILLI;
	return ms < LEAST_SHOWN / 2 ? `less than ${LEAST_SHOWN} ms` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

/** Small numbers of things, as means. @param {number} number  none is 0.0: that is 0, or less than is shown */
export function few(number) {
	if (number >= 10 || Number.isInteger(number)) return counted(number);
	return number < LEAST_SHOWN / 2 ? `fewer than ${LEAST_SHOWN}` : number.toFixed(1);
}
const LEAST_SHOWN = 0.1;

/** @param {number} number @param {string} one @param {string} [several] */
export const things = (number, one, several = `${one}s`) => `${few(number)} ${number === 1 ? one : several}`;

/** @param {number} bytes */
export const mebibytes = (bytes) => `${(bytes / MEBI).toFixed(1)} MiB`;
const MEBI = 2 ** 20;

/** @param {string} text */
export const capital = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** What is asked: a protocol without paths and statements has commands, one that is not read has turns. @param {string} kind  verb and template */
export const asked = (kind) => (kind.includes(' ') ? kind : kind === TURN ? 'a call that is not read' : `the command ${kind}`);

/** @type {Record<string, string>} */
const ENDS = {
	[GOOD]: 'answered',
	error: 'answered with an error',
	'given-up': 'given up before a byte of the answer',
	closed: 'closed without an answer',
	reset: 'reset without an answer',
	cut: 'cut short within the answer',
	open: 'not answered before the recording ended',
	raced: 'sent on a connection that had been closed',
	refused: 'refused',
	unanswered: 'not connected: no answer',
	unasked: 'accepted and closed before anything was asked',
};

/** How a call ended. @param {string} sign */
export const ended = (sign) => ENDS[sign] ?? `answered ${codeOf(sign)}`;

/** A code alone, or a status. @param {string} sign */
export const codeOf = (sign) => (sign.startsWith(CODE) ? sign.slice(CODE.length) : sign);

/** How often, and how soon. @param {Pick<Step, 'seen' | 'service' | 'failed' | 'sign' | 'took_s'>} step */
export function endedText({ seen, service, failed, sign, took_s: took }) {
	const [often, median] = failed.length === 1 ? ['Once', ''] : [`${counted(failed.length)} times`, 'at the median '];
	return `${often} ${service} ${ended(sign)}, ${median}${seconds(took)} after it was asked${lookedUp(seen, failed)}.`;
}

/** The same of other calls that ended there as these did. @param {Parameters<typeof endedText>[0]} step @returns {(calls: number[]) => string} */
export const endedOfAll = (step) => (calls) =>
	endedText({ ...step, failed: calls, took_s: middle(calls.map((call) => step.seen.over[call] - step.seen.began[call])) });

/** @param {string} to @param {Slowness} slow */
export function tookText(to, { now_s: now, calm_s: calm, isCalm, isAnswered, wasAnswered }) {
	if (!wasAnswered) return `A call to ${to} had no answer after ${seconds(now)}; none to it was answered.`;
	if (!isAnswered)
		return `A call to ${to} had no answer after ${seconds(now)}, ${isCalm ? 'in calm seconds one after' : 'the quickest tenth of those that were answered one within'} ${seconds(calm)}.`;
	return `A call to ${to} took ${seconds(now)}, ${isCalm ? `in calm seconds ${seconds(calm)}` : `the quickest tenth of all up to ${seconds(calm)}`}.`;
}

/** Of names that were to be looked up, which. @param {Step['seen']} seen @param {number[]} calls @returns {string} the end of a clause; empty of other calls */
export function lookedUp({ kind, lineOf }, calls) {
	const names = [...new Set(calls.filter((call) => lineOf(call)?.connection.protocol === NAMES).map((call) => kind[call]))];
	if (names.length === 0) return '';
	const more = names.length - NAMES_SHOWN;
	return ` for ${names.slice(0, NAMES_SHOWN).join(', ')}${more > 0 ? ` and ${counted(more)} more` : ''}`;
}
const NAMES_SHOWN = 3;

/**
 * Errors whose code says by itself why they came about.
 *
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.ts').Of<Fact, Read>} Of */

/** @param {Step['seen']} seen @param {number} call @returns {{ protocol: string, code: string } | null} null where it was answered none */
function codedBy({ sign, lineOf }, call) {
	if (!sign[call].startsWith(CODE)) return null;
	return { protocol: lineOf(call)?.connection.protocol ?? '', code: codeOf(sign[call]) };
}

/** @param {Step['seen']} seen @param {number[]} failed @returns {{ protocol: string, code: string, calls: number[] } | null} null where the sign that most have is no code */
export function mostCoded(seen, failed) {
	const [[, calls] = ['', []]] = mostFirst(failed, (call) => seen.sign[call]);
	const code = calls.length === 0 ? null : codedBy(seen, calls[0]);
	return code && { ...code, calls };
}

/** Of the sign that most of the failed have. @param {Of<'codeCause' | 'failed' | 'seen' | 'sign'>} step @returns {{ cause: Mechanism, code: string, calls: number } | null} */
export function causeByCode({ seen, failed, sign, codeCause }) {
	const own = failed.filter((call) => seen.sign[call] === sign);
	const reported = own.length * 2 > failed.length ? codedBy(seen, own[0]) : null;
	const cause = reported && codeCause(reported.protocol, reported.code);
	return reported && cause ? { cause, code: reported.code, calls: own.length } : null;
}
