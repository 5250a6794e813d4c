import type { Container } from '../contract.ts';
import { readTables } from './tables.ts';

const LIMIT_MS = 900;
/** A separator that no name has. */
const TAB = '\t';
const TABLES = ['pools', 'databases', 'lists', 'config'];
/** Debian's folder of sockets and PgBouncer's own default, then any other port in them. */
const SOCKETS =
	'/var/run/postgresql/.s.PGSQL.6432 /tmp/.s.PGSQL.6432 /var/run/pgbouncer/.s.PGSQL.* /var/run/postgresql/.s.PGSQL.* /tmp/.s.PGSQL.*';

/**
 * psql with the arguments given, on PgBouncer's socket. It belongs to the user as whom PgBouncer runs, who refuses a client that sends
 * options (PGOPTIONS).
 */
export const ON_SOCKET = `unset PGOPTIONS PGSERVICE
export PGCONNECT_TIMEOUT=2
for socket in ${SOCKETS}; do
  [ -S "$socket" ] || continue
  set -- psql -h "\${socket%/*}" -p "\${socket##*.}" "$@"
  if [ -r /etc/shadow ] && [ -f /etc/debian_version ]; then set -- setpriv --reuid="$(stat -c %u "$socket")" --clear-groups "$@"; fi
  exec "$@"
done
exit 1`;

const QUESTIONS = TABLES.flatMap((table) => ['-c', `\\echo = ${table}`, '-c', `show ${table}`]);
export const OPTIONS = '-X -A -q -w -P footer=off -U pgbouncer -d pgbouncer'.split(' ');
const COMMAND = ['sh', '-c', ON_SOCKET, 'sh', ...OPTIONS, '-F', TAB, ...QUESTIONS];

/** @returns null when it cannot be asked */
export async function sampleState(container: Container): Promise<object | null> {
	const { exitCode, output } = await container.execute(COMMAND, LIMIT_MS);
	return exitCode === 0 ? stateIn(output) : null;
}

/** The console's own database and pool. */
const ADMIN = 'pgbouncer';
/** Of `show config`: what says how much it takes; never a file, an address or a user. */
const SETTINGS = ['max_client_conn'];
/** Server connections that no other client can have now. Those in sv_idle and sv_used can be had. */
const BUSY = ['sv_active', 'sv_active_cancel', 'sv_being_canceled', 'sv_tested', 'sv_login'];

/** of a database and a user, who is not named */
export type Pool = {
	database: string;
	/** server connections */
	busy: number;
};

export type State = {
	pools: Pool[];
	/** server connections that a pool of the database may have */
	sizes: Record<string, number>;
	/** connected, without the lab */
	clients: number | null;
	settings: Record<string, string>;
};

/** @param output of psql */
function stateIn(output: string): State | null {
	const tables = readTables(output);
	const pools = tables.get('pools');
	if (!pools) return null;
	const config = new Map((tables.get('config') ?? []).map(({ key, value }) => [key, value]));
	const clients = (tables.get('lists') ?? []).find(({ list }) => list === 'used_clients')?.items;
	return {
		pools: pools.filter(({ database }) => database !== ADMIN).map(poolIn),
		sizes: Object.fromEntries((tables.get('databases') ?? []).filter(({ name }) => name !== ADMIN).map((row) => [row.name, sizeIn(row)])),
		clients: clients === undefined ? null : Math.max(0, Number(clients) - 1),
		settings: Object.fromEntries(SETTINGS.flatMap((key) => (config.has(key) ? [[key, config.get(key) ?? '']] : []))),
	};
}

const poolIn = (row: Record<string, string>): Pool => ({
	database: row.database,
	busy: BUSY.map((name) => numberIn(row, name)).reduce((one, other) => one + other, 0),
});

/** The reserve counts: it is used when a client has waited. max_db_connections holds for all pools of a database together. */
function sizeIn(row: Record<string, string>) {
	const size = numberIn(row, 'pool_size') + numberIn(row, 'reserve_pool') + numberIn(row, 'reserve_pool_size');
	const most = numberIn(row, 'max_connections');
	return most > 0 ? Math.min(size, most) : size;
}

const numberIn = (row: Record<string, string>, name: string) => Number(row[name] ?? 0) || 0;
