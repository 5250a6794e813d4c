/** What PostgreSQL recorded of a load: what it logged, and what its own views said once a second. */

import type { Window } from '../complete-lines.ts';
import { bareRecord, completeLines, isDuring, limitOf, sampledExtent } from '../complete-lines.ts';
import type { About, Files, HopRecord, Level, Message } from '../contract.ts';
import { knownWords, meaningOf } from './statements.ts';

/**
 * Statements that waited for a lock, by PostgreSQL's own views once a second. Its log tells of one only when it has ended, and by default
 * not even then: what waits to the end of the load stands here alone.
 */
/** seconds; began and seen since 1970 */
type Wait = { pid: number; began: number; waited: number; seen: number };

/** Samples are taken once a second: what waits for less is seen by chance. */
const LONG_S = 1;
/** A sample may be asked for, and answered, so much later than another. */
const APART_S = 1;

/**
 * @param logged the log has a line for each statement that took long and ended
 * @returns one for each wait that began in the load and is in no log
 */
function lockWaits(samples: any[], window: Window, logged: boolean): Message[] {
	const during = samples.filter(({ t, lock_waits: waits }) => isDuring(t, window) && waits !== undefined);
	const last = during.at(-1)?.t;
	return waitsIn(during)
		.filter(({ began, waited, seen }) => began >= window.from && waited >= LONG_S && (!logged || seen === last))
		.map(({ pid, waited, seen }) => ({
			signal: 'slow',
			t: seen,
			text: `process ${pid} waits for a lock, for ${Math.round(waited * 1000)} ms so far`,
			source: 'pg_stat_activity',
		}));
}

/** Each with the last that was seen of it. */
function waitsIn(samples: any[]): Wait[] {
	const waits: Wait[] = [];
	for (const { t, lock_waits: found } of samples) {
		for (const [pid, waited] of found ?? []) {
			const known = waits.findLast((wait) => wait.pid === pid);
			const isSame = known && waited > known.waited && Math.abs(t - waited - known.began) <= APART_S;
			if (isSame) Object.assign(known, { waited, seen: t });
			else waits.push({ pid, began: t - waited, waited, seen: t });
		}
	}
	return waits;
}

/*
 * Reads PostgreSQL's log as the container printed it, whatever the user's log_line_prefix.
 */

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
const CONTINUED = '\t';

/** @returns of the load; what the lab asked, by the process that answered it, is none of the system's */
function readLog(log: string, samples: any[], window: Window): Message[] {
	const own = new Set(samples.flatMap(({ pid }) => pid ?? []));
	return completeLines(log).flatMap(({ t, text }) => {
		const found = isDuring(t, window) && !text.startsWith(CONTINUED) ? LINE.exec(text) : null;
		if (!found || !TELLING.has(found[1])) return [];
		const meaning = meaningOf(found[1], found[3]);
		return meaning && !own.has(Number(PROCESS.exec(text.slice(0, found.index))?.[1])) ? [{ ...meaning, t }] : [];
	});
}

export function read({ log, samples: all }: Files, about: About): HopRecord {
	const { service, level, window } = about;
	const samples = all.filter(({ failed }) => !failed);
	const settings = samples.findLast((sample) => sample.settings)?.settings ?? {};
	const own = level === 0 ? '' : log;
	const messages = [...readLog(own, all, window), ...lockWaits(samples, window, own !== '' && logsSlow(level, settings))];
	return {
		...bareRecord(about, 'postgres'),
		coverage: { requests: 'none', reasons: 'none', limits: sampledExtent(samples, window) },
		uncovered: [`PostgreSQL knows no requests: a statement that failed in ${service} belongs to no single one`],
		messages: messages.sort((one, other) => one.t - other.t),
		limits: limitOf(
			'connections',
			samples,
			window,
			(sample) => slotsOf(sample, samples),
			(sample, size) => (sample.refused ? size : sample.connections),
		),
	};
}

/** Into the log that comes here. */
const logsSlow = (level: Level, { log_min_duration_statement: from, logging_collector: collector }: any) =>
	collector !== 'on' && (from === undefined ? level >= 2 : from !== '-1');

/**
 * How many clients may be connected. Reserved slots are out of reach, except for superusers; an app that connects as the
 * container's own POSTGRES_USER is one.
 */
function slotsOf({ settings }: any, samples: any[]) {
	const most = settings?.max_connections;
	if (typeof most !== 'number' || samples.some(({ superusers }) => superusers > 0)) return most;
	return most - (settings.superuser_reserved_connections ?? 0) - (settings.reserved_connections ?? 0);
}

/*
 * What of PostgreSQL's log the record keeps: when it said something, of what kind and in its own words. Statements, their values, and
 * whatever text the user's code raises are the user's. What the lab asks of its views has none of these.
 */

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
