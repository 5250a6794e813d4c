/**
 * What codes of errors mean, in the words of those who define them: a reader of a page knows few by heart.
 */

/** By protocol, as its decoder calls it. @type {Record<string, Record<string, string>>} */
export const CODES = {
  // https://www.postgresql.org/docs/current/errcodes-appendix.html
  postgres: {
    '08P01': 'protocol violation; of a pooler, what it says itself',
    23505: 'unique violation',
    25006: 'read-only transaction',
    '25P02': 'in a failed transaction',
    '25P03': 'idle-in-transaction timeout',
    26000: 'a prepared statement that this connection does not have',
    '28P01': 'invalid password',
    '3D000': 'unknown database',
    40001: 'serialization failure',
    '40P01': 'deadlock detected',
    42601: 'syntax error',
    42703: 'undefined column',
    '42P01': 'undefined table',
    '42P05': 'a prepared statement that this connection has already',
    53100: 'disk full',
    53200: 'out of memory',
    53300: 'too many connections',
    53400: 'configuration limit exceeded',
    '55P03': 'lock not available',
    57014: 'query canceled',
    '57P01': 'shut down by the administrator',
    '57P02': 'shut down after a crash',
    '57P03': 'cannot connect now',
  },
  // https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html, https://mariadb.com/kb/en/mariadb-error-codes/
  mysql: {
    1021: 'disk full',
    1037: 'out of memory',
    1040: 'too many connections',
    1045: 'access denied',
    1053: 'server shutdown in progress',
    1062: 'duplicate entry',
    1114: 'the table is full',
    1129: 'host blocked because of many connection errors',
    1203: 'too many connections of this user',
    1205: 'lock wait timeout exceeded',
    1213: 'deadlock found',
    1226: 'the user has exceeded a limit',
    1317: 'query interrupted',
    1969: 'maximum statement time exceeded',
    3024: 'maximum statement execution time exceeded',
  },
  // https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
  mongodb: {
    13: 'unauthorized',
    24: 'lock timeout',
    50: 'time limit exceeded',
    91: 'shutdown in progress',
    112: 'write conflict',
    189: 'primary stepped down',
    10107: 'not the primary',
    11000: 'duplicate key',
    14031: 'out of disk space',
  },
  // https://www.rabbitmq.com/amqp-0-9-1-reference#constants
  amqp: {
    311: 'content too large',
    313: 'no consumers',
    320: 'connection forced',
    403: 'access refused',
    404: 'not found',
    405: 'resource locked',
    406: 'precondition failed',
    504: 'channel error',
    506: 'resource error',
    530: 'not allowed',
    541: 'internal error',
  },
};

/** @param {string} protocol @param {string} code @returns {string | null} null where it is not known */
export const codeMeaning = (protocol, code) => CODES[protocol]?.[code] ?? null;

/** Codes that say why by themselves, whoever brought it about. @type {Record<string, Record<string, import('../diagnose/waiting/mechanisms.js').Mechanism>>} */
const CAUSES = {
  postgres: {
    40001: 'conflict',
    '40P01': 'deadlock',
    53100: 'disk-full',
    53200: 'memory-short',
    53300: 'turned-away',
    '55P03': 'lock',
  },
  mysql: {
    1021: 'disk-full',
    1037: 'memory-short',
    1040: 'turned-away',
    1114: 'disk-full',
    1129: 'turned-away',
    1203: 'turned-away',
    1205: 'lock',
    1213: 'deadlock',
    1226: 'turned-away',
  },
  mongodb: { 24: 'lock', 112: 'conflict', 14031: 'disk-full' },
  // src/server.c of Redis: over maxmemory. src/networking.c: max number of clients reached; named by the decoder, since it has no word of
  // its own.
  redis: { MAXCLIENTS: 'turned-away', OOM: 'memory-short' },
};

/** @param {string} protocol @param {string} code */
export const codeCause = (protocol, code) => CAUSES[protocol]?.[code] ?? null;
