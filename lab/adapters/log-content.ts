/**
 * What of a program's log the record keeps: the program's own words and its figures. What may be a value of somebody's is taken away: whatever
 * stands in quotes, after a name and `=`, in a query, a header, a statement or a field of JSON, addresses of people, and long ids. A word in
 * the middle of a sentence is the program's, for nothing tells it from others.
 */
import { HANDED_ON, jsonIn, OF_SYSTEM } from '../base/values.ts';
import { pathTemplate, statementTemplate } from '../wire/templates.ts';

const TAKEN = '?';
/** The engine cuts lines at 16 KB; what is said of a failure stands before. */
const LINE_READ = 8192;

/** Fields whose text is the program's own. */
const TELLING = new Set(
	(
		'level severity lvl priority logger module thread caller component msg message error err errors event exception reason cause ' +
		'type name code errno syscall status state method stack stack_trace stacktrace traceback'
	).split(' '),
);
const PATHS = new Set('url uri path request_uri request_url target route endpoint'.split(' '));
const MOMENTS = new Set('ts t time timestamp @timestamp date asctime'.split(' '));
/** Of headers, ids and lengths. */
const HEADERS = new Set('x-request-id traceparent content-length'.split(' '));
/** A greater number may be one of a card, a telephone or an account. */
const NUMBER_BELOW = 1e8;

/** To what stands after these no end is known. */
const TO_THE_END = [
	/\b(DETAIL|HINT|STATEMENT|QUERY|CONTEXT|PARAMETERS?|parameters?|params|args|arguments|payload|body)(:\s+|\s*=\s*)(?=\S).*$/s,
	/\b((?:proxy-)?authorization|(?:set-)?cookie|password|passwd|secret|token|api[-_]?key|referr?er|x-[\w-]+)(["']?\s*[:=]\s*)(?=\S).*$/is,
];
const STATEMENT = /\b(?:select\b.+?\bfrom|insert\s+into|replace\s+into|merge\s+into|delete\s+from|update\s+\S+\s+set)\b.*$/is;
/** A quote within a word is an apostrophe. The last may be missing, where a line was cut. */
const QUOTED = /\\"([^"]*?)\\"|"((?:[^"\\]|\\.)*)(?:"|\\?$)|(?<!\w)'((?:[^'\\]|\\.|'(?=\w))*)(?:'(?!\w)|\\?$)|`([^`]*)(?:`|$)/g;
/** Names of fields are shorter. */
const NAME_READ = 40;
const BEFORE_TEXT = /(?:^|[\s,{(])"?(\w+)"?(?:=|:\s*)$/;
const REQUEST = /\b([A-Z]{3,9}) (\/[^\s"'`]*)/g;
const WHOLE_REQUEST = /^[A-Z]{3,9} (?:\/|[a-z]+:\/\/)\S*(?: HTTP\/[\d.]+)?$/;
const WHOLE_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/\S+$/i;
const ADDRESS = /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#\s@]*@)?([\w.:[\]-]+)([/?#][^\s"'`)\]},;]*)?/gi;
const HOST_PORT = /^(?:unix:[\w./-]*|(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|\[[0-9a-f:.]+\](?::\d+)?|[a-z][\w.-]*:\d{1,5}|-)?$/i;
const QUERY = /(\/[^\s?"']*\?)[^\s"']+/g;
const ASSIGNED = /(?<=^|[\s,([{;&])([\w.@-]+)=([^\s"'`,;)\]}&]+)/g;
const IN_BRACKETS = /=\([^)]*\)?/g;
const MAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;
const LONG = /[A-Za-z0-9_+=-]{16,}|\b\d{9,}\b/g;
const FIGURE = /^[-+]?\d{1,8}(?:[.,:]\d+)*(?:%|[a-zA-Zµ]{1,5})?$/;
/** A word of letters and digits changes between both seldom: `x86_64`; an id does often. */
const CHANGES_MOST = 3;
const POINTER = /(?:^|-)0x[0-9a-f]+$/;
/** An access log in the common or combined form: who asked, as whom, and after the size what the client said of itself. */
const ACCESS = /^(\S+ \S+ ).*?( \[[^\]]+\] )("(?:[^"\\]|\\.)*")( \d{3} (?:\d+|-))(.*)$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are sent as control characters
const COLOURS = /\x1b\[[\d;?]*[A-Za-z]/g;

/** With them the name and the value of a field have no end that a pattern could know. */
export const withoutColours = (line: string) => (line.includes('\x1b') ? line.replace(COLOURS, '') : line);

const never = () => false;

/**
 * @param line without the engine's time
 * @param isKept fields of JSON that are the product's own, as it spells them
 */
export function withoutContent(line: string, isKept: (field: string) => boolean = never): string {
	const plain = withoutColours(line);
	const values = plain.startsWith('{') ? jsonIn(plain) : null;
	return values === null ? maskText(plain.slice(0, LINE_READ)) : JSON.stringify(maskField('', values, isKept));
}

function maskField(name: string, value: any, isKept: (field: string) => boolean): any {
	const plain = name.toLowerCase();
	if (Array.isArray(value)) return value.map((one) => maskField(name, one, isKept));
	if (value !== null && typeof value === 'object')
		return Object.fromEntries(Object.entries<any>(value).map(([key, one]) => [key, maskField(key, one, isKept)]));
	if (isKept(name) || MOMENTS.has(plain)) return value;
	if (typeof value === 'number') return Math.abs(value) < NUMBER_BELOW ? value : null;
	if (typeof value !== 'string') return value;
	if (TELLING.has(plain)) return maskText(value.slice(0, LINE_READ));
	if (PATHS.has(plain)) return pathTemplate(value);
	if (HEADERS.has(plain) && /^[\w.:-]{1,64}$/.test(value)) return value;
	return isPlain(value) ? value : TAKEN;
}

/** A figure, a place on the network, or an error of the system. */
const isPlain = (text: string) => FIGURE.test(text) || HOST_PORT.test(text) || OF_SYSTEM.test(text);

function maskText(line: string) {
	const access = ACCESS.exec(line);
	if (access) {
		const [, client, at, request, status, rest] = access;
		return `${client}-${at}${maskWords(request)}${status}${rest.replace(/"(?:[^"\\]|\\.)*"?/g, (text) => (text === '"-"' ? text : `"${TAKEN}"`))}`;
	}
	return maskWords(line);
}

function maskWords(line: string) {
	const paths = maskQuotes(line.replace(STATEMENT, (statement) => `${statementTemplate(statement).template} ${TAKEN}`))
		.replace(REQUEST, (_, verb, target) => `${verb} ${pathTemplate(target)}`)
		.replace(ADDRESS, (_, scheme, host, path) => `${scheme}${host}${path === undefined ? '' : pathTemplate(path)}`)
		.replace(QUERY, '$1');
	return TO_THE_END.reduce((all, pattern) => all.replace(pattern, `$1$2${TAKEN}`), paths)
		.replace(ASSIGNED, (whole, name, value) => (TELLING.has(name.toLowerCase()) || isPlain(value) ? whole : `${name}=${TAKEN}`))
		.replace(IN_BRACKETS, `=(${TAKEN})`)
		.replace(MAIL, TAKEN)
		.replace(LONG, (word) => (isId(word) ? TAKEN : word));
}

/** What stands in quotes is a value, but for what is masked with the rest of the line. */
function maskQuotes(text: string): string {
	return text.replace(QUOTED, (whole, escaped, double, single, back, at) => {
		const inner = escaped ?? double ?? single ?? back;
		if (WHOLE_REQUEST.test(inner) || WHOLE_ADDRESS.test(inner) || isPlain(inner)) return whole;
		const quote = escaped === undefined ? whole[0] : whole.slice(0, 2);
		const before = text.slice(Math.max(0, at - NAME_READ), at);
		const name = BEFORE_TEXT.exec(before)?.[1] ?? '';
		return `${quote}${TELLING.has(name.toLowerCase()) || HANDED_ON.test(before) ? maskQuotes(inner) : TAKEN}${quote}`;
	});
}

function isId(word: string) {
	if (/^\d+$/.test(word)) return true;
	if (POINTER.test(word)) return false;
	const changes = word.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
	return changes > CHANGES_MOST;
}
