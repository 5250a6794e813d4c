/**
 * What PostgreSQL recorded of a load: what it logged, and what its own views said once a second.
 *
 * @typedef {import('../contract.js').Level} Level
 */

import { bareRecord, completeLines, isDuring, limitOf, sampledExtent, unsampled } from '../complete-lines.js';
import { meaningOf } from './statements.js';

/**
 * Statements that waited for a lock, by PostgreSQL's own views once a second. Its log tells of one only when it has ended, and by default
 * not even then: what waits to the end of the load stands here alone.
 *
 * @typedef {import('../contract.js').Message} Message
 * @typedef {{ pid: number, began: number, waited: number, seen: number }} Wait  seconds; began and seen since 1970
 */

/** Samples are taken once a second: what waits for less is seen by chance. */
const LONG_S = 1;
/** A sample may be asked for, and answered, so much later than another. */
const APART_S = 1;

/**
 * @param {any[]} samples
 * @param {import('../complete-lines.js').Window} window
 * @param {boolean} logged  the log has a line for each statement that took long and ended
 * @returns {Message[]} one for each wait that began in the load and is in no log
 */
function lockWaits(samples, window, logged) {
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

/** Each with the last that was seen of it. @param {any[]} samples @returns {Wait[]} */
function waitsIn(samples) {
  /** @type {Wait[]} */
  const waits = [];
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
/** Where the lab's own prefix (overlay.js) ends: with the SQLSTATE. */
const CODE_AT_END = /(?:^| )((?=[A-Z]*\d)[0-9A-Z]{5}) $/;
/** Of the process, in the prefix that is PostgreSQL's own and in the lab's (`[%p]`). */
const PROCESS = /\[(\d+)\]/;
/** The further lines of a message begin with a tab: a statement's text, not a line of the log (append_with_tabs in elog.c). */
const CONTINUED = '\t';
/** That the log goes to standard error once it serves, in English: logged at each start. */
const READY = /^database system is ready to accept (read-only )?connections/;
/** From here on standard error is silent: logging_collector. */
const REDIRECTED = /^redirecting log output to logging collector process/;

/**
 * @typedef {object} Said
 * @property {Logged[]} messages  of the load
 * @property {boolean} heard       it wrote that it serves
 * @property {boolean} redirected  the rest of its log is in a file
 */

/**
 * @param {string} log
 * @param {import('../contract.js').About} about
 * @returns {Said}
 */
function readLog(log, { level, window }) {
  /** @type {Said} */
  const said = { messages: [], heard: false, redirected: false };
  for (const { t, text } of completeLines(log)) {
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

/**
 * What PostgreSQL logged of the lab's own questions. It refuses, cancels and times them as it does a client's, and none of it is the
 * system's.
 *
 * @typedef {Message & { pid: number | null }} Logged  pid: of the process that says it, where the line begins with it
 */

/** Such a line is met at most so long before or after its sample's time. */
const NEAR_S = 1.5;
/** The lab asks once a second. */
const EVERY_S = 1;
const CANCELLED = /canceling statement due to statement timeout/;

/**
 * @param {Logged[]} messages  of the load
 * @param {any[]} samples
 * @param {{ from: number, to: number }} window
 * @returns {Message[]} those of clients
 */
function withoutOwn(messages, samples, window) {
  const pids = new Set(samples.flatMap(({ pid }) => pid ?? []));
  let left = messages.filter(({ pid }) => pid === null || !pids.has(pid));
  /** For each moment the nearest one. @type {(moments: number[], isOwn: (message: Logged) => boolean) => void} */
  const leaveOut = (moments, isOwn) => {
    for (const moment of moments) {
      const [near] = left
        .filter((message) => isOwn(message) && Math.abs(message.t - moment) <= NEAR_S)
        .toSorted((one, other) => Math.abs(one.t - moment) - Math.abs(other.t - moment));
      left = left.filter((message) => message !== near);
    }
  };
  const times = (/** @type {any[]} */ some) => some.map(({ t }) => t);
  leaveOut(times(samples.filter(({ refused }) => refused)), ({ signal }) => signal === 'connections-exhausted');
  leaveOut(times(samples.filter(({ failed }) => failed)), ({ signal }) => signal === 'server-error' || signal === 'shut-down');
  leaveOut(unansweredIn(times(samples), window), ({ text }) => CANCELLED.test(text));
  return left.map(({ pid, ...message }) => message);
}

/**
 * Moments at which the lab asked and had no answer in time: the server then ends the question, as it ends a client's. Where it never had one,
 * nothing says that its questions came there.
 * @type {(times: number[], window: { from: number, to: number }) => number[]}
 */
function unansweredIn(times, { from, to }) {
  if (times.length === 0) return [];
  const moments = [...(times[0] > from ? [from] : []), ...times, ...(times[times.length - 1] < to ? [to] : [])];
  return moments.slice(1).flatMap((t, index) => {
    const missing = Math.max(0, Math.round((t - moments[index]) / EVERY_S) - 1);
    return Array.from({ length: missing }, (_, at) => moments[index] + (at + 1) * EVERY_S);
  });
}

/** Of log_min_messages: with these ERROR is not logged (https://www.postgresql.org/docs/15/runtime-config-logging.html). */
const TOO_QUIET = new Set(['log', 'fatal', 'panic']);
/** Locales in which the messages are those of the source. */
const ENGLISH = /^$|^(C|POSIX)\b|^en_/;

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read({ log, samples: all }, about) {
  const { service, level, window } = about;
  const samples = all.filter(({ failed }) => !failed);
  const said = readLog(level === 0 ? '' : log, about);
  const settings = samples.findLast((sample) => sample.settings)?.settings ?? {};
  const silent = level === 0 ? 'its log was not read (level 0)' : whySilent(said, settings);
  const partly = said.messages.length > 0 ? 'partial' : 'none';
  const logged = silent === null && logsSlow(level, settings);
  return {
    ...bareRecord(about, 'postgres'),
    coverage: { requests: 'none', reasons: silent === null ? 'full' : partly, limits: sampledExtent(samples, window) },
    uncovered: [
      `PostgreSQL knows no requests: a statement that failed in ${service} belongs to no single one`,
      ...(silent === null ? [] : [`why ${service} refused a client or ended a statement is not known: ${silent}`]),
      ...(logsSlow(level, settings) ? [] : [unloggedSentence(service, samples)]),
      ...unsampled(service, samples, window, 'psql is not in its container, or was not let in without a password'),
    ],
    messages: [...withoutOwn(said.messages, all, window), ...lockWaits(samples, window, logged)].sort((one, other) => one.t - other.t),
    limits: limitOf(
      'connections',
      samples,
      window,
      (sample) => slotsOf(sample, samples),
      (sample, size) => (sample.refused ? size : sample.connections),
    ),
  };
}

/** Why the log does not tell every refusal and error; null where it does, as by default. @param {Said} said @param {any} settings */
function whySilent({ heard, redirected }, settings) {
  if (redirected || settings.logging_collector === 'on') return 'its log goes to a file in the container (logging_collector is on)';
  if (TOO_QUIET.has(settings.log_min_messages)) return `it logs no errors (log_min_messages is ${settings.log_min_messages})`;
  if (!ENGLISH.test(settings.lc_messages ?? '')) return `the lab reads English messages alone (lc_messages is ${settings.lc_messages})`;
  return heard ? null : 'its output does not say that it serves, so its log is elsewhere, or in another language';
}

/** @param {Level} level @param {any} settings */
const logsSlow = (level, { log_min_duration_statement: from }) => (from === undefined ? level >= 2 : from !== '-1');

/** @type {(service: string, samples: any[]) => string} */
function unloggedSentence(service, samples) {
  const waits = samples.some((sample) => sample.lock_waits !== undefined) ? '; of those that wait for a lock its own views tell' : '';
  return `${service} logs no statement for taking long: log_min_duration_statement is off (level 2)${waits}`;
}

/**
 * How many clients may be connected. Reserved slots are out of reach, except for superusers; an app that connects as the
 * container's own POSTGRES_USER is one.
 * @param {any} sample
 * @param {any[]} samples
 */
function slotsOf({ settings }, samples) {
  const most = settings?.max_connections;
  if (typeof most !== 'number' || samples.some(({ superusers }) => superusers > 0)) return most;
  return most - (settings.superuser_reserved_connections ?? 0) - (settings.reserved_connections ?? 0);
}

/*
 * What of PostgreSQL's log the record keeps: when it said something, of what kind and in its own words. Statements, their values, and
 * whatever text the user's code raises are the user's. What the lab asks of its views has none of these (state.js).
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
 * @param {string} line without the engine's time
 * @returns {string} from which the same messages are read
 */
export function redact(line) {
  if (line.startsWith(CONTINUED)) return `${CONTINUED}${TAKEN}`;
  const found = LINE.exec(line);
  if (!found) return line.replace(QUOTED_LINE, `$1: ${TAKEN}`);
  const [whole, severity, , message] = found;
  const head = line.slice(0, found.index) + whole.slice(0, whole.length - message.length);
  if (QUOTING.has(severity)) return head + TAKEN;
  if (REDACT_TELLING.has(severity)) return head + (meaningOf(severity, message, '')?.text.slice(`${severity}:  `.length) ?? TAKEN);
  const reported = message.replace(TIMED, '$1').replace(STATED, `$1: ${TAKEN}`);
  return head + (reported === message ? ownWords(message) : reported);
}

/** @param {string} message that is logged */
function ownWords(message) {
  if (OWN.some((pattern) => pattern.test(message))) return message;
  const words = meaningOf('LOG', message, '')?.text.slice('LOG:  '.length);
  return words === undefined ? TAKEN : words + (SYSTEM_ERROR.exec(message.slice(words.length))?.[0] ?? '');
}
