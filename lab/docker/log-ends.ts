/**
 * What is quoted of the log of a container that did not start: its last lines, and those with which the failure begins. A stack trace is
 * longer than what is quoted, and says what it is about in its first line.
 */

/** That are read, of which some are quoted. */
export const READ_LINES = 200;
const LAST_LINES = 3;
const FIRST_LINES = 3;
/** With which failures begin, in the words of many runtimes. */
const FAILURE = /\b(error|exception|panic|fatal|traceback|cannot|failed)\b|[a-z](Error|Exception)\b/i;
const INDENTED = /^\s/;

/** @returns what: which lines it are; text: indented */
export function endsOf(log: string): { what: string; text: string } {
	const lines = log.split('\n').filter((line) => line.trim() !== '');
	const last = lines.slice(-LAST_LINES);
	const before = lines.slice(0, -LAST_LINES);
	const at = before.findLastIndex((line) => FAILURE.test(line) && !INDENTED.test(line));
	if (at < 0) return { what: 'last lines', text: indented(last) };
	const first = before.slice(at, at + FIRST_LINES);
	const left = before.length - at - first.length;
	return { what: 'first and last lines', text: indented([...first, ...(left > 0 ? [`... (${left} more)`] : []), ...last]) };
}

const indented = (lines: string[]) => lines.join('\n').replace(/^/gm, '    ');
