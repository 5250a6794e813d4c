/**
 * What every reader of a log of requests does with its sightings: keeps those of the load, counts them by outcome, and puts what was
 * said of them in the order of time.
 */

import type { Mechanism } from '../record/causes.ts';
import { FIRST_BAD_STATUS } from '../wire/contract.ts';
import type { Message, RequestRecord } from './contract.ts';
import { pools } from './phrases/pools.ts';
import { proxies } from './phrases/proxies.ts';
import { runtimes } from './phrases/runtimes.ts';
import { servers } from './phrases/servers.ts';
import { stores } from './phrases/stores.ts';

/** seconds since 1970 */
type Window = { from: number; to: number };

/** Request records of which a part lies in the window. */
export const seenIn: (requestRecords: RequestRecord[], window: Window) => RequestRecord[] = (requestRecords, window) =>
	requestRecords.filter(({ received, ended }) => (ended ?? received) > window.from && received < window.to);

export function countsOf(requestRecords: RequestRecord[]): {
	received: number;
	answered_ok: number;
	answered_error: number;
	aborted: number;
} {
	const answered = requestRecords.filter(({ outcome }) => outcome === 'answered');
	const ok = answered.filter(({ status }) => status !== null && status < FIRST_BAD_STATUS).length;
	return {
		received: requestRecords.length,
		answered_ok: ok,
		answered_error: answered.length - ok,
		aborted: requestRecords.filter(({ outcome }) => outcome === 'broken').length,
	};
}

/**
 * @param requestRecords of the window
 * @param others that are about no single request
 * @returns in the order of time
 */
export function messagesOf(requestRecords: RequestRecord[], others: Message[], window: Window): Message[] {
	const ofRequests = requestRecords.flatMap(({ own, asked }) => [...own, ...asked.flatMap(({ message }) => (message ? [message] : []))]);
	const ofService = others.filter(({ t }) => t >= window.from && t <= window.to);
	return [...ofRequests, ...ofService].sort((one, other) => one.t - other.t);
}

/**
 * @param text an address with or without scheme and port
 * @returns the host alone
 */
function bareAddress(text: string): string {
	const host = text.replace(/^[a-z]+:\/\//i, '');
	const bracketed = /^\[([^\]]+)\]/.exec(host);
	if (bracketed) return bracketed[1];
	// An IPv6 address without brackets has several colons, and no port.
	return host.split(':').length === 2 ? host.slice(0, host.indexOf(':')) : host;
}

/** the service at an address; the host where no service has it */
export const serviceAt: (text: string, names: Map<string, string>) => string = (text, names) =>
	names.get(bareAddress(text)) ?? bareAddress(text);

/** whether a counter is worth telling */
export const hasRisen: (values: { t: number; value: number }[]) => boolean = (values) =>
	values.length > 1 && values[values.length - 1].value > values[0].value;

/** The table of phrases: what products and runtimes write into their logs when a cause that is known has come about. */
/** that a line of a log with these words tells of this cause */
export type Phrase = {
	/** or runtime, as readers know it */
	product: string;
	/** of the phrase, in small letters: a line without it is not compared */
	word: string;
	/** of the line when its figures are `#` and its blanks single (lab/diagnose/waiting/logs.ts) */
	pattern: RegExp;
	/** of the service that says it */
	cause: Mechanism;
	/** as the product writes it, for the tests */
	line: string;
	/** what it tells of holds from then on, and is said once: its pattern is of words alone, without figures */
	lasts?: boolean;
	/** of the line, with the same word, that says that it is over; where it has none, no line says so */
	ends?: RegExp;
	/** where the words stand: repository and file */
	source: string;
};

/** First match wins: what names its product before what any program says. */
export const phrases: Phrase[] = [...pools, ...servers, ...stores, ...proxies, ...runtimes];
