/**
 * Heads of HTTP/1 messages: of all that they say, what tells how long a message is, and the ids.
 *
 * @typedef {object} Head
 * @property {string} line            the first
 * @property {number | null} length   content-length; null where it says none, or none that can be
 * @property {boolean} isChunked
 * @property {string} upgrade         to which protocol, in lower case; empty where it says none
 * @property {string | undefined} id
 * @property {string | undefined} trace
 */
import { ID_LENGTH } from '../../wire/contract.js';
import { plainId, traceId } from '../../wire/templates.js';

/** Whatever else stands in their place is not kept. */
export const METHODS = new Set(
  (
    'GET HEAD POST PUT DELETE PATCH OPTIONS CONNECT TRACE PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH PURGE LINK UNLINK ' +
    'MKCALENDAR ACL BIND QUERY SUBSCRIBE NOTIFY'
  ).split(' '),
);
const METHOD_LENGTH = 12;
/** Of headers that are read. */
const NAMES = new Set(['upgrade', 'traceparent', 'x-request-id', 'content-length', 'transfer-encoding']);
/** Of names of other lengths no text is made. */
const NAME_LENGTHS = new Set([...NAMES].map(({ length }) => length));
const REQUEST_LINE = /^[A-Z]+ [^ ]* HTTP\/1\.[01]$/;
const STATUS_LINE = /^HTTP\/1\.[01] \d{3}(?: |$)/;
const VERSION_LENGTH = ' HTTP/1.1'.length;

/** @param {Buffer} bytes @param {number} [size]  up to the empty line, or as far as it was recorded: all of them unless given @returns {Head} */
export function readHead(bytes, size = bytes.length) {
  const text = bytes.toString('latin1', 0, size);
  const end = indexOr(text.indexOf('\n'), text.length);
  /** @type {Head} */
  const head = {
    line: text.slice(0, text[end - 1] === '\r' ? end - 1 : end),
    length: null,
    isChunked: false,
    upgrade: '',
    id: undefined,
    trace: undefined,
  };
  let colon = 0;
  for (let from = end + 1; from > 0 && from < text.length; ) {
    const next = text.indexOf('\n', from);
    // One that lies beyond this line is the next one's too: a head without any must not be searched from each line on.
    if (colon < from) colon = indexOr(text.indexOf(':', from), text.length);
    const name = NAME_LENGTHS.has(colon - from) ? text.slice(from, colon).toLowerCase() : '';
    if (NAMES.has(name)) note(head, name, text.slice(colon + 1, indexOr(next, text.length)).trim());
    from = next + 1;
  }
  return head;
}

/** @param {number} index @param {number} otherwise  where there is none */
const indexOr = (index, otherwise) => (index < 0 ? otherwise : index);

/** @param {Head} head @param {string} name @param {string} value */
function note(head, name, value) {
  if (name === 'x-request-id') head.id = plainId(value, ID_LENGTH);
  else if (name === 'traceparent') head.trace = traceId(value);
  else if (name === 'content-length') head.length = /^\d{1,15}$/.test(value) ? Number(value) : null;
  else if (name === 'transfer-encoding') head.isChunked = /(?:^|[\s,])chunked$/i.test(value);
  else if (name === 'upgrade') head.upgrade = /^[\w./+-]+/.exec(value)?.[0].toLowerCase() ?? '';
}

/** @param {string} line @returns {{ method: string, target: string } | null} null: no request; method: empty where it is not one that is known */
export function readRequestLine(line) {
  if (!REQUEST_LINE.test(line)) return null;
  const space = line.indexOf(' ');
  const method = line.slice(0, space);
  return { method: METHODS.has(method) ? method : '', target: line.slice(space + 1, -VERSION_LENGTH) };
}

/** Of a line that was recorded in part: as far as it goes. @param {string} line @returns {{ method: string, target: string } | null} */
export function readCutRequestLine(line) {
  const [method, target = ''] = line.split(' ');
  return METHODS.has(method) ? { method, target } : null;
}

/** @param {string} line @returns {number | null} */
export const readStatus = (line) => (STATUS_LINE.test(line) ? Number(line.slice(VERSION_LENGTH, VERSION_LENGTH + 3)) : null);

/** Whether a request may begin so. @param {Buffer} bytes @returns {import('../../wire/contract.js').Verdict} */
export function beginsRequest(bytes) {
  const text = bytes.toString('latin1', 0, METHOD_LENGTH + 2).replace(/^[\r\n]+/, '');
  const space = text.indexOf(' ');
  if (space < 0) return text.length <= METHOD_LENGTH && [...METHODS].some((method) => method.startsWith(text)) ? 'more' : 'no';
  if (!METHODS.has(text.slice(0, space))) return 'no';
  const line = /^[\r\n]*\S+ ([^ \r\n]*)(?: ([^\r\n]*))?(\r?\n)?/.exec(bytes.toString('latin1', 0, 512));
  const [, target = '', version = '', end] = line ?? [];
  // A target is longer than what is seen of it; no other protocol's first message is so.
  if (target.length > LONG_TARGET && /^(?:\/|[a-z]+:\/\/)/i.test(target)) return 'yes';
  if (end !== undefined) return /^HTTP\/1\.[01]$/.test(version) ? 'yes' : 'no';
  return target === '' || /^(?:\/|\*|[a-z]+:\/\/|[\w.-]+:\d*$)/i.test(target) ? 'more' : 'no';
}
const LONG_TARGET = 128;

/** Whether an answer may begin so. @param {Buffer} bytes @returns {import('../../wire/contract.js').Verdict} */
export function beginsAnswer(bytes) {
  const text = bytes.toString('latin1', 0, 8);
  if (text.length < 8) return 'HTTP/1.1'.startsWith(text) || 'HTTP/1.0'.startsWith(text) ? 'more' : 'no';
  return /^HTTP\/1\.[01]$/.test(text) ? 'yes' : 'no';
}
