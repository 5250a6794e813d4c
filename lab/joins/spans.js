/**
 * The calls of a record as columns: when each began and was over, on which edge, of which kind; and by service what it served and made.
 *
 * @typedef {import('../wire/record.js').WireCall} WireCall
 */
import { Numbering } from './numbering.js';
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
  /** Number of the service that was asked and its kind there: the same of all its containers, whoever asks. @type {Int32Array} */
  way;
  /** Number of its protocol. @type {Int32Array} */
  protocol;
  /** Number of its verb and template. @type {Int32Array} */
  asked;
  /** Number of its status and code. @type {Int32Array} */
  answer;
  /** 1: a set-up that was turned away. @type {Uint8Array} */
  turnedAway;
  /** Id of its connection. @type {Int32Array} */
  connection;
  /** @type {{ from: string, to: string }[]} */
  edges = [];
  /** From the first call to the last. */
  length_s = 0;
  /** @type {Map<string, { service: string, served: number[], made: number[] }>} by container, in the order of their beginnings */
  #containers = new Map();
  /** @type {(container: string) => string} */
  serviceOf;

  /**
   * @param {WireCall[]} calls
   * @param {Map<number, import('./joined.js').Line>} lines
   * @param {Int32Array} order  of all calls, as they began
   * @param {(container: string) => string} serviceOf
   */
  constructor(calls, lines, order, serviceOf) {
    this.calls = calls;
    this.serviceOf = serviceOf;
    const size = calls.length;
    [this.began, this.ended, this.worked] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
    [this.edge, this.kind, this.protocol] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
    [this.asked, this.answer, this.connection] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
    this.turnedAway = new Uint8Array(size);
    this.way = new Int32Array(size);
    const [edges, kinds, ways, protocols, asked, answers] = Array.from({ length: 6 }, () => new Numbering());
    const zero = size === 0 ? 0 : calls[order[0]].began_at;
    const onLine = (/** @type {import('./joined.js').Line} */ { connection, from, to }) => {
      const edge = edges.of(from, to);
      if (edge === this.edges.length) this.edges.push({ from, to });
      return { to, edge, protocol: protocols.of(connection.protocol, null), callee: serviceOf(to), asker: this.#of(from) };
    };
    /** What all calls of a connection have in common, by its id. @type {Map<number, ReturnType<typeof onLine>>} */
    const known = new Map();
    for (let place = 0; place < size; place += 1) {
      const index = order[place];
      const call = calls[index];
      const { connection } = call;
      const line = lines.get(connection);
      const isRefused = isTurnedAway(call);
      if (line === undefined || !((call.role ?? 'call') === 'call' || isRefused)) continue;
      let about = known.get(connection);
      if (about === undefined) {
        about = onLine(line);
        known.set(connection, about);
      }
      const { to, edge, protocol, callee, asker } = about;
      this.edge[index] = edge;
      this.protocol[index] = protocol;
      this.connection[index] = connection;
      const question = asked.of(call.verb, call.template);
      this.asked[index] = question;
      this.answer[index] = answers.of(call.status, call.code);
      this.kind[index] = kinds.of(edge, question);
      this.way[index] = ways.of(callee, question);
      this.#setTimes(index, call, zero);
      this.turnedAway[index] = isRefused ? 1 : 0;
      asker.made.push(index);
      // Who turned it away served nothing.
      if (!isRefused) this.#of(to).served.push(index);
    }
    this.over = this.ended.map((at) => Math.min(at, this.length_s));
  }

  /** @returns {Iterable<{ service: string, served: number[], made: number[] }>} */
  containers() {
    return this.#containers.values();
  }

  /** The service that was asked. @param {number} call */
  calleeOf = (call) => this.serviceOf(this.edges[this.edge[call]].to);

  /** @param {string} name  of a container */
  #of(name) {
    const own = this.#containers.get(name) ?? { service: this.serviceOf(name), served: [], made: [] };
    this.#containers.set(name, own);
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
