import { lookUp } from '../../wire/tenancy.js';
import { Marks } from './exchanges.js';
import { inOrder } from './in-order.js';
import { workedUntil } from './rules.js';
import { isTurnedAway, joinCalls, withTurnedAway } from './turned-away.js';

/** Gives each pair a number, from 0 on. Millions of calls have few of them, and no text is made of each: to make it and look it up takes four times as long. */
export class Numbering {
  /** @type {Map<unknown, Map<unknown, number>>} */
  #known = new Map();
  #count = 0;

  /** @param {unknown} one @param {unknown} other */
  of(one, other) {
    let own = this.#known.get(one);
    if (own === undefined) {
      own = new Map();
      this.#known.set(one, own);
    }
    let number = own.get(other);
    if (number === undefined) {
      number = this.#count++;
      own.set(other, number);
    }
    return number;
  }
}

/** Of each call those that were made for it, as they began. Loops by numbers: an iterator makes an object for each of hundreds of thousands. */
export class Children {
  /** Where those of a call begin in the row of all; those of the next end it. */
  #first;
  #row;

  /** @param {Int32Array} parents  of each call; -1 of none @param {Int32Array} order  of the calls that count, as they began */
  constructor(parents, order) {
    this.#first = new Int32Array(parents.length + 1);
    for (let place = 0; place < order.length; place += 1) if (parents[order[place]] >= 0) this.#first[parents[order[place]] + 1] += 1;
    for (let call = 0; call < parents.length; call += 1) this.#first[call + 1] += this.#first[call];
    this.#row = new Int32Array(this.#first[parents.length]);
    const next = this.#first.slice();
    for (let place = 0; place < order.length; place += 1) {
      const call = order[place];
      if (parents[call] >= 0) this.#row[next[parents[call]]++] = call;
    }
  }

  /** How many. @param {number} call */
  countOf(call) {
    return this.#first[call + 1] - this.#first[call];
  }

  /** One of them. @param {number} call @param {number} place */
  at(call, place) {
    return this.#row[this.#first[call] + place];
  }

  /** @param {number} call @returns {number[]} */
  of(call) {
    const own = [];
    for (let at = this.#first[call]; at < this.#first[call + 1]; at += 1) own.push(this.#row[at]);
    return own;
  }
}

/**
 * Names of addresses by time: an address that is free again goes to the next.
 *
 * @typedef {import('../../wire/record.js').Tenure} Tenure
 */

/**
 * @param {Tenure[]} tenures
 * @returns {(address: string, at: number) => string} name of the container that had it then, else that had it first; the address where none had
 */
export function namesOf(tenures) {
  const had = lookUp(tenures);
  return (address, at) => had(address, at)?.name ?? address;
}

/**
 * Services that were asked for on the network while nobody had their address: a dead one is asked for by ARP alone, and no connection
 * begins.
 * @param {import('../../wire/record.js').WireRecord} wire
 * @param {(address: string, at: number) => string} nameOf
 * @param {{ from: number, to: number }} window
 * @returns {{ from: string, to: string, asked: number }[]}
 */
export const failedLookups = ({ networks }, nameOf, window) =>
  networks
    .flatMap(({ hosts }) => hosts)
    .filter(({ asked, answered, first_at: first, last_at: last }) => asked > answered && last >= window.from && first <= window.to)
    .map(({ source, target, asked, answered, first_at: at }) => ({
      from: nameOf(source, at),
      to: nameOf(target, at),
      asked: asked - answered,
    }));

/**
 * The record of the wire by its connections: whose each is, and on which each call passed. It is looked up once of a record: to ask by time who
 * had an address takes longer than most of what is then counted.
 *
 * @typedef {import('../../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../../wire/record.js').WireCall} WireCall
 *
 * @typedef {object} Line        a connection, and whose it is
 * @property {import('../../wire/connection.js').ConnectionRecord} connection
 * @property {string} from       who asked, by the name of its container
 * @property {string} to
 *
 * @typedef {object} Lined       a call is known by its number, which is its place in the calls
 * @property {WireRecord} wire   as it was recorded
 * @property {Line[]} lines
 * @property {Int32Array} lineAt  of each call, the place of its connection in `lines`; -1 where that is not on record
 */

const NOWHERE = -1;

/**
 * @param {WireRecord} wire
 * @param {WireCall[]} [calls]  the record's, and others of its connections beyond them
 * @returns {Lined}
 */
export function linedOf(wire, calls = wire.calls) {
  const nameOf = namesOf(wire.services);
  const lines = wire.connections.map((connection) => {
    const { client, server, opened_at: at } = connection;
    return { connection, from: nameOf(client, at), to: nameOf(server, at) };
  });
  // By their ids, which the record counts from the first on: in a map to look up each call takes ten times as long.
  /** @type {number[]} */
  const places = [];
  for (let place = 0; place < lines.length; place += 1) places[lines[place].connection.id] = place;
  const lineAt = new Int32Array(calls.length);
  for (let call = 0; call < calls.length; call += 1) lineAt[call] = places[calls[call].connection] ?? NOWHERE;
  return { wire, lines, lineAt };
}

/** Gives each question to each of several a number, from 0 on: those of one are in a row by the numbers of the questions, so that none is looked for. */
export class Asked {
  /** @type {Map<unknown, Row>} */
  #rows = new Map();
  count = 0;

  /** @param {unknown} whom  an edge, or a service */
  on(whom) {
    const row = this.#rows.get(whom) ?? new Row(this);
    this.#rows.set(whom, row);
    return row;
  }
}

class Row {
  #asked;
  /** @type {number[]} */
  #numbers = [];

  /** @param {Asked} asked */
  constructor(asked) {
    this.#asked = asked;
  }

  /** @param {number} question */
  numberOf(question) {
    this.#numbers[question] ??= this.#asked.count++;
    return this.#numbers[question];
  }
}

/*
 * The calls of a record as columns: when each began and was over, on which edge, of which kind; and by service what it served and made.
 */

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
  /** Number of the state in which it left its connection. @type {Int32Array} */
  state;
  /** 1: a set-up that was turned away. @type {Uint8Array} */
  turnedAway;
  /** Id of its connection. @type {Int32Array} */
  connection;
  /** Number of the id that it carries, and of its trace; below `marks`. @type {Int32Array} */
  id;
  /** @type {Int32Array} */
  trace;
  marks = 0;
  /** @type {{ from: string, to: string }[]} */
  edges = [];
  /** From the first call to the last. */
  length_s = 0;
  /** @type {Map<string, { service: string, served: number[], made: number[] }>} by container, in the order of their beginnings */
  #containers = new Map();
  /** @type {(container: string) => string} */
  serviceOf;

  /**
   * @param {Pick<Joined, 'calls' | 'lines' | 'lineAt' | 'began' | 'over' | 'question' | 'order'>} joined
   * @param {(container: string) => string} serviceOf
   */
  constructor({ calls, lines, lineAt, began, over, question, order }, serviceOf) {
    this.calls = calls;
    this.serviceOf = serviceOf;
    const size = calls.length;
    [this.began, this.ended, this.worked] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
    [this.edge, this.kind, this.protocol] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
    [this.answer, this.connection, this.state] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
    [this.id, this.trace] = [new Int32Array(size), new Int32Array(size)];
    this.asked = question;
    this.turnedAway = new Uint8Array(size);
    this.way = new Int32Array(size);
    const [edges, protocols, answers, states] = Array.from({ length: 4 }, () => new Numbering());
    const [kinds, ways, marks] = [new Asked(), new Asked(), new Marks()];
    const zero = size === 0 ? 0 : began[order[0]];
    const onLine = (/** @type {Line} */ { connection, from, to }) => {
      const edge = edges.of(from, to);
      if (edge === this.edges.length) this.edges.push({ from, to });
      const served = /** @type {number[] | null} */ (null);
      const numbers = { protocol: protocols.of(connection.protocol, null), kinds: kinds.on(edge), ways: ways.on(serviceOf(to)) };
      return { to, edge, ...numbers, made: this.#of(from).made, served };
    };
    /** What all calls of an edge and protocol have in common: of each connection, there may be as many as calls. */
    const likeAt = likeness(lines);
    /** @type {ReturnType<typeof onLine>[]} */
    const known = [];
    for (let place = 0; place < size; place += 1) {
      const index = order[place];
      const call = calls[index];
      const at = lineAt[index];
      const { role = 'call' } = call;
      const isRefused = role === 'connect' && isTurnedAway(call);
      if (at < 0 || (role !== 'call' && !isRefused)) continue;
      known[likeAt[at]] ??= onLine(lines[at]);
      const about = known[likeAt[at]];
      const { edge, protocol, made } = about;
      this.edge[index] = edge;
      this.protocol[index] = protocol;
      this.connection[index] = lines[at].connection.id;
      this.id[index] = marks.of(call.id);
      this.trace[index] = marks.of(call.trace);
      this.answer[index] = answers.of(call.status, call.code);
      this.state[index] = states.of(call.state, null);
      this.kind[index] = about.kinds.numberOf(question[index]);
      this.way[index] = about.ways.numberOf(question[index]);
      this.began[index] = began[index] - zero;
      this.ended[index] = over[index] - zero;
      this.worked[index] = workedUntil(call, over[index]) - zero;
      this.length_s = Math.max(this.length_s, this.began[index], over[index] === Number.POSITIVE_INFINITY ? 0 : this.ended[index]);
      this.turnedAway[index] = isRefused ? 1 : 0;
      made.push(index);
      // Who turned it away served nothing.
      if (isRefused) continue;
      about.served ??= this.#of(about.to).served;
      about.served.push(index);
    }
    this.marks = marks.size;
    this.over = new Float64Array(size);
    for (let index = 0; index < size; index += 1) this.over[index] = Math.min(this.ended[index], this.length_s);
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
}

/** @param {Line[]} lines @returns {Int32Array} of each line a number: the same of those between the same two in the same protocol */
function likeness(lines) {
  const [pairs, numbers] = [new Numbering(), new Numbering()];
  return Int32Array.from(lines, ({ from, to, connection }) => numbers.of(pairs.of(from, to), connection.protocol));
}

/**
 * The record of the wire, joined: whose connections they are, the calls with those of connections that were turned away, the order in which
 * they began, and which was made for which. It is made once of a record, and whoever reads single calls reads it.
 *
 *
 *
 * @typedef {Lined & Known} Joined
 * @typedef {object} Known
 * @property {WireCall[]} calls  the record's, and beyond them one of each connection that was turned away and has none
 * @property {(call: number) => Line | undefined} lineOf
 * @property {Float64Array} began  of each call
 * @property {Float64Array} over  its asker knew that it was over; of an answer whose end was not seen, what was; endless where it was open
 * @property {Int32Array} question  number of its verb and template
 * @property {Int32Array} order  all calls as they began
 * @property {import('./turned-away.js').Joins} joins
 * @property {Children} children
 */

/**
 * @param {WireRecord} wire
 * @param {{ steps: number }} [work]  counts what the joins looked at, for tests
 * @returns {Joined}
 */
export function joinedOf(wire, work) {
  const calls = withTurnedAway(wire);
  const { lines, lineAt } = linedOf(wire, calls);
  const columns = { lineAt, ...columnsOf(calls) };
  const order = inOrder(numbersTo(calls.length), columns.began);
  const services = new Map(wire.services.map(({ name, service }) => [name, service]));
  const joins = joinCalls(new Spans({ calls, lines, ...columns, order }, (name) => services.get(name) ?? name), work);
  const lineOf = (/** @type {number} */ call) => (lineAt[call] >= 0 ? lines[lineAt[call]] : undefined);
  return { wire, calls, lines, lineOf, ...columns, order, joins, children: new Children(joins.parent, order) };
}

/** What all readers ask of each call, looked up once. @param {WireCall[]} calls */
function columnsOf(calls) {
  const size = calls.length;
  const [began, over, question] = [new Float64Array(size), new Float64Array(size), new Int32Array(size)];
  const questions = new Numbering();
  for (let index = 0; index < size; index += 1) {
    const { began_at: at, ended_at: ended, end, first_at: first, verb, template } = calls[index];
    began[index] = at;
    over[index] = ended ?? (end === 'answered' ? first : null) ?? Number.POSITIVE_INFINITY;
    question[index] = questions.of(verb, template);
  }
  return { began, over, question };
}

/** @param {number} size @returns {Int32Array} from 0 on */
function numbersTo(size) {
  const numbers = new Int32Array(size);
  for (let number = 0; number < size; number += 1) numbers[number] = number;
  return numbers;
}
