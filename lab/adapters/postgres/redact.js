/**
 * What of PostgreSQL's log the record keeps: when it said something, of what kind and in its own words. Statements, their values, and
 * whatever text the user's code raises are the user's.
 */
import { CONTINUED, LINE } from './log.js';
import { meaningOf } from './statements.js';

const TAKEN = '(its text is not kept)';
/** Additions that quote a statement or a value, and notices, which the user's code raises. */
const QUOTING = new Set(['DETAIL', 'QUERY', 'CONTEXT', 'STATEMENT', 'NOTICE', 'INFO', 'DEBUG']);
/** What these quote is known to be a failure's own words, or is not kept. */
const TELLING = new Set(['PANIC', 'FATAL', 'ERROR', 'WARNING']);
/** With log_min_duration_statement, and with log_statement (src/backend/tcop/postgres.c). */
const TIMED = /^(duration: \d+(?:\.\d+)? ms) {2}.*$/;
const STATED = /^(statement|(?:parse|bind|execute(?: fetch from)?) [^:]*): .*$/;

/**
 * @param {string} line without the engine's time
 * @returns {string} from which the same messages are read
 */
export function redact(line) {
  if (line.startsWith(CONTINUED)) return `${CONTINUED}${TAKEN}`;
  const found = LINE.exec(line);
  if (!found) return line;
  const [whole, severity, , message] = found;
  const head = line.slice(0, found.index) + whole.slice(0, whole.length - message.length);
  if (QUOTING.has(severity)) return head + TAKEN;
  if (TELLING.has(severity)) return head + (meaningOf(severity, message, '')?.text.slice(`${severity}:  `.length) ?? TAKEN);
  return head + message.replace(TIMED, '$1').replace(STATED, `$1: ${TAKEN}`);
}
