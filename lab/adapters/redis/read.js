/**
 * What Redis recorded of a load: what it logged of its own troubles, and what it counted once a second.
 */

import { bareRecord, completeLines, countersOf, isDuring, limitOf, sampledExtent, unsampled } from '../complete-lines.js';

/*
 * Reads Redis' log. It tells of the server's own troubles; what clients are refused is counted (info.js) and not logged.
 */

/** "1:M 21 Nov 2026 20:00:01.123 # text": process, role, time, level (serverLogRaw in server.c). */
const LINE = /^\d+:[XCSM] \d+ \w+ (?:\d{4} )?[\d:.]+ ([.*#-]) (.*)$/;
/** What a signal's handler writes has no level. */
const FROM_SIGNAL = /^\d+:signal-handler \(\d+\) (.*)$/;

/** First match wins; what matches is what is kept. Of 7.0 (src/server.c, networking.c, rdb.c, aof.c). @type {[import('../contract.js').Signal, RegExp][]} */
const MESSAGES = [
  ['shut-down', /^Received SIG\w+ scheduling shutdown/],
  ['shut-down', /^User requested shutdown/],
  ['shut-down', /^\w+ is now ready to exit/],
  ['shut-down', /\bcrashed by signal: \d+/],
  // It says so at its start alone: within the load it was gone before.
  ['shut-down', /^(Server started|oO0OoO0OoO0Oo \w+ is starting)/],
  ['out-of-memory', /^Out Of Memory allocating \d+ bytes/],
  ['out-of-memory', /^Can't (save|rewrite append only file) in background: fork: Cannot allocate memory/],
  ['out-of-memory', /\bOOM command not allowed/],
  ['connections-exhausted', /\bmax number of clients reached/],
  ['proxy_internal_error', /^Accepting client connection: accept: (Too many open files|Cannot allocate memory)/],
  ['slow', /^Asynchronous AOF fsync is taking too long/],
  ['slow', /^(Lua slow|Slow) script detected: still in execution after \d+ milliseconds/],
  ['server-error', /^Background saving error/],
  ['server-error', /^Background AOF rewrite terminated (with error|by signal \d+)/],
  ['server-error', /\bMISCONF\b/],
  ['server-error', /\bclosed (ASAP )?for overcoming of output buffer limits/],
  // Up to a colon the words are Redis' own.
  ['server-error', /^(Write error|Error) [A-Za-z ]+/],
];

/**
 * @param {string} log
 * @param {import('../complete-lines.js').Window} window
 * @returns {{ messages: import('../contract.js').Message[], heard: boolean }} heard: a line was Redis' own
 */
function readLog(log, window) {
  /** @type {import('../contract.js').Message[]} */
  const messages = [];
  let heard = false;
  for (const { t, text } of completeLines(log)) {
    const said = LINE.exec(text)?.[2] ?? FROM_SIGNAL.exec(text)?.[1];
    if (said === undefined) continue;
    heard = true;
    const message = isDuring(t, window) ? messageIn(t, said) : null;
    if (message) messages.push(message);
  }
  return { messages, heard };
}

/** @param {number} t @param {string} said @returns {import('../contract.js').Message | null} */
function messageIn(t, said) {
  for (const [signal, pattern] of MESSAGES) {
    const found = pattern.exec(said);
    if (found) return { signal, t, text: found[0].trim() };
  }
  return null;
}

/** The slow log's own default length (slowlog-max-len): a full one counts no further. */
const SLOW_LOG_LENGTH = 128;

/** @type {Record<string, (sample: any) => unknown>} */
const COUNTERS = {
  'connections-exhausted': ({ rejected }) => rejected,
  'out-of-memory': ({ out_of_memory_replies: count }) => count,
};

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read({ log, samples }, about) {
  const { service, level, window } = about;
  const { messages, heard } = readLog(level === 0 ? '' : log, window);
  const limits = sampledExtent(samples, window);
  const reported = limits !== 'none' || heard;
  return {
    ...bareRecord(about, 'redis'),
    coverage: { requests: 'none', reasons: reported ? 'partial' : 'none', limits },
    uncovered: [
      `Redis knows no requests: a command that failed in ${service} belongs to no single one`,
      limits === 'none'
        ? `Redis does not log the clients and commands that it refuses, and those of ${service} were not counted`
        : `Redis does not log the clients and commands that it refuses: those of ${service} are counted to the second, and not each told`,
      ...(heard || level === 0 ? [] : [`${service} wrote no log to its output: that it stopped, or could not save, is not known from it`]),
      ...(samples.some(({ slow_commands: slow }) => slow >= SLOW_LOG_LENGTH)
        ? [`the slow log of ${service} has as many entries as Redis keeps by default (${SLOW_LOG_LENGTH}): there may be more slow commands`]
        : []),
      ...unsampled(service, samples, window, 'redis-cli is not in its container, or was not let in without a password'),
    ],
    messages,
    counters: countersOf(withoutOwn(samples), window, COUNTERS),
    limits: [
      ...limitOf(
        'client connections',
        samples,
        window,
        (sample) => sample.max_clients,
        (sample, size) => (sample.refused ? size : sample.clients),
      ),
      ...limitOf(
        'memory',
        samples,
        window,
        (sample) => sample.max_memory,
        (sample) => sample.used_memory,
      ).map((limit) => ({ ...limit, unit: 'bytes', fills: true })),
    ],
  };
}

/** With the clients that were rejected, of which those that were the lab's own question are none. @param {any[]} samples */
function withoutOwn(samples) {
  let own = 0;
  let last = 0;
  return samples.map((sample) => {
    if (sample.refused) own += 1;
    const count = sample.rejected_connections;
    if (typeof count !== 'number') return sample;
    // It began anew, and so did its count.
    if (count < last) own = 0;
    last = count;
    return { ...sample, rejected: Math.max(0, count - own) };
  });
}

/*
 * Reads what `INFO` and `SLOWLOG LEN` print (https://redis.io/docs/latest/commands/info/).
 */

/**
 * @typedef {object} State
 * @property {number | null} clients       connected, without the lab
 * @property {number | null} max_clients   null before 6.2, which does not tell it
 * @property {number | null} rejected_connections
 * @property {number | null} used_memory
 * @property {number | null} max_memory    0: no limit
 * @property {number | null} out_of_memory_replies
 * @property {number | null} slow_commands  in the slow log
 */

const FIELD = /^([a-z]\w*):(.*)$/i;
/** SLOWLOG LEN answers with a number. */
const NUMBER = /^\d+$/;

/** @param {string} output @returns {State | null} null for what is no answer to INFO */
function stateIn(output) {
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
    rejected_connections: number('rejected_connections'),
    used_memory: number('used_memory'),
    max_memory: number('maxmemory'),
    out_of_memory_replies: refusalsIn(fields),
    slow_commands: slowCommands,
  };
}

/** Replies "OOM command not allowed": from 6.2 on counted by kind, a kind when it first occurs. @param {Map<string, string>} fields */
function refusalsIn(fields) {
  if (!fields.has('total_error_replies')) return null;
  return Number(/^count=(\d+)/.exec(fields.get('errorstat_OOM') ?? '')?.[1] ?? 0);
}

/*
 * How the lab asks Redis for its state, inside the container.
 */

const LIMIT_MS = 900;
/**
 * No answer has a key or a value: SLOWLOG GET and MONITOR would. A password is used only where the container's own environment
 * has it, and never leaves the container (REDISCLI_AUTH is redis-cli's own; Bitnami's images have the other two).
 */
const CLIENT = `cli=$(command -v redis-cli || command -v valkey-cli || command -v keydb-cli) || exit 127
password=\${REDISCLI_AUTH:-\${REDIS_PASSWORD:-\${VALKEY_PASSWORD:-}}}
[ -n "$password" ] && export REDISCLI_AUTH="$password" VALKEYCLI_AUTH="$password"`;
const SCRIPT = `${CLIENT}
printf 'INFO\\nSLOWLOG LEN\\n' | "$cli"`;
/** Of the lists and sorted sets whose keys the container's own environment has; a key that is not there is an empty one. */
const BACKLOG = `${CLIENT}
set -- $QUEUE_KEYS
[ $# -gt 0 ] && "$cli" EVAL "
  local count = 0
  for _, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    if kind == 'list' then count = count + redis.call('LLEN', key) end
    if kind == 'zset' then count = count + redis.call('ZCARD', key) end
  end
  return count" $# "$@"`;

const REFUSED = /max number of clients/;

/**
 * @param {import('../contract.js').Container} container
 * @returns {Promise<object | null>} `{ refused: true }` when no connection was left for the lab either; null when it cannot be asked
 */
export async function sampleState(container) {
  const { output } = await container.execute(['sh', '-c', SCRIPT], LIMIT_MS);
  return stateIn(output) ?? (REFUSED.test(output) ? { refused: true } : null);
}

/**
 * @param {import('../contract.js').Container} container
 * @returns {Promise<number | null>} entries of the lists and sorted sets that are named in QUEUE_KEYS; null where none is, or there is no answer
 */
export async function backlogOf(container) {
  const { exitCode, output } = await container.execute(['sh', '-c', BACKLOG], LIMIT_MS);
  const text = output.trim();
  return exitCode === 0 && /^\d+$/.test(text) ? Number(text) : null;
}

/*
 * What of Redis' log the record keeps: all but keys, values and what clients call themselves. Keys and values stand in it when Redis crashes
 * alone: it then logs the command that it was at, and the object at its key (logCurrentClient and serverLogObjectDebugInfo in debug.c of 7.0). What the lab asks (info.js)
 * has none.
 */

/** Each `?` is what was there; the first word, which is the command's name, stays. @type {[RegExp, string][]} */
const TAKEN = [
  [/( name=)\S+( age=)/, '$1?$2'],
  [/^(argv\[[1-9]\d*\]: ).*$/, '$1?'],
  [/\bkey '.*' found in DB containing the following object/, "key '?' found in DB containing the following object"],
  [/\b(Object raw string content: ).*$/, '$1?'],
];

/** @param {string} line without the engine's time */
export const redact = (line) => TAKEN.reduce((text, [pattern, kept]) => text.replace(pattern, kept), line);
