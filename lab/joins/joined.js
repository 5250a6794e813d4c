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
 * @property {Map<number, Line>} lines  by the connection's id
 * @property {Int32Array} order  all calls as they began
 * @property {import('./join-calls.js').Joins} joins
 * @property {Children} children
 */
import { Children } from './children.js';
import { joinCalls } from './join-calls.js';
import { namesOf } from './names.js';
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
  const order = orderOf(calls);
  const services = new Map(wire.services.map(({ name, service }) => [name, service]));
  const joins = joinCalls(new Spans(calls, lines, order, (name) => services.get(name) ?? name), work);
  return { wire, calls, lines, order, joins, children: new Children(joins.parent, order) };
}

/** By loops, columns and whole numbers: to iterate, and to look into each call, takes several times as long. @param {WireCall[]} calls @returns {Int32Array} as they began */
function orderOf(calls) {
  const [began, order] = [new Float64Array(calls.length), new Int32Array(calls.length)];
  for (let index = 0; index < calls.length; index += 1) [began[index], order[index]] = [calls[index].began_at, index];
  return order.sort((one, other) => (began[one] < began[other] ? -1 : began[one] > began[other] ? 1 : one - other));
}

/** @param {WireRecord} wire @returns {Map<number, Line>} */
function linesOf({ connections, services }) {
  const nameOf = namesOf(services);
  return new Map(
    connections.map((connection) => {
      const { id, client, server, opened_at: at } = connection;
      return [id, { connection, from: nameOf(client, at), to: nameOf(server, at) }];
    }),
  );
}
