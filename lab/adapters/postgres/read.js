/**
 * What PostgreSQL recorded of a load: what it logged, and what its own views said once a second.
 *
 * @typedef {import('../contract.js').Level} Level
 */
import { bareRecord } from '../bare-record.js';
import { countersOf, limitOf, sampledExtent, unsampled } from '../sampled.js';
import { lockWaits } from './lock-waits.js';
import { readLog } from './log.js';
import { withoutOwn } from './own.js';

/** Of log_min_messages: with these ERROR is not logged (https://www.postgresql.org/docs/15/runtime-config-logging.html). */
const TOO_QUIET = new Set(['log', 'fatal', 'panic']);
/** Locales in which the messages are those of the source. */
const ENGLISH = /^$|^(C|POSIX)\b|^en_/;

/** Columns of pg_stat_database, summed over all databases. @type {Record<string, (sample: any) => unknown>} */
const COUNTERS = {
  commits: ({ totals }) => totals?.xact_commit,
  rollbacks: ({ totals }) => totals?.xact_rollback,
  deadlocks: ({ totals }) => totals?.deadlocks,
  conflicts: ({ totals }) => totals?.conflicts,
  blocks_read: ({ totals }) => totals?.blks_read,
  blocks_hit: ({ totals }) => totals?.blks_hit,
  temporary_bytes: ({ totals }) => totals?.temp_bytes,
  sessions: ({ totals }) => totals?.sessions,
};

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
    counters: countersOf(samples, window, COUNTERS),
    limits: limitOf(
      'connections',
      samples,
      window,
      (sample) => slotsOf(sample, samples),
      (sample, size) => (sample.refused ? size : sample.connections),
    ),
  };
}

/** Why the log does not tell every refusal and error; null where it does, as by default. @param {import('./log.js').Said} said @param {any} settings */
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
