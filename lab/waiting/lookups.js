/**
 * Lookups of names on the wire, as whoever asked had them, and the names of hosts outside of the stack.
 *
 * What a container asks its engine's own resolver for never leaves its network namespace; on record is what that resolver asks others for, from
 * the container's address: names of services are answered within and are not on record, all others are.
 *
 * @typedef {import('../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../wire/record.js').WireCall} WireCall
 * @typedef {import('../wire/connection-record.js').ConnectionRecord} ConnectionRecord
 */
import { lookupsIn, NAMES, namesLookedUp } from '../wire/looked-up.js';
import { HOST, lookUp } from '../wire/tenancy.js';

/**
 * Nobody waits longer for a question that stays unanswered: Docker's resolver asks the next server then (extIOTimeout in libnetwork's
 * resolver.go); programs that ask by themselves wait for 5 s or ask again.
 */
const WAITED_S = 4;

/**
 * A question in a datagram has no end where no answer came: whoever asked it gave it up when it asked again, else after a while.
 * @param {WireRecord} wire
 * @returns {WireCall[]}
 */
export function withLookupsEnded({ connections, calls }) {
  const lines = new Map(connections.filter(({ protocol }) => protocol === NAMES).map((connection) => [connection.id, connection]));
  if (lines.size === 0) return calls;
  /** When each was asked for the next time, from the last on. @type {Map<string, number>} */
  const next = new Map();
  /** @type {Map<WireCall, number>} */
  const ends = new Map();
  const asked = calls.filter(({ connection }) => lines.has(connection)).toSorted((one, other) => other.began_at - one.began_at);
  for (const call of asked) {
    const { client, last_at: last } = /** @type {ConnectionRecord} */ (lines.get(call.connection));
    const key = `${client} ${call.verb} ${call.template}`;
    if (call.end === 'open') ends.set(call, Math.min(Math.max(last ?? 0, call.began_at) + WAITED_S, next.get(key) ?? Infinity));
    next.set(key, call.began_at);
  }
  return calls.map((call) => {
    const end = ends.get(call);
    return end === undefined
      ? call
      : { ...call, end: /** @type {const} */ ('given-up'), by: /** @type {const} */ ('client'), ended_at: end };
  });
}

/**
 * @param {WireRecord} wire
 * @returns {{ nameOf: (connection: ConnectionRecord) => string, isOutside: (connection: ConnectionRecord) => boolean }} nameOf: of whom it
 *   leads to; of a host outside the name that was looked up for its address, else the address
 */
export function serversOf(wire) {
  const tenantAt = lookUp(wire.services);
  const nameOf = namesLookedUp(lookupsIn(wire));
  return {
    nameOf: ({ client, server, opened_at: at }) => tenantAt(server, at)?.name ?? (nameOf(client, server, at) || server),
    // A record that names nobody tells nothing of who is outside.
    isOutside: ({ server, opened_at: at }) => wire.services.length > 0 && (tenantAt(server, at)?.service ?? HOST) === HOST,
  };
}
