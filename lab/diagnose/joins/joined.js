/**
 * The record of the wire, joined: whose connections they are, the calls with those of connections that were turned away, the order in which
 * they began, and which was made for which. It is made once of a record, and whoever reads single calls reads it.
 *
 * @typedef {import('../../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../../wire/record.js').WireCall} WireCall
 *
 * @typedef {import('./lined.js').Line} Line
 *
 * @typedef {import('./lined.js').Lined & Known} Joined
 * @typedef {object} Known
 * @property {WireCall[]} calls  the record's, and beyond them one of each connection that was turned away and has none
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
import { linedOf } from './lined.js';
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
