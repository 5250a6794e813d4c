/**
 * The calls of a record by who asked whom: of each, from when to when it was waited for, and whether anybody had asked for it.
 *
 * @typedef {import('../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../wire/record.js').WireCall} WireCall
 * @typedef {import('../wire/connection-record.js').ConnectionRecord} ConnectionRecord
 *
 * @typedef {object} Edge
 * @property {string} from
 * @property {string} to
 * @property {number} port
 * @property {Spoken[]} connections
 * @property {boolean} isRead  whether most of what was said on it could be read
 *
 * @typedef {object} Spoken    a connection, with what was said on it
 * @property {ConnectionRecord} connection
 * @property {Waited[]} calls  in the order of their beginnings
 *
 * @typedef {object} Waited    a call; times as in the record
 * @property {WireCall} call
 * @property {number} over     its asker knew that it was over; endless where that was not seen
 * @property {number} held     from here on its asker had closed its window, and did not read the rest; endless where it read
 * @property {boolean} isBeside  nobody asked for it
 */

import { besideOf } from '../joins/beside.js';
import { HOST } from '../wire/tenancy.js';

/** What somebody waits for, and what makes a connection ready for it. */
const ROLES = new Set(['call', 'connect']);

/**
 * @param {WireRecord} wire
 * @param {(address: string, at: number) => string} nameOf
 * @param {Set<string>} [own]  names of the lab's own services that ask others; what it asks from the machine is left out anyway
 * @returns {Edge[]} with at least one connection
 */
export function edgesOf({ connections, calls }, nameOf, own = new Set()) {
  /** @type {Map<string, Edge>} */
  const edges = new Map();
  /** @type {Map<number, { edge: Edge, spoken: Spoken }>} */
  const byId = new Map();
  for (const connection of connections) {
    const { id, client, server, server_port: port, opened_at: at } = connection;
    const [from, to] = [nameOf(client, at), nameOf(server, at)];
    if (from === HOST || own.has(from)) continue;
    const key = `${from} ${to} ${port}`;
    const edge = edges.get(key) ?? { from, to, port, connections: [], isRead: true };
    edges.set(key, edge);
    const spoken = { connection, calls: [] };
    edge.connections.push(spoken);
    byId.set(id, { edge, spoken });
  }
  /** @type {Waited[]} */
  const all = [];
  /** @type {Edge[]} */
  const edgeOf = [];
  for (const call of calls) {
    const found = byId.get(call.connection);
    if (found === undefined || !ROLES.has(call.role ?? 'call')) continue;
    const waited = waitedOf(call, found.spoken.connection);
    found.spoken.calls.push(waited);
    if (call.role === 'connect') continue;
    all.push(waited);
    edgeOf.push(found.edge);
  }
  for (const edge of edges.values()) edge.isRead = isRead(edge);
  for (const { spoken } of byId.values()) spoken.calls.sort((one, other) => one.call.began_at - other.call.began_at);
  markBeside(all, edgeOf);
  return [...edges.values()];
}

/** A packet that was lost leaves some bytes unread; TLS leaves all, a websocket most. @param {Edge} edge */
function isRead({ connections }) {
  const bytes = connections.reduce((sum, { connection }) => sum + connection.client_bytes + connection.server_bytes, 0);
  const unread = connections.reduce((sum, { connection }) => sum + connection.hidden_bytes + connection.unknown_bytes, 0);
  return unread <= bytes * UNREAD_MOST;
}
/** Of the bytes of an edge. The lab's choice. */
const UNREAD_MOST = 0.5;

/** @param {WireCall} call @param {ConnectionRecord} connection @returns {Waited} */
const waitedOf = (call, connection) => ({ call, over: overAt(call, connection), held: heldFrom(call, connection), isBeside: false });

/** @param {WireCall} call @param {ConnectionRecord} connection */
function overAt({ ended_at: ended, first_at: first, began_at: began, end, hole }, connection) {
  if (ended !== null) return ended;
  if (end === 'answered') return first ?? began;
  // Its end was not seen, though its connection went on: nothing is known of it.
  if (hole) return first ?? began;
  return connection.ended_at ?? Number.POSITIVE_INFINITY;
}

/**
 * From when on its asker took no more of an answer that had begun. The server then asks it again and again whether it does (RFC 9293, 3.8.6.1),
 * so that the record has the first and the last time that it said so.
 * @param {WireCall} call @param {ConnectionRecord} connection
 */
function heldFrom({ first_at: first, ended_at: ended }, { closed_window: windows }) {
  const closed = windows?.client ?? null;
  if (closed === null || first === null) return Number.POSITIVE_INFINITY;
  const isIn = (/** @type {number} */ at) => at >= first && at <= (ended ?? Number.POSITIVE_INFINITY);
  return isIn(closed.first_at) || isIn(closed.last_at) ? Math.max(first, closed.first_at) : Number.POSITIVE_INFINITY;
}

/** @param {Waited[]} all @param {Edge[]} edgeOf  of each */
function markBeside(all, edgeOf) {
  const zero = all.reduce((least, { call }) => Math.min(least, call.began_at), Number.POSITIVE_INFINITY);
  const began = Float64Array.from(all, ({ call }) => call.began_at - zero);
  // Whoever is given up may be worked for all the same.
  const worked = Float64Array.from(all, ({ call, over }) =>
    call.by === 'client' ? (call.late_at ?? Number.POSITIVE_INFINITY) - zero : over - zero,
  );
  let length = 0;
  for (const [index, { over }] of all.entries()) length = Math.max(length, began[index], over < Number.POSITIVE_INFINITY ? over - zero : 0);
  const kind = kindsOf(all, edgeOf);
  /** @type {Map<string, { served: number[], made: number[] }>} */
  const services = new Map();
  const of = (/** @type {string} */ name) => {
    const own = services.get(name) ?? { served: [], made: [] };
    services.set(name, own);
    return own;
  };
  for (const index of Uint32Array.from(all.keys()).sort((one, other) => began[one] - began[other])) {
    of(edgeOf[index].from).made.push(index);
    of(edgeOf[index].to).served.push(index);
  }
  for (const { served, made } of services.values()) {
    // Whoever serves nobody asks for itself: its calls are requests.
    if (served.length === 0 || made.length === 0) continue;
    const beside = besideOf({ began, worked, kind, length_s: length }, served, made);
    for (const index of made) if (beside.has(kind[index])) all[index].isBeside = true;
  }
}

/** Of each call the number of its edge, verb and template. @param {Waited[]} all @param {Edge[]} edgeOf */
function kindsOf(all, edgeOf) {
  /** @type {Map<Edge, Map<string, Map<string, number>>>} */
  const numbers = new Map();
  let kinds = 0;
  return Int32Array.from(all, ({ call: { verb, template } }, index) => {
    const templates = valueIn(numbers, edgeOf[index], () => new Map());
    const verbs = valueIn(templates, template, () => new Map());
    return valueIn(verbs, verb, () => kinds++);
  });
}

/** @template K, V @param {Map<K, V>} map @param {K} key @param {() => V} make @returns {V} */
function valueIn(map, key, make) {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
