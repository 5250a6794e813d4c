/** How findings speak: counts, shares, times, ends. */

import type { Mechanism } from '../../record/causes.ts';
import { NAMES } from '../../wire/tenancy.ts';
import { TURN } from '../../wire/turns.ts';
import { CODE, GOOD } from './seen.ts';
import { middle, mostFirst } from './spread.ts';
import type { Of, Slowness, Step } from './step.ts';

const SECONDS_FROM = 1;
const MILLI = 1000;

export const counted = (number: number) => Math.round(number).toLocaleString('en-US');

/** @param part 0 to 1 */
export const percent = (part: number) => `${Math.round(part * 100)} %`;

/** @param seconds fewer than are shown are said to be less */
export function seconds(seconds: number) {
	if (seconds >= SECONDS_FROM) return `${seconds.toFixed(2)} s`;
	const ms = seconds * MILLI;
	return ms < LEAST_SHOWN / 2 ? `less than ${LEAST_SHOWN} ms` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

/**
 * Small numbers of things, as means.
 * @param number none is 0.0: that is 0, or less than is shown
 */
export function few(number: number) {
	if (number >= 10 || Number.isInteger(number)) return counted(number);
	return number < LEAST_SHOWN / 2 ? `fewer than ${LEAST_SHOWN}` : number.toFixed(1);
}
const LEAST_SHOWN = 0.1;

export const things = (number: number, one: string, several: string = `${one}s`) => `${few(number)} ${number === 1 ? one : several}`;

export const mebibytes = (bytes: number) => `${(bytes / MEBI).toFixed(1)} MiB`;
const MEBI = 2 ** 20;

export const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/**
 * What is asked: a protocol without paths and statements has commands, one that is not read has turns.
 * @param kind verb and template
 */
export const asked = (kind: string) => (kind.includes(' ') ? kind : kind === TURN ? 'a call that is not read' : `the command ${kind}`);

const ENDS: Record<string, string> = {
	[GOOD]: 'answered',
	error: 'answered with an error',
	'given-up': 'given up before a byte of the answer',
	closed: 'closed without an answer',
	reset: 'reset without an answer',
	cut: 'cut short within the answer',
	open: 'not answered before the recording ended',
	raced: 'sent on a connection that had been closed',
	refused: 'refused',
	unanswered: 'no connection, because no answer came',
	unasked: 'accepted and closed before anything was asked',
};

/** How a call ended. */
export const ended = (sign: string) => ENDS[sign] ?? `answered ${codeOf(sign)}`;

/** A code alone, or a status. */
export const codeOf = (sign: string) => (sign.startsWith(CODE) ? sign.slice(CODE.length) : sign);

/** How often, and how soon. */
export function endedText({ seen, service, failed, sign, took_s: took }: Pick<Step, 'seen' | 'service' | 'failed' | 'sign' | 'took_s'>) {
	const [often, median] = failed.length === 1 ? ['Once', ''] : [`${counted(failed.length)} times`, 'at the median '];
	return `${often} ${service} ${ended(sign)}, ${median}${seconds(took)} after it was asked${lookedUp(seen, failed)}.`;
}

/** The same of other calls that ended there as these did. */
export const endedOfAll =
	(step: Parameters<typeof endedText>[0]): ((calls: number[]) => string) =>
	(calls) =>
		endedText({ ...step, failed: calls, took_s: middle(calls.map((call) => step.seen.over[call] - step.seen.began[call])) });

export function tookText(to: string, { now_s: now, calm_s: calm, isCalm, isAnswered, wasAnswered }: Slowness) {
	if (!wasAnswered) return `A call to ${to} had no answer after ${seconds(now)}; none to it was answered.`;
	if (!isAnswered)
		return `A call to ${to} had no answer after ${seconds(now)}, ${isCalm ? 'and one within' : 'the quickest tenth of those that were answered one within'} ${seconds(calm)}${isCalm ? ' in calm seconds' : ''}.`;
	if (isCalm) return `A call to ${to} took ${seconds(now)}, and ${seconds(calm)} in calm seconds.`;
	return seconds(now) === seconds(calm)
		? `Calls to ${to} took ${seconds(now)}, as did the quickest of them.`
		: `A call to ${to} took ${seconds(now)}; the quickest tenth of all calls took up to ${seconds(calm)}.`;
}

/**
 * Of names that were to be looked up, which.
 * @returns the end of a clause; empty of other calls
 */
export function lookedUp({ kind, lineOf }: Step['seen'], calls: number[]): string {
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

/** @returns null where it was answered none */
function codedBy({ sign, lineOf }: Step['seen'], call: number): { protocol: string; code: string } | null {
	if (!sign[call].startsWith(CODE)) return null;
	return { protocol: lineOf(call)?.connection.protocol ?? '', code: codeOf(sign[call]) };
}

/** @returns null where the sign that most have is no code */
export function mostCoded(seen: Step['seen'], failed: number[]): { protocol: string; code: string; calls: number[] } | null {
	const [[, calls] = ['', []]] = mostFirst(failed, (call) => seen.sign[call]);
	const code = calls.length === 0 ? null : codedBy(seen, calls[0]);
	return code && { ...code, calls };
}

/** Of the sign that most of the failed have. */
export function causeByCode({
	seen,
	failed,
	sign,
	codeCause,
}: Of<'codeCause' | 'failed' | 'seen' | 'sign'>): { cause: Mechanism; code: string; calls: number } | null {
	const own = failed.filter((call) => seen.sign[call] === sign);
	const reported = own.length * 2 > failed.length ? codedBy(seen, own[0]) : null;
	const cause = reported && codeCause(reported.protocol, reported.code);
	return reported && cause ? { cause, code: reported.code, calls: own.length } : null;
}
