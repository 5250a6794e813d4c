/**
 * The calls of a record by who asked whom: of each, from when to when it was waited for, and whether anybody had asked for it.
 *
 * @typedef {import('../joins/joined.js').Joined} Joined
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
 * @property {Edge} edge
 * @property {number[]} calls  as they began
 *
 * @typedef {object} Waited    by the number of a call; times as in the record
 * @property {WireCall[]} calls
 * @property {Float64Array} began
 * @property {Float64Array} over  its asker knew that it was over; endless where that was not seen
 * @property {Float64Array} held  from here on its asker had closed its window, and did not read the rest; endless where it read
 * @property {Uint8Array} isBeside  1: nobody asked for it
 */
import { besideOf } from '../joins/beside.js';
import { Numbering } from '../joins/numbering.js';
import { HOST } from '../wire/tenancy.js';

/** What somebody waits for, and what makes a connection ready for it. */
const ROLES = new Set(['call', 'connect']);

/**
 * @param {Joined} joined
 * @param {Set<string>} [own]  names of the lab's own services that ask others; what it asks from the machine is left out anyway
 * @returns {{ edges: Edge[], waited: Waited }} edges: with at least one connection
 */
export function edgesOf(joined, own = new Set()) {
  const { wire, lines, order } = joined;
  // Attempts to connect are told by their connections.
  const { calls } = wire;
  const size = calls.length;
  const times = () => new Float64Array(size);
  const waited = { calls, began: times(), over: times(), held: times(), isBeside: new Uint8Array(size) };
  const spokenOf = spokenOn(lines, own);
  const asked = [];
  for (let place = 0; place < order.length; place += 1) {
    const index = order[place];
    if (index >= size) continue;
    const call = calls[index];
    const spoken = spokenOf.get(call.connection);
    if (spoken === undefined || !ROLES.has(call.role ?? 'call')) continue;
    waited.began[index] = call.began_at;
    waited.over[index] = overAt(call, spoken.connection);
    waited.held[index] = heldFrom(call, spoken.connection);
    // Most have one: a list that grows from nothing keeps room for many.
    if (spoken.calls.length === 0) spoken.calls = [index];
    else spoken.calls.push(index);
    if (call.role !== 'connect') asked.push(index);
  }
  markBeside(waited, asked, spokenOf);
  return { edges: [...new Set([...spokenOf.values()].map(({ edge }) => edge))], waited };
}

/** @param {Joined['lines']} lines @param {Set<string>} own @returns {Map<number, Spoken>} by the connection's id; nothing was said yet */
function spokenOn(lines, own) {
  /** @type {Map<string, Edge>} */
  const edges = new Map();
  /** @type {Map<number, Spoken>} */
  const spokenOf = new Map();
  for (const [id, { connection, from, to }] of lines) {
    if (from === HOST || own.has(from)) continue;
    const { server_port: port } = connection;
    const key = `${from} ${to} ${port}`;
    const edge = edges.get(key) ?? { from, to, port, connections: [], isRead: true };
    edges.set(key, edge);
    const spoken = { connection, edge, calls: [] };
    edge.connections.push(spoken);
    spokenOf.set(id, spoken);
  }
  for (const edge of edges.values()) edge.isRead = isRead(edge);
  return spokenOf;
}

/** A packet that was lost leaves some bytes unread; TLS leaves all, a websocket most. @param {Edge} edge */
function isRead({ connections }) {
  const bytes = connections.reduce((sum, { connection }) => sum + connection.client_bytes + connection.server_bytes, 0);
  const unread = connections.reduce((sum, { connection }) => sum + connection.hidden_bytes + connection.unknown_bytes, 0);
  return unread <= bytes * UNREAD_MOST;
}
/** Of the bytes of an edge. The lab's choice. */
const UNREAD_MOST = 0.5;

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

/** @param {Waited} waited  is changed @param {number[]} asked  as they began @param {Map<number, Spoken>} spokenOf */
function markBeside({ calls, began, over, isBeside }, asked, spokenOf) {
  if (asked.length === 0) return;
  const zero = began[asked[0]];
  const [begins, worked, kind] = [new Float64Array(calls.length), new Float64Array(calls.length), new Int32Array(calls.length)];
  const [questions, kinds] = [new Numbering(), new Numbering()];
  /** @type {Map<string, { served: number[], made: number[] }>} */
  const services = new Map();
  let length = 0;
  for (let place = 0; place < asked.length; place += 1) {
    const index = asked[place];
    const { by, late_at: late, verb, template, connection } = calls[index];
    const { edge } = /** @type {Spoken} */ (spokenOf.get(connection));
    begins[index] = began[index] - zero;
    // Whoever is given up may be worked for all the same.
    worked[index] = (by === 'client' ? (late ?? Number.POSITIVE_INFINITY) : over[index]) - zero;
    length = Math.max(length, begins[index], over[index] < Number.POSITIVE_INFINITY ? over[index] - zero : 0);
    kind[index] = kinds.of(edge, questions.of(verb, template));
    sidesOf(services, edge.from).made.push(index);
    sidesOf(services, edge.to).served.push(index);
  }
  for (const { served, made } of services.values()) {
    // Whoever serves nobody asks for itself: its calls are requests.
    if (served.length === 0 || made.length === 0) continue;
    const beside = besideOf({ began: begins, worked, kind, length_s: length }, served, made);
    for (const index of made) if (beside.has(kind[index])) isBeside[index] = 1;
  }
}

/** @param {Map<string, { served: number[], made: number[] }>} services @param {string} name */
function sidesOf(services, name) {
  const own = services.get(name) ?? { served: [], made: [] };
  services.set(name, own);
  return own;
}
