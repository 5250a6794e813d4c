/**
 * Reads what `INFO` and `SLOWLOG LEN` print (https://redis.io/docs/latest/commands/info/).
 */

/**
 * @typedef {object} State
 * @property {number | null} clients       connected, without the lab
 * @property {number | null} max_clients   null before 6.2, which does not tell it
 * @property {number | null} blocked_clients
 * @property {number | null} rejected_connections
 * @property {number | null} used_memory
 * @property {number | null} max_memory    0: no limit
 * @property {number | null} evicted_keys
 * @property {number | null} commands
 * @property {number | null} operations_per_s
 * @property {number | null} keyspace_hits
 * @property {number | null} keyspace_misses
 * @property {number} keys                 of all databases
 * @property {number | null} error_replies
 * @property {number | null} out_of_memory_replies
 * @property {number | null} latest_fork_us
 * @property {number | null} slow_commands  in the slow log
 * @property {boolean} loading
 * @property {boolean} saves               the last save and the last rewrite of the log went well
 * @property {string} role
 */

const FIELD = /^([a-z]\w*):(.*)$/i;
/** Each says how the last save or rewrite went. */
const SAVES = ['rdb_last_bgsave_status', 'aof_last_bgrewrite_status', 'aof_last_write_status'];
/** SLOWLOG LEN answers with a number. */
const NUMBER = /^\d+$/;

/** @param {string} output @returns {State | null} null for what is no answer to INFO */
export function stateIn(output) {
  /** @type {Map<string, string>} */
  const fields = new Map();
  /** @type {number | null} */
  let slowCommands = null;
  for (const line of output.split(/\r?\n/)) {
    const field = FIELD.exec(line);
    if (field) fields.set(field[1], field[2]);
    else if (NUMBER.test(line)) slowCommands = Number(line);
  }
  if (!fields.has('connected_clients')) return null;
  /** @param {string} name */
  const number = (name) => (NUMBER.test(fields.get(name) ?? '') ? Number(fields.get(name)) : null);
  const clients = number('connected_clients');
  return {
    clients: clients === null ? null : Math.max(0, clients - 1),
    max_clients: number('maxclients'),
    blocked_clients: number('blocked_clients'),
    rejected_connections: number('rejected_connections'),
    used_memory: number('used_memory'),
    max_memory: number('maxmemory'),
    evicted_keys: number('evicted_keys'),
    commands: number('total_commands_processed'),
    operations_per_s: number('instantaneous_ops_per_sec'),
    keyspace_hits: number('keyspace_hits'),
    keyspace_misses: number('keyspace_misses'),
    keys: keysIn(fields),
    error_replies: number('total_error_replies'),
    out_of_memory_replies: refusalsIn(fields),
    latest_fork_us: number('latest_fork_usec'),
    slow_commands: slowCommands,
    loading: fields.get('loading') === '1',
    saves: SAVES.every((name) => (fields.get(name) ?? 'ok') === 'ok'),
    role: fields.get('role') ?? '',
  };
}

/** @param {Map<string, string>} fields "db0:keys=12,expires=3,avg_ttl=0" */
function keysIn(fields) {
  let keys = 0;
  for (const [name, value] of fields) if (/^db\d+$/.test(name)) keys += Number(/^keys=(\d+)/.exec(value)?.[1] ?? 0);
  return keys;
}

/** Replies "OOM command not allowed": from 6.2 on counted by kind, a kind when it first occurs. @param {Map<string, string>} fields */
function refusalsIn(fields) {
  if (!fields.has('total_error_replies')) return null;
  return Number(/^count=(\d+)/.exec(fields.get('errorstat_OOM') ?? '')?.[1] ?? 0);
}
