/**
 * What PgBouncer recorded of a load: what it logged, and what its console said once a second.
 *
 * @typedef {import('../contract.js').Limit} Limit
 * @typedef {import('../complete-lines.js').Window} Window
 * @typedef {import('./state.js').State & { t: number }} Sample
 */

import { bareRecord, completeLines, isDuring, limitOf, sampledExtent, unsampled } from '../complete-lines.js';

/**
 * What PgBouncer's reasons mean, by whose connection they are about. Of a reason only words that stand in PgBouncer or PostgreSQL
 * are kept: "server login failed" goes on with what the server said, which names a user. Reasons are those of 1.18 (src/client.c,
 * server.c, janitor.c, objects.c) and a few of later versions.
 *
 * @typedef {import('../contract.js').Signal} Signal
 * @typedef {{ signal: Signal, text: string }} Meaning
 */

/** What PostgreSQL says when it does not let PgBouncer in; handed on to clients that wait for the first login. */
const SERVER_SAID = [
  'sorry, too many clients already',
  'remaining connection slots are reserved',
  'too many connections for (?:role|database)',
  '(?:password|Peer) authentication failed',
  'the database system is (?:shutting down|starting up|in recovery mode)',
].join('|');

/** Why a client's connection was closed. First match wins; what matches is what is kept. @type {[Signal, RegExp][]} */
const OF_CLIENTS = [
  ['pool-wait-timeout', /^query_wait_timeout/],
  ['connections-exhausted', /^(no more connections allowed|client connections exceeded) \(max_\w+\)/],
  ['http_response_timeout', /^query[_ ]timeout/],
  ['connection_refused', /^server login has been failing/],
  ['connection_refused', new RegExp(`^(?:${SERVER_SAID})`)],
  ['connection_terminated', /^server conn crashed\?/],
  ['destination_unavailable', /^client_login_timeout \(server down\)/],
  ['shut-down', /^(pooler is shutting down|server shutting down)/],
  ['out-of-memory', /^(bouncer resources exhaustion|no memory for [a-z ]+)/],
];

/** Why a server's connection was closed. @type {[Signal, RegExp][]} */
const OF_SERVERS = [
  ['connection_refused', /^connect failed/],
  ['connection_refused', /^login failed/],
  ['connection_timeout', /^connect timeout/],
  ['dns_error', /^server DNS lookup failed/],
  ['connection_terminated', /^server conn crashed\?/],
  ['http_response_timeout', /^query timeout/],
];

/** What it says of no connection. @type {[Signal, RegExp][]} */
const OF_ITSELF = [
  ['connection_refused', new RegExp(`^(?:S: |server )login failed: [A-Z]+:?(?: (?:${SERVER_SAID}))?`)],
  ['shut-down', /^got SIG(TERM|INT|QUIT)\b/i],
  ['proxy_internal_error', /^accept\(\) failed: (Too many open files|Cannot allocate memory|No buffer space available)/],
  ['out-of-memory', /^(out of memory|cannot allocate client struct)/],
];

/** Reasons that a server's connection and the client that was on it have in common. */
const SHARED = new Set(['connection_terminated', 'http_response_timeout']);

/** @param {[Signal, RegExp][]} reasons @returns {(reason: string) => Meaning | null} */
const meaningIn = (reasons) => (reason) => {
  for (const [signal, pattern] of reasons) {
    const found = pattern.exec(reason);
    if (found) return { signal, text: found[0] };
  }
  return null;
};

const meaningForClient = meaningIn(OF_CLIENTS);
const meaningForServer = meaningIn(OF_SERVERS);
const meaningForItself = meaningIn(OF_ITSELF);

/*
 * Reads PgBouncer's log. One event has up to four lines (the server's connection closed, the client's closed, the error that the
 * client was sent, what the server said), of which one message is made.
 */

/** "2026-11-21 20:00:01.123 UTC [1] WARNING text"; before 1.11 the process had no brackets (lib/usual/logging.c). */
const LINE = /(?:\[\d+\]|\b\d+) (FATAL|ERROR|WARNING|LOG|DEBUG|NOISE) (.*)$/;
/** Connection C of a client or S of a server, its pointer, who with which address, what. */
const SOCKET = /^([CS])-(0x[0-9a-f]+): \S*@(\S+) (.*)$/;
const CLOSING = /^closing because: (.*) \(age=\d+s?\)$/;
const SENT = /^pooler error: (.*)$/;
const STATS = /^stats: .*\bwait (\d+) us/;
/** What the server said when it did not let PgBouncer in. */
const LOGIN_FAILED = /login failed: /;
/** Lines of one event are written in one turn of PgBouncer's loop; the engine stamps them within this. */
const SAME_EVENT_S = 0.1;
/** Of the lab's own question, the admin database's. */
const ADMIN = /^[CS]-0x[0-9a-f]+: pgbouncer\//;

/**
 * @typedef {import('../contract.js').Message} Message
 * @typedef {object} Said
 * @property {Message[]} messages of the load
 * @property {boolean} heard
 * @property {number} wait_us     the longest mean wait of a query for a server connection, of the averages that it logs
 */

/**
 * @param {string} log
 * @param {import('../contract.js').About} about
 * @returns {Said}
 */
function readLog(log, { names, window }) {
  const reader = new Reader(names);
  /** @type {Said} */
  const said = { messages: reader.messages, heard: false, wait_us: 0 };
  for (const { t, text } of completeLines(log)) {
    const found = LINE.exec(text);
    if (!found) continue;
    said.heard = true;
    if (!isDuring(t, window) || ADMIN.test(found[2])) continue;
    said.wait_us = Math.max(said.wait_us, Number(STATS.exec(found[2])?.[1] ?? 0));
    reader.read(t, found[1], found[2]);
  }
  return said;
}

class Reader {
  /** @type {Message[]} */
  messages = [];
  /** Closed clients by pointer and signal whose error line is still to come. @type {Map<string, number>} */
  #closed = new Map();
  /** Server connections that were closed, each of which may have had a client. @type {Message[]} */
  #lost = [];
  /** @type {Map<string, string>} */
  #names;

  /** @param {Map<string, string>} names */
  constructor(names) {
    this.#names = names;
  }

  /** @param {number} t @param {string} level @param {string} text */
  read(t, level, text) {
    const socket = SOCKET.exec(text);
    const meaning = meaningForItself(text);
    if (socket?.[1] === 'C') this.#client(t, socket[2], socket[4]);
    else if (socket) this.#server(t, socket[3], socket[4]);
    else if (meaning) this.messages.push({ ...meaning, t });
    else if (level === 'FATAL') this.messages.push({ signal: 'shut-down', t, text: 'FATAL (its text is not kept)' });
  }

  /** @param {number} t @param {string} address @param {string} text */
  #server(t, address, text) {
    const meaning = meaningForServer(CLOSING.exec(text)?.[1] ?? '');
    if (!meaning) return;
    const bare = address.replace(/:\d+$/, '');
    const to = this.#names.get(bare) ?? bare;
    if (this.#isReported(t, to)) return;
    const message = { ...meaning, t, to };
    this.messages.push(message);
    if (SHARED.has(message.signal)) this.#lost.push(message);
  }

  /** Whether the lines just before said what the server answered: without its address, which they are given. @param {number} t @param {string} to */
  #isReported(t, to) {
    let reported = false;
    for (let at = this.messages.length - 1; at >= 0 && t - this.messages[at].t < SAME_EVENT_S; at -= 1) {
      const message = this.messages[at];
      if (message.signal !== 'connection_refused' || message.to !== undefined) continue;
      message.to = to;
      reported ||= LOGIN_FAILED.test(message.text);
    }
    return reported;
  }

  /** @param {number} t @param {string} pointer @param {string} text */
  #client(t, pointer, text) {
    const closing = CLOSING.exec(text);
    const meaning = meaningForClient((closing ?? SENT.exec(text))?.[1] ?? '');
    if (!meaning) return;
    const key = `${pointer} ${meaning.signal}`;
    const open = this.#closed.get(key) ?? 0;
    if (!closing && open > 0) {
      this.#closed.set(key, open - 1);
      return;
    }
    if (closing) this.#closed.set(key, open + 1);
    if (!this.#wasOnLost(t, meaning.signal)) this.messages.push({ ...meaning, t });
  }

  /** Whether a server's connection was closed for the same reason just now: the client was on it. @param {number} t @param {string} signal */
  #wasOnLost(t, signal) {
    this.#lost = this.#lost.filter((message) => t - message.t < SAME_EVENT_S);
    const at = this.#lost.findIndex((message) => message.signal === signal);
    if (at < 0) return false;
    this.#lost.splice(at, 1);
    return true;
  }
}

/** A client that waited for as long may have left before PgBouncer ended its wait (query_wait_timeout, 120 s by default), without a line. */
const WAITED_LONG_S = 1;
const MICROSECONDS = 1e6;

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read({ log, samples }, about) {
  const { service, level, window } = about;
  const said = readLog(level === 0 ? '' : log, about);
  const settings = samples.at(-1)?.settings ?? {};
  const waitedS = longestWait(samples, window);
  const limits = sampledExtent(samples, window);
  const silent = level === 0 ? 'its log was not read (level 0)' : whySilent(said.heard, settings);
  const unseen = whyUnseen(limits, waitedS);
  const heard = silent === null || said.messages.length > 0;
  return {
    ...bareRecord(about, 'pgbouncer'),
    coverage: { requests: 'none', reasons: heard ? (silent === null && unseen === null ? 'full' : 'partial') : 'none', limits },
    uncovered: [
      `PgBouncer knows no requests: a client that ${service} turned away belongs to no single one`,
      ...(silent === null ? [] : [`why ${service} turned a client away is not known: ${silent}`]),
      ...(unseen === null ? [] : [`a client that leaves while it waits for a connection of ${service} leaves no line: ${unseen}`]),
      ...(limits === 'none' && said.wait_us > 0
        ? [`by its own averages a query waited up to ${(said.wait_us / MICROSECONDS).toFixed(3)} s for a connection of ${service}`]
        : []),
      ...unsampled(service, samples, window, 'psql is not in its container, or its console did not let the lab in over the Unix socket'),
    ],
    messages: said.messages,
    limits: [...poolLimits(samples, window), ...clientLimit(samples, window)],
  };
}

/** Why the log does not tell every refusal; null where it does, as by default. @param {boolean} heard @param {any} settings */
function whySilent(heard, settings) {
  if (!heard) return 'it wrote nothing to its output (quiet, or to a file alone)';
  const off = ['log_pooler_errors', 'log_disconnections'].find((name) => settings[name] === '0');
  return off === undefined ? null : `${off} is 0`;
}

/** Why clients may have left unseen; null where none waited long. @param {import('../contract.js').Extent} sampled @param {number} waitedS */
function whyUnseen(sampled, waitedS) {
  if (waitedS >= WAITED_LONG_S) return `one waited for ${waitedS.toFixed(1)} s`;
  return sampled === 'full' ? null : 'how long they waited was not watched all the time';
}

/** @param {Sample[]} samples @param {Window} window */
const longestWait = (samples, window) =>
  Math.max(0, ...samples.filter(({ t }) => isDuring(t, window)).flatMap(({ pools = [] }) => pools.map(({ maxwait_s: waited }) => waited)));

/** One for each database, with its fullest pool: each user has a pool of its own, as large. @param {Sample[]} samples @param {Window} window @returns {Limit[]} */
function poolLimits(samples, window) {
  const databases = [...new Set(samples.flatMap(({ pools = [] }) => pools.map(({ database }) => database)))];
  return databases.flatMap((name) =>
    limitOf(
      databases.length === 1 ? 'server connections of the pool' : `server connections of the pool of ${name}`,
      samples,
      window,
      ({ sizes }) => sizes?.[name],
      ({ pools = [] }) => fullest(pools, name),
    ),
  );
}

/** @param {Sample[]} samples @param {Window} window @returns {Limit[]} */
const clientLimit = (samples, window) =>
  limitOf(
    'client connections',
    samples,
    window,
    ({ settings }) => Number(settings?.max_client_conn),
    ({ clients }) => clients,
  );

/** Busy connections of a database's fullest pool. @param {import('./state.js').Pool[]} pools @param {string} name */
const fullest = (pools, name) => Math.max(0, ...pools.filter(({ database }) => database === name).map(({ busy }) => busy));
