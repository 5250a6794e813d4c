/**
 * The connections of a record as they are read: columns, of which each connection is a view (columns.js).
 *
 * @typedef {import('./connection-record.js').ConnectionRecord} ConnectionRecord
 */
import { TOGETHER, timeOf } from './columns.js';

/** Of nearly all connections. @type {ConnectionRecord['closed_window']} */
const NEVER_CLOSED = Object.freeze({ client: null, server: null });

/** What has no such time has none that is a number. */
export class ConnectionColumns {
  size = 0;
  id = new Int32Array(TOGETHER);
  clientPort = new Int32Array(TOGETHER);
  serverPort = new Int32Array(TOGETHER);
  midway = new Uint8Array(TOGETHER);
  opened = new Float64Array(TOGETHER);
  syns = new Int32Array(TOGETHER);
  accepts = new Int32Array(TOGETHER);
  accepted = new Float64Array(TOGETHER);
  asked = new Float64Array(TOGETHER);
  answered = new Float64Array(TOGETHER);
  last = new Float64Array(TOGETHER);
  ended = new Float64Array(TOGETHER);
  clientBytes = new Float64Array(TOGETHER);
  serverBytes = new Float64Array(TOGETHER);
  calls = new Int32Array(TOGETHER);
  unknownBytes = new Float64Array(TOGETHER);
  hiddenBytes = new Float64Array(TOGETHER);
  reset = new Float64Array(TOGETHER);
  again = new Int32Array(TOGETHER);
  againAt = new Float64Array(TOGETHER);
  syn = new Float64Array(TOGETHER);
  /** Numbers of texts. */
  transport = new Int32Array(TOGETHER);
  client = new Int32Array(TOGETHER);
  server = new Int32Array(TOGETHER);
  protocol = new Int32Array(TOGETHER);
  outcome = new Int32Array(TOGETHER);
  by = new Int32Array(TOGETHER);
  fault = new Int32Array(TOGETHER);
  /** Of the few that have any. @type {Map<number, ConnectionRecord['closed_window']>} */
  closedWindow = new Map();

  /** @param {import('./columns.js').Book} book */
  constructor(book) {
    this.book = book;
  }
}

/** @implements {ConnectionRecord} */
export class ReadConnection {
  #of;
  #at;

  /** @param {ConnectionColumns} columns @param {number} at */
  constructor(columns, at) {
    this.#of = columns;
    this.#at = at;
  }

  get id() {
    return this.#of.id[this.#at];
  }

  get transport() {
    return this.#of.book.texts[this.#of.transport[this.#at]];
  }

  get client() {
    return this.#of.book.texts[this.#of.client[this.#at]];
  }

  get client_port() {
    return this.#of.clientPort[this.#at];
  }

  get server() {
    return this.#of.book.texts[this.#of.server[this.#at]];
  }

  get server_port() {
    return this.#of.serverPort[this.#at];
  }

  get protocol() {
    return this.#of.book.texts[this.#of.protocol[this.#at]];
  }

  get outcome() {
    return this.#of.book.texts[this.#of.outcome[this.#at]];
  }

  get by() {
    return this.#of.book.texts[this.#of.by[this.#at]] ?? null;
  }

  get midway() {
    return this.#of.midway[this.#at] === 1;
  }

  get opened_at() {
    return this.#of.opened[this.#at];
  }

  get syns() {
    return this.#of.syns[this.#at];
  }

  get accepts() {
    return this.#of.accepts[this.#at];
  }

  get accepted_at() {
    return timeOf(this.#of.accepted[this.#at]);
  }

  get asked_at() {
    return timeOf(this.#of.asked[this.#at]);
  }

  get answered_at() {
    return timeOf(this.#of.answered[this.#at]);
  }

  get last_at() {
    return timeOf(this.#of.last[this.#at]);
  }

  get ended_at() {
    return timeOf(this.#of.ended[this.#at]);
  }

  get client_bytes() {
    return this.#of.clientBytes[this.#at];
  }

  get server_bytes() {
    return this.#of.serverBytes[this.#at];
  }

  get calls() {
    return this.#of.calls[this.#at];
  }

  get unknown_bytes() {
    return this.#of.unknownBytes[this.#at];
  }

  get hidden_bytes() {
    return this.#of.hiddenBytes[this.#at];
  }

  get reset_at() {
    return timeOf(this.#of.reset[this.#at]);
  }

  get again() {
    return this.#of.again[this.#at];
  }

  get again_at() {
    return timeOf(this.#of.againAt[this.#at]);
  }

  get closed_window() {
    return this.#of.closedWindow.get(this.#at) ?? NEVER_CLOSED;
  }

  get fault() {
    return this.#of.book.texts[this.#of.fault[this.#at]] ?? '';
  }

  get syn_at() {
    return timeOf(this.#of.syn[this.#at]);
  }

  /** @returns {ConnectionRecord} */
  toJSON() {
    const { id, transport, client, client_port, server, server_port, protocol, outcome, by, midway, opened_at, syns, accepts } = this;
    const { accepted_at, asked_at, answered_at, last_at, ended_at, client_bytes, server_bytes, calls, unknown_bytes } = this;
    const { hidden_bytes, reset_at, again, again_at, closed_window, fault, syn_at } = this;
    return {
      ...{ id, transport, client, client_port, server, server_port, protocol, outcome, by, midway, opened_at, syns, accepts },
      ...{ accepted_at, asked_at, answered_at, last_at, ended_at, client_bytes, server_bytes, calls, unknown_bytes },
      ...{ hidden_bytes, reset_at, again, again_at, closed_window, fault, syn_at },
    };
  }
}
