/**
 * What PostgreSQL can say, and what of it is kept. Of a line only words that stand in PostgreSQL itself are kept, with a
 * duration, a process or a signal: an error may quote the statement, a value of it, or whatever text the user's code raises.
 * Messages are those of 15 (src/backend, and `strings` of the program); the severities are at
 * https://www.postgresql.org/docs/15/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS.
 *
 * @typedef {import('../contract.js').Signal} Signal
 * @typedef {{ signal: Signal, text: string }} Meaning
 */

/**
 * From here on a statement counts as slow. MongoDB's own default (`slowms`), so that databases are told by the same measure;
 * PostgreSQL has none, it logs no duration by default. Also what the lab asks PostgreSQL to log from.
 */
export const SLOW_MS = 100;

/** First match wins; what matches is what is kept. @type {[Signal, RegExp][]} */
const MESSAGES = [
  ['connections-exhausted', /^sorry, too many clients already/],
  ['connections-exhausted', /^remaining connection slots are reserved/],
  ['connections-exhausted', /^too many connections for (role|database)/],
  ['out-of-memory', /^out of (shared )?memory/],
  ['out-of-memory', /^could not resize shared memory segment/],
  ['out-of-memory', /^could not fork new process for connection(?=.*Cannot allocate memory)/],
  ['proxy_internal_error', /^could not (fork new process for connection|accept new connection)/],
  ['worker-died', /^server process \(PID \d+\) (was terminated by signal \d+|exited with exit code \d+)/],
  ['shut-down', /^received (fast|smart|immediate) shutdown request/],
  ['shut-down', /^terminating connection due to (administrator command|immediate shutdown command|unexpected postmaster exit)/],
  ['shut-down', /^terminating connection because of crash of another server process/],
  ['shut-down', /^all server processes terminated; reinitializing/],
  ['shut-down', /^the database system is (shutting down|starting up|in recovery mode|not (yet )?accepting connections)/],
  ['shut-down', /^database system (is shut down|was shut down|was interrupted|was not properly shut down)/],
  ['client-gone', /^canceling statement due to user request/],
  ['client-gone', /^connection to client lost/],
  ['client-gone', /^could not (send data to|receive data from) client/],
  ['client-gone', /^unexpected EOF on client connection( with an open transaction)?/],
  ['server-error', /^canceling statement due to (statement timeout|lock timeout|conflict with recovery)/],
  ['server-error', /^deadlock detected/],
  ['server-error', /^could not serialize access due to (concurrent (update|delete)|read\/write dependencies among transactions)/],
  ['server-error', /^duplicate key value violates unique constraint/],
  ['server-error', /^current transaction is aborted, commands ignored until end of transaction block/],
  ['server-error', /^could not obtain lock on (row in )?relation/],
  ['server-error', /^could not extend file/],
  ['server-error', /^temporary file size exceeds temp_file_limit/],
  ['server-error', /^terminating connection due to (idle-in-transaction|idle-session) timeout/],
  ['server-error', /^canceling authentication due to timeout/],
  ['server-error', /^(password|Peer) authentication failed/],
  ['server-error', /^no pg_hba\.conf entry/],
];

/** What an unknown message of these severities means: each is a failure, and PANIC ends every session. @type {Record<string, Signal>} */
const BY_SEVERITY = { ERROR: 'server-error', FATAL: 'server-error', PANIC: 'shut-down' };

/**
 * @param {string} severity
 * @param {string} message  after the severity
 * @param {string} code     SQLSTATE; empty where the line has none
 * @returns {Meaning | null} null for what says nothing of a failure
 */
export function meaningOf(severity, message, code) {
  const slow = slowText(message);
  if (slow !== null) return slow === '' ? null : { signal: 'slow', text: `${severity}:  ${slow}` };
  for (const [signal, pattern] of MESSAGES) {
    const found = pattern.exec(message);
    if (found) return { signal, text: `${severity}:  ${found[0]}` };
  }
  const signal = BY_SEVERITY[severity];
  if (signal === undefined) return null;
  return { signal, text: [`${severity}: `, code, '(its text is not kept)'].filter(Boolean).join(' ') };
}

/** Null where a message is about no time; empty where the time was short. @param {string} message */
function slowText(message) {
  const duration = /^duration: (\d+(?:\.\d+)?) ms/.exec(message);
  if (duration) return Number(duration[1]) >= SLOW_MS ? duration[0] : '';
  const waiting = /^(process \d+ still waiting for \w+) on .* (after \d+\.\d+ ms)/.exec(message);
  return waiting && `${waiting[1]} ${waiting[2]}`;
}
