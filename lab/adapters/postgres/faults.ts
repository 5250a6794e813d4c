/** Known troubles: connections that are all taken, a statement that holds others up, a bad way to it. */

import type { ServiceModel } from '../contract.ts';
import { type Fault, onTheWay, type ProductFault } from '../faults.ts';
import { commandOf } from './overlay.ts';
import { OWN_NAME, PSQL } from './state.ts';
import { SLOW_MS } from './statements.ts';

const CONNECTIONS = 4;
const SETTINGS = ['-c', `max_connections=${CONNECTIONS}`, '-c', 'superuser_reserved_connections=0'];

/**
 * As many sessions as there are connections, for some seconds; one that is refused tries again. Those that were there are ended first: a
 * pool with a single connection may serve all that is asked of it.
 */
const HOLD = `
psql=$1 until=$(($(date +%s) + $2))
sh -c "$psql" sh -d postgres -c "select pg_terminate_backend(pid) from pg_stat_activity
  where datid is not null and application_name <> '${OWN_NAME}' and pid <> pg_backend_pid()" >/dev/null 2>&1
hold() {
  while left=$((until - $(date +%s))); [ "$left" -gt 0 ]; do
    sh -c "$psql" sh -d postgres -c "select pg_sleep($left)" >/dev/null 2>&1 && return
    sleep 1
  done
}
for slot in ${Array.from({ length: CONNECTIONS }, (_, index) => index + 1).join(' ')}; do hold & done
wait`;

/** A statement in the database that has most clients; those that only ask for the state of the server are none. */
const IN_DATABASE = `
psql=$1 statement=$2
ask() { sh -c "$psql" sh "$@"; }
database=$(ask -d postgres -c "select datname from pg_stat_activity
  where datid is not null and application_name <> '${OWN_NAME}' and pid <> pg_backend_pid() group by 1 order by count(*) desc limit 1")
[ -n "$database" ] || { echo 'no client is connected'; exit 1; }
ask -d "$database" -c "$statement"`;

/** On the table that is used most: one lock alone, so that it can be no deadlock. */
const lockStatement = (seconds: number) => `begin;
do $$ declare busiest regclass; begin
  select relid into busiest from pg_stat_user_tables order by coalesce(seq_scan, 0) + coalesce(idx_scan, 0) + n_tup_ins desc limit 1;
  if busiest is null then raise exception 'no table'; end if;
  execute format('lock table %s in access exclusive mode', busiest);
end $$;
select pg_sleep(${seconds});
commit`;

/** Fails as a division by zero where the user is no superuser. */
const SUPERUSER = 'select 1 / rolsuper::int from pg_roles where rolname = current_user';

export function faults(service: ServiceModel): ProductFault[] {
	return [
		{
			id: 'connections-taken',
			title: `max_connections=${CONNECTIONS}, all of them taken by other sessions until 40 % of the load`,
			expected: [{ cause: 'turned-away' }],
			least: 1,
			reported: { level: 1, gives: 'which clients it refused, from its log' },
			command: (command = commandOf(service) ?? undefined) => (command === undefined ? null : [...command, ...SETTINGS]),
			needs: needs('select 1'),
			actions: [
				{ at: 'up', action: 'execute', lasts: 0.4, command: (seconds) => ['sh', '-c', HOLD, 'sh', PSQL, String(Math.ceil(seconds))] },
			],
		},
		{
			id: 'locked-table',
			title: 'a statement that locks the table that is used most, for a fifth of the load',
			expected: ['lock', 'held-by-one', 'slow-kind'].map((cause) => ({ cause })),
			least: 1,
			reported: { level: 2, gives: `statements of ${SLOW_MS} ms and above, and waits for locks` },
			needs: needs(SUPERUSER),
			actions: [
				{ at: 0.3, action: 'execute', lasts: 0.2, command: (seconds) => ['sh', '-c', IN_DATABASE, 'sh', PSQL, lockStatement(seconds)] },
			],
		},
		...onTheWay,
	];
}

const needs = (statement: string): NonNullable<Fault['needs']> => ({
	command: ['sh', '-c', PSQL, 'sh', '-d', 'postgres', '-c', statement],
	otherwise: 'psql is not in its container, or is not let in without a password as a user who may do that',
});
