/**
 * What PostgreSQL can say, and what of it is kept. Of a line only words that stand in PostgreSQL itself are kept, with a
 * duration, a process or a signal: an error may quote the statement, a value of it, or whatever text the user's code raises.
 * Messages are those of 15 (src/backend, and `strings` of the program); the severities are at
 * https://www.postgresql.org/docs/15/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS.
 */

import type { Message } from '../contract.ts';

/**
 * From here on a statement counts as slow. MongoDB's own default (`slowms`), so that databases are told by the same measure;
 * PostgreSQL has none, it logs no duration by default. Also what the lab asks PostgreSQL to log from.
 */
export const SLOW_MS = 100;

/** That a session's process ended. */
const DIED = /^server process \(PID \d+\) (was terminated by signal \d+|exited with exit code \d+)/;
/** First match wins; what matches is what is kept. */
const KNOWN = [
	/^sorry, too many clients already/,
	/^remaining connection slots are reserved/,
	/^too many connections for (role|database)/,
	/^out of (shared )?memory/,
	/^could not resize shared memory segment/,
	/^could not fork new process for connection(?=.*Cannot allocate memory)/,
	/^could not (fork new process for connection|accept new connection)/,
	DIED,
	/^received (fast|smart|immediate) shutdown request/,
	/^terminating connection due to (administrator command|immediate shutdown command|unexpected postmaster exit)/,
	/^terminating connection because of crash of another server process/,
	/^all server processes terminated; reinitializing/,
	/^the database system is (shutting down|starting up|in recovery mode|not (yet )?accepting connections)/,
	/^database system (is shut down|was shut down|was interrupted|was not properly shut down)/,
	/^canceling statement due to user request/,
	/^connection to client lost/,
	/^could not (send data to|receive data from) client/,
	/^unexpected EOF on client connection( with an open transaction)?/,
	/^canceling statement due to (statement timeout|lock timeout|conflict with recovery)/,
	/^deadlock detected/,
	/^could not serialize access due to (concurrent (update|delete)|read\/write dependencies among transactions)/,
	/^duplicate key value violates unique constraint/,
	/^nextval: reached (maximum|minimum) value of sequence/,
	/^(null value in column|insert or update on table|value too long for type|division by zero)/,
	/^\w+ (field overflow|out of range)/,
	/^cannot execute [A-Z ]+ in a read-only transaction/,
	/^current transaction is aborted, commands ignored until end of transaction block/,
	/^could not obtain lock on (row in )?relation/,
	/^could not extend file/,
	/^temporary file size exceeds temp_file_limit/,
	/^terminating connection due to (idle-in-transaction|idle-session) timeout/,
	/^canceling authentication due to timeout/,
	/^(password|Peer) authentication failed/,
	/^no pg_hba\.conf entry/,
];

/**
 * @param message after the severity
 * @returns words that stand in PostgreSQL itself, with a duration, a process or a signal
 */
export function knownWords(message: string): string | null {
	const slow = slowText(message);
	if (slow !== null) return slow || null;
	for (const pattern of KNOWN) {
		const found = pattern.exec(message);
		if (found) return found[0];
	}
	return null;
}

/**
 * @param message after the severity
 * @returns null for what tells neither of what took long nor of a process that ended
 */
export function meaningOf(severity: string, message: string): Pick<Message, 'signal' | 'text'> | null {
	const [slow, died] = [slowText(message), DIED.exec(message)];
	if (slow) return { signal: 'slow', text: `${severity}:  ${slow}` };
	return died && { signal: 'worker-died', text: `${severity}:  ${died[0]}` };
}

/** Null where a message is about no time; empty where the time was short. */
function slowText(message: string) {
	const duration = /^duration: (\d+(?:\.\d+)?) ms/.exec(message);
	if (duration) return Number(duration[1]) >= SLOW_MS ? duration[0] : '';
	const waiting = /^(process \d+ still waiting for \w+) on .* (after \d+\.\d+ ms)/.exec(message);
	return waiting && `${waiting[1]} ${waiting[2]}`;
}
