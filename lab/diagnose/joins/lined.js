/**
 * The record of the wire by its connections: whose each is, and on which each call passed. It is looked up once of a record: to ask by time who
 * had an address takes longer than most of what is then counted.
 *
 * @typedef {import('../../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../../wire/record.js').WireCall} WireCall
 *
 * @typedef {object} Line        a connection, and whose it is
 * @property {import('../../wire/connection-record.js').ConnectionRecord} connection
 * @property {string} from       who asked, by the name of its container
 * @property {string} to
 *
 * @typedef {object} Lined       a call is known by its number, which is its place in the calls
 * @property {WireRecord} wire   as it was recorded
 * @property {Line[]} lines
 * @property {Int32Array} lineAt  of each call, the place of its connection in `lines`; -1 where that is not on record
 */
import { namesOf } from './names.js';

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
