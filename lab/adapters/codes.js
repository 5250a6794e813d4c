/**
 * What codes of errors mean, in the words of those who define them: a reader of a page knows few by heart; and the cause of those that say
 * by themselves why, whoever is behind it.
 *
 * @typedef {[meaning: string | null, cause?: import('../diagnose/waiting/text.js').Mechanism]} Code
 */

/** By protocol, as its decoder calls it. @type {Record<string, Record<string, Code>>} */
export const CODES = {
  // https://www.postgresql.org/docs/current/errcodes-appendix.html
  postgres: {
    '08P01': ['protocol violation; of a pooler, what it says itself'],
    '2200H': ['sequence generator limit exceeded'],
    22001: ['a text too long for its column'],
    22003: ['numeric value out of range'],
    22012: ['division by zero'],
    '22P02': ['invalid text representation'],
    23502: ['not-null violation'],
    23503: ['foreign key violation'],
    23505: ['unique violation'],
    23514: ['check violation'],
    25006: ['read-only transaction', 'no-writes'],
    '25P02': ['in a failed transaction'],
    '25P03': ['idle-in-transaction timeout'],
    26000: ['a prepared statement that this connection does not have', 'statement-elsewhere'],
    28000: ['invalid authorization', 'login-refused'],
    '28P01': ['invalid password', 'login-refused'],
    '3D000': ['unknown database', 'login-refused'],
    40001: ['serialization failure', 'conflict'],
    '40P01': ['deadlock detected', 'deadlock'],
    42601: ['syntax error', 'statement-unfit'],
    42703: ['undefined column', 'statement-unfit'],
    42883: ['undefined function', 'statement-unfit'],
    '42P01': ['undefined table', 'statement-unfit'],
    '42P05': ['a prepared statement that this connection has already', 'statement-elsewhere'],
    53100: ['disk full', 'disk-full'],
    53200: ['out of memory', 'memory-short'],
    53300: ['too many connections', 'turned-away'],
    53400: ['configuration limit exceeded'],
    '55P03': ['lock not available', 'lock'],
    57014: ['query canceled'],
    '57P01': ['shut down by the administrator'],
    '57P02': ['shut down after a crash', 'not-ready'],
    '57P03': ['cannot connect now', 'not-ready'],
  },
  // https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html, https://mariadb.com/kb/en/mariadb-error-codes/
  mysql: {
    1021: ['disk full', 'disk-full'],
    1037: ['out of memory', 'memory-short'],
    1040: ['too many connections', 'turned-away'],
    1044: ['access to the database denied', 'login-refused'],
    1045: ['access denied', 'login-refused'],
    1049: ['unknown database', 'login-refused'],
    1053: ['server shutdown in progress', 'not-ready'],
    1054: ['unknown column', 'statement-unfit'],
    1062: ['duplicate entry'],
    1064: ['syntax error', 'statement-unfit'],
    1114: ['the table is full', 'disk-full'],
    1129: ['host blocked because of many connection errors', 'turned-away'],
    1136: ['as many values as the table has columns expected', 'statement-unfit'],
    1146: ['unknown table', 'statement-unfit'],
    1203: ['too many connections of this user', 'turned-away'],
    1205: ['lock wait timeout exceeded', 'lock'],
    1213: ['deadlock found', 'deadlock'],
    1226: ['the user has exceeded a limit', 'turned-away'],
    1243: ['a prepared statement that this connection does not have', 'statement-elsewhere'],
    1290: ['an option of the server, such as read_only, forbids it', 'no-writes'],
    1305: ['unknown procedure or function', 'statement-unfit'],
    1317: ['query interrupted'],
    1836: ['the server is read-only', 'no-writes'],
    1969: ['maximum statement time exceeded'],
    3024: ['maximum statement execution time exceeded'],
  },
  // https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
  mongodb: {
    13: ['unauthorized', 'login-refused'],
    18: ['authentication failed', 'login-refused'],
    24: ['lock timeout', 'lock'],
    50: ['time limit exceeded'],
    91: ['shutdown in progress', 'not-ready'],
    112: ['write conflict', 'conflict'],
    189: ['primary stepped down', 'no-writes'],
    10107: ['not the primary', 'no-writes'],
    11000: ['duplicate key'],
    14031: ['out of disk space', 'disk-full'],
  },
  // https://www.rabbitmq.com/amqp-0-9-1-reference#constants
  amqp: {
    311: ['content too large'],
    313: ['no consumers'],
    320: ['connection forced', 'not-ready'],
    403: ['access refused', 'login-refused'],
    404: ['not found'],
    405: ['resource locked'],
    406: ['precondition failed'],
    504: ['channel error'],
    506: ['resource error'],
    530: ['not allowed'],
    541: ['internal error'],
  },
  // https://github.com/redis/redis/blob/unstable/src/server.c (createSharedObjects), https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
  redis: {
    BUSY: ['a script or function goes on for long, and nothing else is done'],
    CLUSTERDOWN: ['the cluster, or that part of it, is down', 'not-ready'],
    DENIED: ['protected mode: no password is set, and it takes no clients from other hosts', 'turned-away'],
    CROSSSLOT: ['the keys of the command are not on one node'],
    EXECABORT: ['the transaction was discarded, for a command of it was wrong'],
    LOADING: ['the data is being loaded', 'not-ready'],
    MASTERDOWN: ['the primary of the replica cannot be reached', 'not-ready'],
    MISCONF: ['snapshots cannot be written to disk, and writes are refused until they can'],
    MOVED: ['another node of the cluster has the key'],
    NOREPLICAS: ['too few replicas are connected for a write'],
    NOSCRIPT: ['a script that it does not have'],
    OOM: ['more memory than maxmemory', 'memory-short'],
    READONLY: ['a write to a replica', 'no-writes'],
    WRONGTYPE: ['a command for another type of value'],
    // Named by the decoder: of the words in src/networking.c.
    MAXCLIENTS: [null, 'turned-away'],
    NOAUTH: [null, 'login-refused'],
    NOPERM: [null, 'login-refused'],
    WRONGPASS: [null, 'login-refused'],
  },
  // doc/protocol.txt of memcached; MAXCONNS is named by the decoder, which reads the words.
  memcached: {
    MAXCONNS: [null, 'turned-away'],
    'SERVER_ERROR out of memory': [null, 'memory-short'],
    OUT_OF_MEMORY: [null, 'memory-short'],
  },
};

/** Of SQLSTATEs, by their first two characters (https://www.postgresql.org/docs/current/errcodes-appendix.html). @type {Record<string, string>} */
const CLASSES = {
  '08': 'connection exception',
  '0A': 'feature not supported',
  22: 'data exception',
  23: 'integrity constraint violation',
  25: 'invalid transaction state',
  28: 'invalid authorization specification',
  40: 'transaction rollback',
  42: 'syntax error or access rule violation',
  53: 'insufficient resources',
  54: 'program limit exceeded',
  55: 'object not in prerequisite state',
  57: 'operator intervention',
  58: 'system error',
  P0: 'an error that the user’s own code raised',
  XX: 'internal error',
};

/** @param {string} protocol @param {string} code @returns {string | null} null where it is not known */
export const codeMeaning = (protocol, code) =>
  CODES[protocol]?.[code]?.[0] ?? (protocol === 'postgres' && code.length === 5 ? (CLASSES[code.slice(0, 2)] ?? null) : null);

/** @param {string} protocol @param {string} code */
export const codeCause = (protocol, code) => CODES[protocol]?.[code]?.[1] ?? null;
