/**
 * The calls of a record as columns: when each began and was over, on which edge, of which kind; and by service what it served and made.
 *
 * @typedef {import('../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../wire/record.js').WireCall} WireCall
 */
import { isTurnedAway } from './turned-away.js';

export class Spans {
  calls;
  /** Seconds from the first call. @type {Float64Array} */
  began;
  /** When its asker knew that it was over; endless where it was open. @type {Float64Array} */
  ended;
  /** The same, and the record's end where it was open. @type {Float64Array} */
  over = new Float64Array();
  /** Until when its server may have worked for it: beyond `ended` where the asker gave up. @type {Float64Array} */
  worked;
  /** Number in `edges`. @type {Int32Array} */
  edge;
  /** Number of its edge, verb and template. @type {Int32Array} */
  kind;
  /** Number of its protocol. @type {Int32Array} */
  protocol;
  /** Number of its verb and template. @type {Int32Array} */
  asked;
  /** Number of its status and code. @type {Int32Array} */
  answer;
  /** Id of its connection. @type {Int32Array} */
  connection;
  /** @type {{ from: string, to: string }[]} */
  edges = [];
  /** From the first call to the last. */
  length_s = 0;
  /** @type {Map<string, { served: number[], made: number[] }>} in the order of their beginnings */
  #services = new Map();

  /** @param {WireRecord} wire @param {(address: string, at: number) => string} nameOf */
  constructor({ calls, connections }, nameOf) {
    this.calls = calls;
    const size = calls.length;
    [this.began, this.ended, this.worked] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
    [this.edge, this.kind, this.protocol] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
    [this.asked, this.answer, this.connection] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
    const [edges, kinds, protocols, asked, answers] = [numbering(), numbering(), numbering(), numbering(), numbering()];
    const byId = new Map(
      connections.map(({ id, client, server, opened_at: at, protocol }) => {
        const [from, to] = [nameOf(client, at), nameOf(server, at)];
        return [id, { edge: edges(`${from} ${to}`, () => this.edges.push({ from, to })), protocol: protocols(protocol) }];
      }),
    );
    const zero = calls.reduce((least, { began_at: at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    const order = [];
    for (const [index, call] of calls.entries()) {
      const connection = byId.get(call.connection);
      if (connection === undefined || !((call.role ?? 'call') === 'call' || isTurnedAway(call))) continue;
      this.edge[index] = connection.edge;
      this.protocol[index] = connection.protocol;
      this.connection[index] = call.connection;
      this.asked[index] = asked(`${call.verb} ${call.template}`);
      this.answer[index] = answers(`${call.status} ${call.code}`);
      this.kind[index] = kinds(`${connection.edge} ${this.asked[index]}`);
      this.#setTimes(index, call, zero);
      order.push(index);
    }
    this.over = this.ended.map((at) => Math.min(at, this.length_s));
    order.sort((one, other) => this.began[one] - this.began[other] || one - other);
    for (const index of order) {
      const { from, to } = this.edges[this.edge[index]];
      this.#of(from).made.push(index);
      // Who turned it away served nothing.
      if (!isTurnedAway(calls[index])) this.#of(to).served.push(index);
    }
  }

  /** @returns {Iterable<{ served: number[], made: number[] }>} */
  services() {
    return this.#services.values();
  }

  /** @param {string} service */
  #of(service) {
    const own = this.#services.get(service) ?? { served: [], made: [] };
    this.#services.set(service, own);
    return own;
  }

  /** @param {number} index @param {WireCall} call @param {number} zero */
  #setTimes(index, { began_at: began, ended_at: ended, first_at: first, late_at: late, end, by }, zero) {
    this.began[index] = began - zero;
    // Of an answer whose end was not seen, what was.
    const over = ended ?? (end === 'answered' ? first : null);
    this.ended[index] = over === null ? Number.POSITIVE_INFINITY : over - zero;
    this.worked[index] = by === 'client' ? (late === undefined ? Number.POSITIVE_INFINITY : late - zero) : this.ended[index];
    this.length_s = Math.max(this.length_s, began - zero, over === null ? 0 : over - zero);
  }
}

/** @returns {(name: string, isNew?: () => void) => number} gives each name a number, from 0 on */
function numbering() {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  return (name, isNew) => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, numbers.size);
    isNew?.();
    return numbers.size - 1;
  };
}
