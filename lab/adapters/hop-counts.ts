/**
 * What every reader of a log of requests does with its sightings: keeps those of the load, counts them by outcome, and puts what was
 * said of them in the order of time.
 */

import { grouped, jsonIn } from '../base/values.ts';
import type { LogWords, State } from '../diagnose/waiting/logs.ts';
import type { Mechanism } from '../record/causes.ts';
import { FIRST_BAD_STATUS } from '../wire/contract.ts';
import { isBare } from './bare-lines.ts';
import { codeCause, codeMeaning } from './codes.ts';
import type { Message, RequestRecord } from './contract.ts';
import { withoutColours } from './log-content.ts';
import { pools } from './phrases/pools.ts';
import { proxies, servers } from './phrases/proxies.ts';
import { runtimes } from './phrases/runtimes.ts';
import { stores } from './phrases/stores.ts';
import { uncaughtIn } from './phrases/uncaught.ts';

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

/*
 * Reads a container's output as the engine keeps it: a time before each line.
 */

/** What a service calls its counter of lines that it could not write, as its record has it. */
export const DROPPED_LINES = 'dropped log lines';

/** RFC 3339 with up to nine digits of a second, as `docker logs --timestamps` writes it. */
const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) (.*)$/;

/** @returns t: seconds since 1970 at which the engine took the line; lines without a time are left out */
export function stampedLines(log: string): { t: number; text: string }[] {
	return log.split('\n').flatMap((line) => {
		const found = STAMPED.exec(line);
		if (!found) return [];
		const [, moment, fraction = '.0', zone, text] = found;
		return [{ t: Date.parse(`${moment}${zone}`) / 1000 + Number(fraction), text }];
	});
}

/** The stamp alone, of a line of which the rest may be long. */
const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d) /;
const STAMP_MOST = 40;

/**
 * The same, line by line: of a long log all lines at once would take several times its memory.
 * @param isAsked of whole seconds
 * @param most characters of a line
 */
function* linesOf(log: string, isAsked: (t: number) => boolean, most: number): Generator<{ t: number; text: string }> {
	let [second, from, isIn] = ['', 0, false];
	for (let at = 0; at < log.length; ) {
		const next = log.indexOf('\n', at);
		const end = next < 0 ? log.length : next;
		const stamp = STAMP.exec(log.slice(at, Math.min(end, at + STAMP_MOST)));
		if (stamp) {
			const [whole, moment, fraction = '0', zone] = stamp;
			// Most lines come in the same second as the one before.
			if (moment + zone !== second) {
				[second, from] = [moment + zone, Date.parse(moment + zone) / 1000];
				isIn = isAsked(from);
			}
			if (isIn) yield { t: from + Number(fraction), text: log.slice(at + whole.length, Math.min(end, at + whole.length + most)) };
		}
		at = end + 1;
	}
}

/*
 * What a log says in words: its lines without colours, times of their own, frames of stacks and lines that are one for each request; of lines
 * in JSON or logfmt the level, the message and the error.
 */

/** A line in JSON is read whole; of others, no more than says what is the matter. */
const JSON_MOST = 16_384;
const TEXT_MOST = 2_000;

/** A request line and its status; a request line at the end; forms without quotes (morgan, gin, uWSGI); and the lab's own. */
const ACCESS = [
	/"[A-Z]{3,9} [^"]{0,2000}" \d{3}\b/,
	/HTTP\/[\d.]{1,3}"$/,
	/^[A-Z]{3,7} \/\S{0,2000} \d{3} /,
	/^\[GIN\] \d/,
	/^(?:\{address space [^}]{0,80}\} )?\[pid: \d+\|app: /,
	/^doubletake\d+ /,
];
/** An error that quotes its request is none. */
const QUOTES_REQUEST = 'request: "';

/** Its own time, before anything else. */
const TIMES = [
	/^\[?\d{4}[-/]\d\d[-/]\d\d[T ,] ?[\d:.,]+ ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?\]?[ :-]*/,
	/^\[[\w:., /+-]{0,30}\d\d:\d\d[\w:., /+-]{0,30}\] ?/,
	/^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8}(?: \d{4})?(?: -)? /,
	/^\d\d:\d\d:\d\d(?:[.,]\d+)? /,
];

/** Of a stack, what says nothing by itself. */
const OF_STACK =
	/^(?:Traceback \(most recent call last\):|goroutine \d+ \[|During handling of the above exception|The above exception was the direct cause|#\d+ |\.\.\. \d+ (?:more|common frames)|--- End of )/;
/** An indented line that is the reason and not a frame: of Java, and of Elixir. */
const REASON = /^\s+(?:Caused by: |\*\* \()/;
/** .NET writes level and category, and below them the message. */
const HEAD = /^(trce|dbug|info|warn|fail|crit): \S+\[\d+\]$/;
const FRAME = /^\s+(?:at |--- )/;

/** What the client chose is quoted after these words. */
const OF_CLIENT = ', client: ';

const LEVELS = ['level', 'severity', 'log.level', '@l', 'loglevel', 'lvl'];
const MESSAGES = ['msg', 'message', '@m', '@mt'];
const ERRORS = ['error', 'err', 'exception', 'error.message', '@x', 'exc_info', 'stack_trace'];
const HAS_MESSAGE = /"(?:msg|message|@mt?|error|err|exception|error\.message|@x|exc_info|stack_trace)" ?:/i;
/** `key=value`, the value in quotes where it has blanks. */
const PAIR = /(?<![\w.@-])([\w.@-]+)=("(?:[^"\\]|\\.)*"|\S*)/g;
const LOGFMT = /^(?:time|ts|t|level|lvl|msg)=/;

/**
 * @param log each line with the engine's time before it
 * @param isAsked of whole seconds
 */
function* messagesIn(log: string, isAsked: (t: number) => boolean): Generator<{ t: number; text: string }> {
	let head = '';
	for (const { t, text } of linesOf(log, isAsked, JSON_MOST)) {
		const plain = withoutColours(text);
		const isIndented = plain.startsWith(' ') || plain.startsWith('\t');
		if (!isIndented) head = HEAD.exec(plain)?.[1] ?? '';
		const said = isIndented ? reasonIn(plain, head) : head === '' ? messageOf(plain) : null;
		if (said !== null && said !== '') yield { t, text: said };
	}
}

/**
 * @param line indented
 * @param head level of the line above it; empty where that is none
 */
function reasonIn(line: string, head: string) {
	if (REASON.test(line)) return line.trim().slice(0, TEXT_MOST);
	return head === '' || FRAME.test(line) ? null : `${head}: ${line.trim().slice(0, TEXT_MOST)}`;
}

/** @returns null where it says nothing in words */
function messageOf(line: string): string | null {
	if (line.startsWith('{')) {
		if (!HAS_MESSAGE.test(line)) return line.endsWith('}') ? null : line.slice(0, TEXT_MOST);
		const entry = parsed(line);
		if (entry !== null) return reported((key) => entry[key]);
	}
	const text = line.slice(0, TEXT_MOST);
	if (OF_STACK.test(text) || isAccess(text)) return null;
	if (LOGFMT.test(text)) {
		const pairs = new Map([...text.matchAll(PAIR)].map(([, key, value]) => [key, unquoted(value)]));
		return reported((key) => pairs.get(key));
	}
	const bare = TIMES.reduce((rest, time) => rest.replace(time, ''), text);
	const client = bare.indexOf(OF_CLIENT);
	const said = client < 0 ? bare : bare.slice(0, client);
	return LETTER.test(said) ? said : null;
}

/** A rule that is drawn between lines has none. */
const LETTER = /\p{L}/u;

const isAccess = (text: string) => ACCESS.some((form) => form.test(text)) && !text.includes(QUOTES_REQUEST);

function parsed(line: string): Record<string, unknown> | null {
	const entry = jsonIn(line);
	return entry && Object.fromEntries(Object.entries<any>(entry).map(([key, value]) => [key.toLowerCase(), value]));
}

/** @returns level, message and errors */
function reported(valueAt: (key: string) => unknown): string | null {
	const first = (keys: string[]) => keys.map((key) => wordsOf(valueAt(key))).find((words) => words !== '') ?? '';
	const message = first(MESSAGES);
	const error = first(ERRORS);
	if (message === '' && error === '') return null;
	const level = valueAt(LEVELS.find((key) => typeof valueAt(key) === 'string') ?? '');
	const words = [message, ...(message.includes(error) ? [] : [error])].filter(Boolean).join(': ');
	return `${typeof level === 'string' ? `${level} ` : ''}${words}`.slice(0, TEXT_MOST);
}

/** The first line of a text, or of an error's. */
function wordsOf(value: unknown): string {
	if (typeof value === 'string') return value.trim().split('\n', 1)[0];
	if (value === null || typeof value !== 'object') return '';
	const { message, msg, type, name } = value as Record<string, unknown>;
	const text = wordsOf(typeof message === 'string' ? message : msg);
	const kind = [type, name].find((one) => typeof one === 'string');
	return kind === undefined || text === '' ? text : `${kind}: ${text}`;
}

const unquoted = (value: string) => (value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replaceAll('\\"', '"') : value);

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

/** Each with its place in the table. */
const byWord = grouped(
	phrases.map((phrase, place) => ({ phrase, place })),
	({ phrase: { word } }) => word,
);

const WORD = /[a-z_]{4,}/g;

/**
 * Few lines have a word of any phrase.
 * @param text with its figures masked
 */
function phraseIn(text: string): Phrase | null {
	let found = null;
	for (const word of text.toLowerCase().match(WORD) ?? [])
		for (const row of byWord.get(word) ?? []) if ((found === null || row.place < found.place) && row.phrase.pattern.test(text)) found = row;
	return found?.phrase ?? null;
}

/** What a service says once, and what is so until it says that it is over, before the load too. */
function statesIn(log: string): State[] {
	const lasting = phrases.filter(({ lasts, word }) => lasts && new RegExp(word, 'i').test(log));
	const states: State[] = [];
	for (const { t, text } of lasting.length === 0 ? [] : messagesIn(log, () => true))
		for (const phrase of lasting) {
			const open = states.find((one) => one.phrase === phrase && one.to === Number.POSITIVE_INFINITY);
			if (open === undefined && phrase.pattern.test(text)) states.push({ phrase, text, from: t, to: Number.POSITIVE_INFINITY });
			else if (open && phrase.ends?.test(text)) open.to = t;
		}
	return states;
}

/*
 * How what services say is read: the messages of their logs, the phrases that are known, and the codes of their errors. The engine is handed
 * these and knows no product's words.
 */

export const logWords: LogWords = Object.freeze({ messagesIn, phraseIn, isBare, statesIn, uncaughtIn, codeMeaning, codeCause });
