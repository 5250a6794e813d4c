/**
 * The calls of a record as they are read: columns, of which each call is a view (columns.js). When a question had passed, and its size, are in
 * the record alone: nobody who reads it asks for them.
 *
 * @typedef {Omit<import('./contract.js').Call, 'sent_at' | 'sent_bytes'> & { connection: number }} WireCall  connection: its id
 * @typedef {import('./columns.js').Book} Book
 */
import { TOGETHER, timeOf } from './columns.js';

/** Of what has no status. */
export const NO_STATUS = -(2 ** 31);
/** Flags. */
export const [BAD, HOLE, RACED] = [1, 2, 4];

/** What has no such time has none that is a number. */
export class CallColumns {
  size = 0;
  connection = new Int32Array(TOGETHER);
  began = new Float64Array(TOGETHER);
  first = new Float64Array(TOGETHER);
  ended = new Float64Array(TOGETHER);
  late = new Float64Array(TOGETHER);
  answered = new Float64Array(TOGETHER);
  status = new Int32Array(TOGETHER);
  flags = new Uint8Array(TOGETHER);
  /** Numbers of texts. */
  verb = new Int32Array(TOGETHER);
  code = new Int32Array(TOGETHER);
  end = new Int32Array(TOGETHER);
  by = new Int32Array(TOGETHER);
  id = new Int32Array(TOGETHER);
  trace = new Int32Array(TOGETHER);
  role = new Int32Array(TOGETHER);
  state = new Int32Array(TOGETHER);
  /** Number of a template. */
  template = new Int32Array(TOGETHER);
  /** Of the few that have any. @type {Map<number, string[]>} */
  addresses = new Map();

  /** @param {Book} book */
  constructor(book) {
    this.book = book;
  }
}

/** @implements {WireCall} */
export class ReadCall {
  #of;
  #at;

  /** @param {CallColumns} columns @param {number} at */
  constructor(columns, at) {
    this.#of = columns;
    this.#at = at;
  }

  get connection() {
    return this.#of.connection[this.#at];
  }

  get began_at() {
    return this.#of.began[this.#at];
  }

  get first_at() {
    return timeOf(this.#of.first[this.#at]);
  }

  get ended_at() {
    return timeOf(this.#of.ended[this.#at]);
  }

  get late_at() {
    return timeOf(this.#of.late[this.#at]) ?? undefined;
  }

  get answered_bytes() {
    return this.#of.answered[this.#at];
  }

  get verb() {
    return this.#of.book.texts[this.#of.verb[this.#at]];
  }

  get template() {
    return this.#of.book.templates[this.#of.template[this.#at]] ?? '';
  }

  get status() {
    const status = this.#of.status[this.#at];
    return status === NO_STATUS ? null : status;
  }

  get code() {
    return this.#of.book.texts[this.#of.code[this.#at]] ?? null;
  }

  get bad() {
    return (this.#of.flags[this.#at] & BAD) !== 0;
  }

  get end() {
    return this.#of.book.texts[this.#of.end[this.#at]];
  }

  get by() {
    return this.#of.book.texts[this.#of.by[this.#at]] ?? null;
  }

  get id() {
    return this.#of.book.texts[this.#of.id[this.#at]];
  }

  get trace() {
    return this.#of.book.texts[this.#of.trace[this.#at]];
  }

  get role() {
    return this.#of.book.texts[this.#of.role[this.#at]];
  }

  get state() {
    return this.#of.book.texts[this.#of.state[this.#at]];
  }

  get hole() {
    return (this.#of.flags[this.#at] & HOLE) !== 0 || undefined;
  }

  get raced() {
    return (this.#of.flags[this.#at] & RACED) !== 0 || undefined;
  }

  get addresses() {
    return this.#of.addresses.get(this.#at);
  }

  /** @returns {WireCall} */
  toJSON() {
    const { connection, began_at, first_at, ended_at, verb, template, status, code, bad, end, by } = this;
    const { answered_bytes, id, trace, role, state, hole, late_at, raced, addresses } = this;
    return {
      ...{ connection, began_at, first_at, ended_at, verb, template, status, code, bad, end, by },
      ...{ answered_bytes, id, trace, role, state, hole, late_at, raced, addresses },
    };
  }
}
