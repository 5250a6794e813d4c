/**
 * The calls of a record as they are read: columns, of which each call is a view. A run has hundreds of thousands of them; as objects of their own
 * they take twice the memory, and a collector goes through all that again and again.
 *
 * When a question had passed, and its size, are in the record alone: nobody who reads it asks for them.
 *
 * @typedef {Omit<import('./contract.js').Call, 'sent_at' | 'sent_bytes'> & { connection: number }} WireCall  connection: its id
 * @typedef {{ texts: any[], templates: string[] }} Book  by their numbers; a text of the number 0 is none
 */

const MICRO = 1e6;
/** Calls whose columns are made at a time. */
const TOGETHER = 65_536;
/** Of what has no status. */
const NO_STATUS = -(2 ** 31);
/** Flags. */
const [BAD, HOLE, RACED] = [1, 2, 4];

/** What has no such time has none that is a number. */
class Columns {
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
class ReadCall {
  #of;
  #at;

  /** @param {Columns} columns @param {number} at */
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

/** @param {number} at */
const timeOf = (at) => (Number.isNaN(at) ? null : at);

/** Reads the rows of calls (rows.js), one after the other. */
export class CallReader {
  /** @type {Book} */
  #book = { texts: [undefined], templates: [] };
  /** @type {Map<unknown, number>} */
  #numbers = new Map();
  #zero;
  /** @type {Columns | null} */
  #columns = null;
  #next = 0;

  /** @param {number} zero  seconds since 1970 */
  constructor(zero) {
    this.#zero = zero;
  }

  /** @param {any[]} row @returns {WireCall} */
  read(row) {
    if (this.#columns === null || this.#next === TOGETHER) [this.#columns, this.#next] = [new Columns(this.#book), 0];
    const columns = this.#columns;
    const at = this.#next++;
    columns.connection[at] = row[1];
    columns.began[at] = this.#timeOf(row[2]);
    columns.first[at] = this.#timeOf(row[4]);
    columns.ended[at] = this.#timeOf(row[5]);
    columns.late[at] = this.#timeOf(row[20]);
    columns.answered[at] = row[14];
    columns.verb[at] = this.#numberOf(row[6]);
    columns.template[at] = row[7];
    columns.status[at] = row[8] ?? NO_STATUS;
    columns.code[at] = this.#numberOf(row[9]);
    columns.flags[at] = (row[10] ? BAD : 0) | (row[19] ? HOLE : 0) | (row[21] ? RACED : 0);
    columns.end[at] = this.#numberOf(row[11]);
    columns.by[at] = this.#numberOf(row[12]);
    columns.id[at] = this.#numberOf(row[15]);
    columns.trace[at] = this.#numberOf(row[16]);
    columns.role[at] = this.#numberOf(row[17]);
    columns.state[at] = this.#numberOf(row[18]);
    if (row[22]) columns.addresses.set(at, row[22]);
    return new ReadCall(columns, at);
  }

  /** They are known at the record's end. @param {string[]} templates  by their numbers */
  name(templates) {
    this.#book.templates = templates;
  }

  /** @param {number | null | undefined} micro */
  #timeOf(micro) {
    return micro === null || micro === undefined ? Number.NaN : this.#zero + micro / MICRO;
  }

  /** @param {string | null | undefined} text */
  #numberOf(text) {
    if (text === null || text === undefined) return 0;
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#book.texts.length);
    return this.#book.texts.push(text) - 1;
  }
}
