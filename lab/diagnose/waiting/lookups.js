/**
 * Lookups of names on the wire, as whoever asked had them, and the names of hosts outside of the stack.
 *
 * What a container asks its engine's own resolver for never leaves its network namespace; on record is what that resolver asks others for, from
 * the container's address: names of services are answered within and are not on record, all others are.
 *
 * @typedef {import('../../wire/record.js').WireRecord} WireRecord
 * @typedef {import('../../wire/record.js').WireCall} WireCall
 * @typedef {import('../../wire/connection-record.js').ConnectionRecord} ConnectionRecord
 */
import { newCall } from '../../wire/calls.js';
import { lookupsIn, NAMES, namesLookedUp } from '../../wire/looked-up.js';
import { HOST, lookUp } from '../../wire/tenancy.js';

/**
 * So long Docker's resolver waits for an answer before it asks the next server (extIOTimeout in libnetwork's resolver.go); programs that ask by
 * themselves wait for 5 s, or ask again.
 */
const WAITED_S = 4;

/**
 * A question in a datagram has no end where no answer came: whoever asked it gave it up a while after it was sent, the last time.
 * @param {WireRecord} wire
 * @returns {WireCall[]}
 */
export function withLookupsEnded({ connections, calls }) {
  const last = new Map(connections.filter(({ protocol }) => protocol === NAMES).map(({ id, last_at: at }) => [id, at ?? 0]));
  if (last.size === 0) return calls;
  return calls.map((call) => {
    const at = call.end === 'open' ? last.get(call.connection) : undefined;
    if (at === undefined) return call;
    const { began_at: began, verb, template, connection } = call;
    const over = Math.max(at, began) + WAITED_S;
    const given = { end: /** @type {const} */ ('given-up'), by: /** @type {const} */ ('client'), ended_at: over };
    return { ...newCall(began), verb, template, connection, ...given };
  });
}

/**
 * @param {WireRecord} wire
 * @returns {{ nameOf: (connection: ConnectionRecord) => string, isOutside: (connection: ConnectionRecord) => boolean }} nameOf: of whom it
 *   leads to; of a host outside the name that was looked up for its address, else the address, as of whom names are asked of
 */
export function serversOf(wire) {
  const tenantAt = lookUp(wire.services);
  const nameOf = namesLookedUp(lookupsIn(wire));
  return {
    nameOf: ({ client, server, opened_at: at, protocol }) =>
      tenantAt(server, at)?.name ?? ((protocol === NAMES ? '' : nameOf(client, server, at)) || server),
    // A record that names nobody tells nothing of who is outside.
    isOutside: ({ server, opened_at: at }) => wire.services.length > 0 && (tenantAt(server, at)?.service ?? HOST) === HOST,
  };
}
