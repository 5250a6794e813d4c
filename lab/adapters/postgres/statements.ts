/**
 * What PostgreSQL can say, and what of it is kept. Of a line only words that stand in PostgreSQL itself are kept, with a
 * duration, a process or a signal: an error may quote the statement, a value of it, or whatever text the user's code raises.
 * Messages are those of 15 (src/backend, and `strings` of the program); the severities are at
 * https://www.postgresql.org/docs/15/runtime-config-logging.html#RUNTIME-CONFIG-SEVERITY-LEVELS.
 */

import { jsonIn } from '../../base/values.ts';
import type { Container, Message, ServiceModel } from '../contract.ts';
import { imageName, imageTag, lastPart } from '../found-servers.ts';

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

/*
 * What the lab adds to the command that starts PostgreSQL, with the user's consent: statements that took long, and waits for a lock, in the
 * log.
 */

/** Images whose entrypoint puts `postgres` before options and runs any other command as it is (github.com/docker-library/postgres). */
const OFFICIAL_ENTRYPOINT = /^(postgres|postgis|timescaledb|pgvector)$/;
const SERVERS = new Set(['postgres', 'postmaster']);
/** The first version that can leave the values of a statement's parameters out of its log. An older one would refuse to start. */
const HIDES_PARAMETERS_FROM = 13;

/**
 * Settings of the server's command line come before those of its files, and the last one of a name counts
 * (https://www.postgresql.org/docs/15/config-setting.html). Connections are not logged: without a pool the log would have two
 * lines for each request.
 */
function settingsFor({ image }: ServiceModel): string[] {
	const settings = [
		`log_min_duration_statement=${SLOW_MS}`,
		'log_line_prefix=%m [%p] ',
		'log_lock_waits=on',
		// A failed statement's text stays out of the log.
		'log_min_error_statement=panic',
	];
	if ((majorOf(image) ?? 0) >= HIDES_PARAMETERS_FROM) settings.push('log_parameter_max_length=0');
	return settings.flatMap((setting) => ['-c', setting]);
}

/**
 * Of an image's tag ("15.4-alpine", "2.11-pg15"); a tag without a number is a new one.
 * @returns null where nothing says it
 */
function majorOf(image: string): number | null {
	if (!OFFICIAL_ENTRYPOINT.test(imageName(image))) return null;
	const tag = imageTag(image);
	const number = /pg(\d+)/.exec(tag)?.[1] ?? /^(\d+)/.exec(tag)?.[1];
	return number === undefined ? Number.POSITIVE_INFINITY : Number(number);
}

/**
 * The service's command with the lab's settings after it, as the entrypoint takes it: Compose replaces a command and leaves an
 * entrypoint as it is.
 * @returns null where it cannot be told which words are the command's
 */
export function commandWithSettings(service: ServiceModel): string[] | null {
	const command = commandOf(service);
	return command && [...command, ...settingsFor(service)];
}

/**
 * As the entrypoint takes it.
 * @returns null where it cannot be told
 */
export function commandOf({ image, command }: ServiceModel): string[] | null {
	if (command.length === 0) return OFFICIAL_ENTRYPOINT.test(imageName(image)) ? ['postgres'] : null;
	// Scripts that come first are an entrypoint's.
	const at = command.findIndex((word) => !word.endsWith('.sh'));
	if (at < 0) return null;
	return SERVERS.has(lastPart(command[at])) || command[at].startsWith('-') ? command.slice(at) : null;
}

/*
 * How the lab asks PostgreSQL for its state: one statement that gives one line of JSON, asked inside the container.
 */

/** Below the time in which a sample must be there, so that the server itself ends a statement that hangs. */
const STATEMENT_LIMIT_MS = 800;
const LIMIT_MS = 900;

/**
 * Clients alone: what PostgreSQL runs for itself takes no connection slot. Of another user's session a user without rights
 * sees no kind (https://www.postgresql.org/docs/15/monitoring-stats.html).
 */
const CLIENTS = `pg_stat_activity where datid is not null and pid <> pg_backend_pid()
  and coalesce(backend_type, 'client backend') = 'client backend'`;
const NUMBERS = ['max_connections', 'superuser_reserved_connections', 'reserved_connections']
	.map((name) => `'${name}', current_setting('${name}', true)::int`)
	.join(', ');
const WORDS = ['log_min_duration_statement', 'logging_collector'].map((name) => `'${name}', current_setting('${name}', true)`).join(', ');

/** Of waits in one sample. */
const WAITS_MOST = 200;
/**
 * Processes that wait for a lock, and for how long: since the wait began, as 14 and newer know it, or else since the statement did. Advisory
 * locks are the application's own, such as that of the one worker that leads: who waits for one may mean to.
 */
const LOCK_WAITS = `select json_agg(json_build_array(pid,
  round(extract(epoch from clock_timestamp() - coalesce(since, query_start))::numeric, 1))) from
    (select pid, query_start from ${CLIENTS} and wait_event_type = 'Lock' and wait_event <> 'advisory' limit ${WAITS_MOST}) as a left join
    (select pid, min((to_jsonb(l)->>'waitstart')::timestamptz) as since from pg_locks as l where not granted group by 1) as b using (pid)`;

/**
 * Of waits whose holders are looked for: each looks into the server's table of locks for a moment (manual, 9.26, pg_blocking_pids). Those that
 * began first: who came later may wait for them.
 */
const HOLDERS_OF_MOST = 20;
/**
 * Who holds what others wait for, in a row of them too, and waits for no lock itself: the address that it came from, what it does, for how long
 * it has been in its transaction, and how many wait for it, reckoned from those that were looked at. An empty address is a client within the
 * container.
 */
const LOCK_HOLDERS = `with recursive waiting as (select pid, query_start from ${CLIENTS} and wait_event_type = 'Lock' and wait_event <> 'advisory'),
  looked as (select pid from waiting order by query_start limit ${HOLDERS_OF_MOST}),
  edges as (select pid as waiter, holder from looked cross join lateral unnest(pg_blocking_pids(pid)) as holder),
  chains as (select waiter, holder from edges union select chains.waiter, edges.holder from chains join edges on edges.waiter = chains.holder),
  holders as (select holder, count(distinct waiter) as waiters from chains group by 1)
  select json_agg(json_build_object('address', coalesce(host(client_addr), ''), 'state', coalesce(state, ''),
    'waiting', waiters * (select count(*) from waiting) / (select count(*) from looked),
    'held_s', round(extract(epoch from clock_timestamp() - xact_start)::numeric, 1)))
  from holders join pg_stat_activity on pg_stat_activity.pid = holder where wait_event_type is distinct from 'Lock'`;

/** Counts, times, settings, addresses of clients that hold locks, and its own process, by which the log's lines about it are known; no statement, no value, no name of a user or a database. */
const STATEMENT = `select json_build_object(
  'pid', pg_backend_pid(),
  'connections', (select count(*) from ${CLIENTS}),
  'superusers', (select count(*) from ${CLIENTS} and usesysid in (select oid from pg_roles where rolsuper)),
  'lock_waits', (${LOCK_WAITS}),
  'lock_holders', (${LOCK_HOLDERS}),
  'settings', json_build_object(${NUMBERS}, ${WORDS}))`.replaceAll(/\s+/g, ' ');

/** Of the lab's own sessions. */
export const OWN_NAME = 'doubletake';

/**
 * psql with the arguments given. The container's own POSTGRES_USER is a superuser: it may see every session, and has slots of its own when
 * all others are taken. Where an image has no such variable, PGUSER is for whoever asks from inside. Debian's package lets the system's user
 * of the same name in (peer), and so needs that user.
 */
export const PSQL = `case "$PGHOST" in /*) ;; *) unset PGHOST ;; esac
export PGCONNECT_TIMEOUT=2 PGAPPNAME=${OWN_NAME}
set -- psql -X -A -t -q -w -U "\${POSTGRES_USER:-\${POSTGRESQL_USERNAME:-\${PGUSER:-postgres}}}" "$@"
if [ -r /etc/shadow ] && [ -f /etc/debian_version ]; then exec setpriv --reuid=postgres --regid=postgres --init-groups "$@"; fi
exec "$@"`;

const LIMITED = `export PGOPTIONS="-c statement_timeout=${STATEMENT_LIMIT_MS}"\n${PSQL}`;

/** That the lab itself was refused: every slot was taken, its own too. */
const REFUSED = /sorry, too many clients already|remaining connection slots are reserved/;

/** That it will let the lab in at no other time either. */
const LOCKED_OUT =
	/\bFATAL: {2}(?:role "[^"]*" does not exist|\w+ authentication failed|no pg_hba\.conf entry|database "[^"]*" does not exist)|no password supplied/;

/** That the server answered the question with an error, which it logs like a client's. */
const FAILED = /\b(FATAL|ERROR): {2}/;

/**
 * @returns `{ refused: true }` when no slot was left for the lab either, `{ failed: true }` when the server did not let
 * it in or ended its question, `lockedOut` too when it will not let it in; null when it cannot be asked
 */
export async function sampleState(container: Container): Promise<object | null> {
	const { exitCode, output } = await container.execute(['sh', '-c', LIMITED, 'sh', '-d', 'postgres', '-c', STATEMENT], LIMIT_MS);
	// psql may print a warning before the line.
	if (exitCode === 0) return jsonIn(output.split('\n').findLast((text) => text.startsWith('{')) ?? '');
	if (REFUSED.test(output)) return { refused: true };
	if (LOCKED_OUT.test(output)) return { failed: true, lockedOut: true };
	return FAILED.test(output) ? { failed: true } : null;
}
