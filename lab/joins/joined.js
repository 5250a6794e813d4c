/**
 * The record of the wire, joined: whose connections they are, the calls with those of connections that were turned away, the order in which
 * they began, and which was made for which. It is made once of a record, and whoever reads single calls reads it.
 *
 * @typedef {import('../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../wire/record.js').WireCall} WireCall
 *
 * @typedef {object} Line        a connection, and whose it is
 * @property {import('../wire/connection-record.js').ConnectionRecord} connection
 * @property {string} from       who asked, by the name of its container
 * @property {string} to
 *
 * @typedef {object} Joined      a call is known by its number, which is its place in `calls`
 * @property {WireRecord} wire   as it was recorded
 * @property {WireCall[]} calls  the record's, and beyond them one of each connection that was turned away and has none
 * @property {Line[]} lines
 * @property {Int32Array} lineAt  of each call, the place of its connection in `lines`; -1 where that is not on record
 * @property {(call: number) => Line | undefined} lineOf
 * @property {Float64Array} began  of each call
 * @property {Float64Array} over  its asker knew that it was over; of an answer whose end was not seen, what was; endless where it was open
 * @property {Int32Array} question  number of its verb and template
 * @property {Int32Array} order  all calls as they began
 * @property {import('./join-calls.js').Joins} joins
 * @property {Children} children
 */
import { Children } from './children.js';
import { inOrder } from './in-order.js';
import { joinCalls } from './join-calls.js';
import { namesOf } from './names.js';
import { Numbering } from './numbering.js';
import { Spans } from './spans.js';
import { withTurnedAway } from './turned-away.js';

/**
 * @param {WireRecord} wire
 * @param {{ steps: number }} [work]  counts what the joins looked at, for tests
 * @returns {Joined}
 */
export function joinedOf(wire, work) {
  const calls = withTurnedAway(wire);
  const lines = linesOf(wire);
  const columns = columnsOf(calls, lines);
  const order = inOrder(numbersTo(calls.length), columns.began);
  const services = new Map(wire.services.map(({ name, service }) => [name, service]));
  const joins = joinCalls(new Spans({ calls, lines, ...columns, order }, (name) => services.get(name) ?? name), work);
  const lineOf = (/** @type {number} */ call) => (columns.lineAt[call] >= 0 ? lines[columns.lineAt[call]] : undefined);
  return { wire, calls, lines, lineOf, ...columns, order, joins, children: new Children(joins.parent, order) };
}

/** What all readers ask of each call, looked up once. @param {WireCall[]} calls @param {Line[]} lines */
function columnsOf(calls, lines) {
  const places = new Map(lines.map(({ connection }, place) => [connection.id, place]));
  const size = calls.length;
  const [began, over] = [new Float64Array(size), new Float64Array(size)];
  const [lineAt, question] = [new Int32Array(size), new Int32Array(size)];
  const questions = new Numbering();
  for (let index = 0; index < size; index += 1) {
    const { connection, began_at: at, ended_at: ended, end, first_at: first, verb, template } = calls[index];
    began[index] = at;
    over[index] = ended ?? (end === 'answered' ? first : null) ?? Number.POSITIVE_INFINITY;
    lineAt[index] = places.get(connection) ?? NOWHERE;
    question[index] = questions.of(verb, template);
  }
  return { began, over, lineAt, question };
}
const NOWHERE = -1;

/** @param {number} size @returns {Int32Array} from 0 on */
function numbersTo(size) {
  const numbers = new Int32Array(size);
  for (let number = 0; number < size; number += 1) numbers[number] = number;
  return numbers;
}

/** @param {WireRecord} wire @returns {Line[]} */
function linesOf({ connections, services }) {
  const nameOf = namesOf(services);
  return connections.map((connection) => {
    const { client, server, opened_at: at } = connection;
    return { connection, from: nameOf(client, at), to: nameOf(server, at) };
  });
}
