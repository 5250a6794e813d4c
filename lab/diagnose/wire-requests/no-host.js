/**
 * Requests that failed while their service looked for another on the network and nobody had its address: no connection begins then, and ARP
 * alone is seen. All that wait for one address look for it together, so that each is joined by its time.
 *
 * @typedef {import('../../wire/record.js').WireCall} WireCall
 */

import { newCall } from '../../wire/calls.js';
import { namesOf } from '../joins/names.js';

/** A kernel gives up a second after its last question (arp(7): retrans_time), and a program tells it a moment later. */
const GIVES_UP_S = 1.2;
/** Of a call that is on no connection. */
const NO_CONNECTION = -1;

/**
 * @typedef {{ parent: number, call: WireCall, from: string, to: string }} InVain
 * @typedef {{ index: number, at: string }} Failed  a call, and who served it
 */

/**
 * @param {import('../joins/joined.js').Joined} joined
 * @param {() => Failed[]} failed  calls that were not answered well, by whom they asked, and for which no call behind is known that was not
 * @returns {InVain[]}
 */
export function lookedForInVain({ wire, calls }, failed) {
  const nameOf = namesOf(wire.services);
  const rows = wire.networks.flatMap(({ hosts }) =>
    hosts.flatMap(({ source, target, in_vain: inVain = [] }) =>
      inVain.map(([from, to]) => ({ from, to, asker: nameOf(source, from), asked: nameOf(target, from) })),
    ),
  );
  if (rows.length === 0) return [];
  return failed().flatMap(({ index, at }) => {
    const { began_at: began, ended_at: ended } = calls[index];
    if (ended === null) return [];
    const row = rows.find(({ from, to, asker }) => asker === at && began <= to && ended >= from && ended <= to + GIVES_UP_S);
    if (row === undefined) return [];
    const call = { ...newCall(Math.max(began, row.from)), role: /** @type {const} */ ('connect'), verb: 'CONNECT', bad: true };
    return [{ parent: index, call: { ...call, ended_at: ended, connection: NO_CONNECTION }, from: at, to: row.asked }];
  });
}
