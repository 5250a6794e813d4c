/**
 * Reads PostgreSQL's log as the container printed it, whatever the user's log_line_prefix.
 */
import { isDuring, wholeLines } from '../whole-lines.js';
import { meaningOf } from './statements.js';

/**
 * A severity or the name of an addition to a message, a colon and two blanks (send_message_to_server_log in elog.c). The first
 * one of a line is PostgreSQL's own: what comes after it may quote anything. `log_error_verbosity = verbose` puts the SQLSTATE in:
 * every one has a digit (errcodes.txt), which the first word of a raised text seldom has.
 */
export const LINE =
  /(?<![A-Za-z])(PANIC|FATAL|ERROR|WARNING|NOTICE|INFO|LOG|DEBUG|DETAIL|HINT|QUERY|CONTEXT|STATEMENT|LOCATION|BACKTRACE): {2}(?:((?=[A-Z]*\d)[0-9A-Z]{5}): )?(.*)$/;
/** Those that tell of an event; additions to a message quote statements and values. */
const TELLING = new Set(['PANIC', 'FATAL', 'ERROR', 'WARNING', 'LOG']);
/** Where the lab's own prefix (overlay.js) ends: with the SQLSTATE. */
const CODE_AT_END = /(?:^| )((?=[A-Z]*\d)[0-9A-Z]{5}) $/;
/** Of the process, in the prefix that is PostgreSQL's own and in the lab's (`[%p]`). */
const PROCESS = /\[(\d+)\]/;
/** The further lines of a message begin with a tab: a statement's text, not a line of the log (append_with_tabs in elog.c). */
export const CONTINUED = '\t';
/** That the log goes to standard error once it serves, in English: logged at each start. */
const READY = /^database system is ready to accept (read-only )?connections/;
/** From here on standard error is silent: logging_collector. */
const REDIRECTED = /^redirecting log output to logging collector process/;

/**
 * @typedef {object} Said
 * @property {import('./own.js').Logged[]} messages  of the load
 * @property {boolean} heard       it wrote that it serves
 * @property {boolean} redirected  the rest of its log is in a file
 */

/**
 * @param {string} log
 * @param {import('../contract.js').About} about
 * @returns {Said}
 */
export function readLog(log, { level, window }) {
  /** @type {Said} */
  const said = { messages: [], heard: false, redirected: false };
  for (const { t, text } of wholeLines(log)) {
    const found = text.startsWith(CONTINUED) ? null : LINE.exec(text);
    if (!found || !TELLING.has(found[1])) continue;
    const [, severity, verbose = '', message] = found;
    if (READY.test(message)) said.heard = true;
    if (REDIRECTED.test(message)) said.redirected = true;
    if (!isDuring(t, window)) continue;
    const code = verbose || (level >= 2 && CODE_AT_END.exec(text.slice(0, found.index))?.[1]) || '';
    const meaning = meaningOf(severity, message, code);
    const pid = Number(PROCESS.exec(text.slice(0, found.index))?.[1]) || null;
    if (meaning) said.messages.push({ ...meaning, t, pid });
  }
  return said;
}
