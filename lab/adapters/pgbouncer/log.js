/**
 * Reads PgBouncer's log. One event has up to four lines (the server's connection closed, the client's closed, the error that the
 * client was sent, what the server said), of which one message is made.
 */
import { isDuring, wholeLines } from '../whole-lines.js';
import { meaningForClient, meaningForItself, meaningForServer, SHARED } from './reasons.js';

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
export function readLog(log, { names, window }) {
  const reader = new Reader(names);
  /** @type {Said} */
  const said = { messages: reader.messages, heard: false, wait_us: 0 };
  for (const { t, text } of wholeLines(log)) {
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
    if (this.#isTold(t, to)) return;
    const message = { ...meaning, t, to };
    this.messages.push(message);
    if (SHARED.has(message.signal)) this.#lost.push(message);
  }

  /** Whether the lines just before said what the server answered: without its address, which they are given. @param {number} t @param {string} to */
  #isTold(t, to) {
    let told = false;
    for (let at = this.messages.length - 1; at >= 0 && t - this.messages[at].t < SAME_EVENT_S; at -= 1) {
      const message = this.messages[at];
      if (message.signal !== 'connection_refused' || message.to !== undefined) continue;
      message.to = to;
      told ||= LOGIN_FAILED.test(message.text);
    }
    return told;
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
