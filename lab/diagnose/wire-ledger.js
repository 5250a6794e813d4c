/**
 * The ledger's hops and edges with what the wire counted: of services that keep no record of their own, and beside those that do. A count
 * says which record it is from; where two records count the same thing, both stand, and wire-compare.js says where they differ.
 *
 * @typedef {import('../record/result.js').Ledger} Ledger
 * @typedef {import('../record/result.js').Edge} Edge
 * @typedef {import('../record/result.js').EdgeOnWire} EdgeOnWire
 * @typedef {import('../record/result.js').Wire} Wire
 * @typedef {import('../wire/record.js').WireRecord} WireRecord
 */

import { sum } from '../stats/numbers.js';
import { Numbering } from './joins/numbering.js';

export const WIRE_SOURCE = 'calls on the wire';

/**
 * @param {Ledger} ledger
 * @param {Wire | null} wire   of the same run
 * @param {import('./joins/lined.js').Lined | null} lined
 * @param {Pick<import('./ledger/facts.js').Facts, 'databases'>} facts
 * @returns {Ledger} with both; as it is where nothing was recorded
 */
export function withWire(ledger, wire, lined, { databases }) {
  if (wire === null || lined === null) return ledger;
  const ways = waysOnWire(wire);
  const stores = databases.map(({ name }) => name);
  const edges = ledger.edges.map((edge) => edgeWith(edge, ways.get(`${edge.from} ${edge.to}`), stores.includes(edge.to)));
  return {
    ...ledger,
    hops: ledger.hops.map((hop) => hopWith(hop, edges)),
    edges,
    checks: [...ledger.checks, ...recordChecks(lined, edges)],
  };
}

/** @param {Wire} wire @returns {Map<string, EdgeOnWire>} by both names; whatever the port */
function waysOnWire(wire) {
  /** @type {Map<string, EdgeOnWire>} */
  const ways = new Map();
  for (const { from, to, connections, ends, bad, raced, unknown_bytes: unknown, hidden_bytes: hidden } of wire.edges) {
    const key = `${from} ${to}`;
    const way = ways.get(key) ?? {
      calls: 0,
      answered: 0,
      bad: 0,
      given_up: 0,
      broken_off: 0,
      open: 0,
      raced: 0,
      connections: 0,
      refused: 0,
      unread_bytes: 0,
    };
    ways.set(key, way);
    way.calls += sum(Object.values(ends));
    way.answered += ends.answered;
    way.bad += bad;
    way.given_up += ends['given-up'];
    way.broken_off += ends.closed + ends.reset + ends.cut;
    way.open += ends.open;
    way.raced += raced;
    way.connections += connections.opened;
    way.refused += connections.refused + connections.unanswered + connections.closed_unasked;
    way.unread_bytes += unknown + hidden;
  }
  return ways;
}

/** What was said there, and cannot be counted: of another protocol, or behind TLS. @param {EdgeOnWire} way */
const isUnread = ({ calls, unread_bytes: unread }) => calls === 0 && unread > 0;

/** @param {Edge} edge @param {EdgeOnWire | undefined} way @param {boolean} isStore  it is asked, by one that counts requests, several times for each @returns {Edge} */
function edgeWith(edge, way, isStore) {
  // What is not there may have gone another way than over the run's networks.
  if (way === undefined) return { ...edge, wire: null };
  const isCounted = edge.sent !== null || edge.received !== null;
  if (isUnread(way) || (isStore && isCounted)) return { ...edge, wire: way };
  const sent = edge.sent === null ? { sent: way.calls, sent_source: WIRE_SOURCE } : {};
  // On a connection that the callee had closed nothing reaches it.
  const received = edge.received === null ? { received: way.calls - way.raced, received_source: WIRE_SOURCE } : {};
  const isOnlyWires = edge.sent === null && edge.received === null;
  return { ...edge, ...sent, ...received, unseen: isOnlyWires ? way.raced : edge.unseen, wire: way };
}

/** Of a service that counts nothing itself. @param {Ledger['hops'][number]} hop @param {Edge[]} edges @returns {Ledger['hops'][number]} */
function hopWith(hop, edges) {
  const { service, received, answered_ok, answered_error, aborted } = hop;
  const asking = edges.filter(({ to }) => to === service);
  const ways = asking.flatMap(({ wire }) => wire ?? []);
  const isSilent = [received, answered_ok, answered_error, aborted].every((count) => count === null);
  if (!isSilent || ways.length === 0 || ways.length < asking.length || ways.some(isUnread)) return hop;
  const total = (/** @type {(way: EdgeOnWire) => number} */ of) => sum(ways.map(of));
  return {
    ...hop,
    source: WIRE_SOURCE,
    received: total(({ calls, raced }) => calls - raced),
    answered_ok: total(({ answered, bad }) => answered - bad),
    answered_error: total(({ bad }) => bad),
    aborted: total((way) => way.given_up + way.broken_off + way.open - way.raced),
  };
}

/**
 * Whether the record is whole: what a connection counted as it was decoded is there call by call. One that ends early has calls without
 * their connection, or connections without calls.
 * @param {import('./joins/lined.js').Lined} lined @param {Edge[]} edges @returns {Ledger['checks']} of each edge that the wire saw
 */
function recordChecks({ wire: { calls }, lines, lineAt }, edges) {
  const onRecord = new Int32Array(lines.length);
  for (let call = 0; call < calls.length; call += 1) if (lineAt[call] >= 0) onRecord[lineAt[call]] += 1;
  let known = 0;
  /** @type {{ counted: number, told: number }[]} */
  const ways = [];
  const numbers = new Numbering();
  for (let place = 0; place < lines.length; place += 1) {
    const { from, to, connection } = lines[place];
    const number = numbers.of(from, to);
    ways[number] ??= { counted: 0, told: 0 };
    const way = ways[number];
    way.counted += connection.calls;
    way.told += onRecord[place];
    known += onRecord[place];
  }
  const each = edges.flatMap(({ from, to, wire }) => {
    const way = ways[numbers.of(from, to)];
    return wire && way
      ? [equal(`the wire's record has each call that connections from ${from} to ${to} carried`, way.told, way.counted)]
      : [];
  });
  return [...each, equal("each call of the wire's record is of a connection there", known, calls.length)];
}

/** @param {string} statement @param {number} left @param {number} right @returns {Ledger['checks'][number]} */
const equal = (statement, left, right) => ({ statement, left, right, may_differ: 0, holds: left === right });
