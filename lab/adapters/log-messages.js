/**
 * What a log says in words: its lines without colours, times of their own, frames of stacks and lines that are one for each request; of lines
 * in JSON or logfmt the level, the message and the error.
 */
import { linesOf } from './log-lines.js';

/** A line in JSON is read whole; of others, no more than says what is the matter. */
const JSON_MOST = 16_384;
const TEXT_MOST = 2_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are sent as control characters
const COLOURS = /\x1b\[[\d;?]*[A-Za-z]/g;

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
 * @param {string} log  each line with the engine's time before it
 * @param {(t: number) => boolean} isAsked  of whole seconds
 * @returns {Generator<{ t: number, text: string }>}
 */
export function* messagesIn(log, isAsked) {
  let head = '';
  for (const { t, text } of linesOf(log, isAsked, JSON_MOST)) {
    const plain = text.includes('\x1b') ? text.replace(COLOURS, '') : text;
    const isIndented = plain.startsWith(' ') || plain.startsWith('\t');
    if (!isIndented) head = HEAD.exec(plain)?.[1] ?? '';
    const said = isIndented ? reasonIn(plain, head) : head === '' ? messageOf(plain) : null;
    if (said !== null && said !== '') yield { t, text: said };
  }
}

/** @param {string} line indented @param {string} head level of the line above it; empty where that is none */
function reasonIn(line, head) {
  if (REASON.test(line)) return line.trim().slice(0, TEXT_MOST);
  return head === '' || FRAME.test(line) ? null : `${head}: ${line.trim().slice(0, TEXT_MOST)}`;
}

/** @param {string} line @returns {string | null} null where it says nothing in words */
export function messageOf(line) {
  if (line.startsWith('{')) {
    if (!HAS_MESSAGE.test(line)) return line.endsWith('}') ? null : line.slice(0, TEXT_MOST);
    const entry = parsed(line);
    if (entry !== null) return told((key) => entry[key]);
  }
  const text = line.slice(0, TEXT_MOST);
  if (OF_STACK.test(text) || isAccess(text)) return null;
  if (LOGFMT.test(text)) {
    const pairs = new Map([...text.matchAll(PAIR)].map(([, key, value]) => [key, unquoted(value)]));
    return told((key) => pairs.get(key));
  }
  const bare = TIMES.reduce((rest, time) => rest.replace(time, ''), text);
  const client = bare.indexOf(OF_CLIENT);
  return client < 0 ? bare : bare.slice(0, client);
}

/** @param {string} text */
const isAccess = (text) => ACCESS.some((form) => form.test(text)) && !text.includes(QUOTES_REQUEST);

/** @param {string} line @returns {Record<string, unknown> | null} */
function parsed(line) {
  try {
    const entry = JSON.parse(line);
    return Object.fromEntries(Object.entries(entry).map(([key, value]) => [key.toLowerCase(), value]));
  } catch {
    return null;
  }
}

/** @param {(key: string) => unknown} valueAt @returns {string | null} level, message and errors */
function told(valueAt) {
  const first = (/** @type {string[]} */ keys) => keys.map((key) => wordsOf(valueAt(key))).find((words) => words !== '') ?? '';
  const message = first(MESSAGES);
  const error = first(ERRORS);
  if (message === '' && error === '') return null;
  const level = valueAt(LEVELS.find((key) => typeof valueAt(key) === 'string') ?? '');
  const words = [message, ...(message.includes(error) ? [] : [error])].filter(Boolean).join(': ');
  return `${typeof level === 'string' ? `${level} ` : ''}${words}`.slice(0, TEXT_MOST);
}

/** The first line of a text, or of an error's. @param {unknown} value @returns {string} */
function wordsOf(value) {
  if (typeof value === 'string') return value.trim().split('\n', 1)[0];
  if (value === null || typeof value !== 'object') return '';
  const { message, msg, type, name } = /** @type {Record<string, unknown>} */ (value);
  const text = wordsOf(typeof message === 'string' ? message : msg);
  const kind = [type, name].find((one) => typeof one === 'string');
  return kind === undefined || text === '' ? text : `${kind}: ${text}`;
}

/** @param {string} value */
const unquoted = (value) => (value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).replaceAll('\\"', '"') : value);
