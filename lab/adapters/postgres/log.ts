/** Reads PostgreSQL's log as the container printed it, whatever the user's log_line_prefix. */

import { completeLines, isDuring, type Window } from '../complete-lines.ts';
import type { Message } from '../contract.ts';
import { meaningOf } from './statements.ts';

/**
 * A severity or the name of an addition to a message, a colon and two blanks (send_message_to_server_log in elog.c). The first
 * one of a line is PostgreSQL's own: what comes after it may quote anything. `log_error_verbosity = verbose` puts the SQLSTATE in:
 * every one has a digit (errcodes.txt), which the first word of a raised text seldom has.
 */
export const LINE =
	/(?<![A-Za-z])(PANIC|FATAL|ERROR|WARNING|NOTICE|INFO|LOG|DEBUG|DETAIL|HINT|QUERY|CONTEXT|STATEMENT|LOCATION|BACKTRACE): {2}(?:((?=[A-Z]*\d)[0-9A-Z]{5}): )?(.*)$/;
/** Those that tell of an event; additions to a message quote statements and values. */
const TELLING = new Set(['PANIC', 'FATAL', 'ERROR', 'WARNING', 'LOG']);
/** Of the process, in the prefix that is PostgreSQL's own and in the lab's (`[%p]`). */
const PROCESS = /\[(\d+)\]/;
/** The further lines of a message begin with a tab: a statement's text, not a line of the log (append_with_tabs in elog.c). */
export const CONTINUED = '\t';

/** @returns of the load; what the lab asked, by the process that answered it, is none of the system's */
export function readLog(log: string, samples: any[], window: Window): Message[] {
	const own = new Set(samples.flatMap(({ pid }) => pid ?? []));
	return completeLines(log).flatMap(({ t, text }) => {
		const found = isDuring(t, window) && !text.startsWith(CONTINUED) ? LINE.exec(text) : null;
		if (!found || !TELLING.has(found[1])) return [];
		const meaning = meaningOf(found[1], found[3]);
		return meaning && !own.has(Number(PROCESS.exec(text.slice(0, found.index))?.[1])) ? [{ ...meaning, t }] : [];
	});
}
