/**
 * What of PostgreSQL's log the record keeps: when it said something, of what kind and in its own words. Statements, their values, and
 * whatever text the user's code raises are the user's. What the lab asks of its views has none of these.
 */

import { CONTINUED, LINE } from './log.ts';
import { knownWords } from './statements.ts';

const TAKEN = '(its text is not kept)';
/** Additions that quote a statement or a value, or that the user's code may give, and notices, which it raises. */
const QUOTING = new Set(['DETAIL', 'HINT', 'QUERY', 'CONTEXT', 'STATEMENT', 'NOTICE', 'INFO', 'DEBUG']);
/** What these quote is known to be a failure's own words, or is not kept. */
const REDACT_TELLING = new Set(['PANIC', 'FATAL', 'ERROR', 'WARNING']);
/** With log_min_duration_statement, and with log_statement (src/backend/tcop/postgres.c). */
const TIMED = /^(duration: \d+(?:\.\d+)? ms) {2}.*$/;
const STATED = /^(statement|(?:parse|bind|execute(?: fetch from)?) [^:]*): .*$/;
/** psql, as which an image runs the user's first statements, quotes the line of a statement that failed. */
const QUOTED_LINE = /^(LINE \d+): .*$/;
/**
 * What the server logs of itself. The user's code may log anything at the same severity (RAISE LOG), and an extension whole statements
 * (pgaudit): what is none of these, and has no known meaning, is not kept.
 */
const OWN = [
	/^(starting PostgreSQL|listening on|database system|redirecting log output|received SIGHUP|temporary file: path)\b/,
	/^(checkpoint|restartpoint) (starting|complete):/,
	/^automatic (aggressive )?(vacuum|analyze)\b/,
	/^(connection (received|authenticated|authorized)|disconnection):/,
	/^(shutting down|duration: [\d.]+ ms)$/,
	/^process \d+ (still waiting|acquired|avoided deadlock|detected deadlock while waiting)( for)? \w+ on [\w ()[\],]+ after [\d.]+ ms$/,
];
/** What the system says of a failure, after the server's own words. */
const SYSTEM_ERROR = /^: [A-Z][A-Za-z ]*$/;

/**
 * @param line without the engine's time
 * @returns from which the same messages are read
 */
export function redact(line: string): string {
	if (line.startsWith(CONTINUED)) return `${CONTINUED}${TAKEN}`;
	const found = LINE.exec(line);
	if (!found) return line.replace(QUOTED_LINE, `$1: ${TAKEN}`);
	const [whole, severity, , message] = found;
	const head = line.slice(0, found.index) + whole.slice(0, whole.length - message.length);
	if (QUOTING.has(severity)) return head + TAKEN;
	if (REDACT_TELLING.has(severity)) return head + (knownWords(message) ?? TAKEN);
	const reported = message.replace(TIMED, '$1').replace(STATED, `$1: ${TAKEN}`);
	return head + (reported === message ? ownWords(message) : reported);
}

/** @param message that is logged */
function ownWords(message: string) {
	if (OWN.some((pattern) => pattern.test(message))) return message;
	const words = knownWords(message);
	return words === null ? TAKEN : words + (SYSTEM_ERROR.exec(message.slice(words.length))?.[0] ?? '');
}
