/**
 * What a log says in words: its lines without colours, times of their own, frames of stacks and lines that are one for each request; of lines
 * in JSON or logfmt the level, the message and the error.
 */

import { jsonIn } from '../base/values.ts';
import { withoutColours } from './log-content.ts';
import { linesOf } from './log-lines.ts';

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
export function* messagesIn(log: string, isAsked: (t: number) => boolean): Generator<{ t: number; text: string }> {
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
