/** How the lab asks PostgreSQL for its state: one statement that gives one line of JSON, asked inside the container. */

import { jsonIn } from '../../base/values.ts';
import type { Container } from '../contract.ts';

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
