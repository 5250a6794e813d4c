/**
 * Names of addresses by time: an address that is free again goes to the next.
 *
 * @typedef {import('../../wire/record.js').Tenure} Tenure
 */

import { lookUp } from '../../wire/tenancy.js';

/**
 * @param {Tenure[]} tenures
 * @returns {(address: string, at: number) => string} name of the container that had it then, else that had it first; the address where none had
 */
export function namesOf(tenures) {
  const had = lookUp(tenures);
  return (address, at) => had(address, at)?.name ?? address;
}

/**
 * Services that were asked for on the network while nobody had their address: a dead one is asked for by ARP alone, and no connection
 * begins.
 * @param {import('../../wire/record.js').WireRecord} wire
 * @param {(address: string, at: number) => string} nameOf
 * @param {{ from: number, to: number }} window
 * @returns {{ from: string, to: string, asked: number }[]}
 */
export const askedInVain = ({ networks }, nameOf, window) =>
  networks
    .flatMap(({ hosts }) => hosts)
    .filter(({ asked, answered, first_at: first, last_at: last }) => asked > answered && last >= window.from && first <= window.to)
    .map(({ source, target, asked, answered, first_at: at }) => ({
      from: nameOf(source, at),
      to: nameOf(target, at),
      asked: asked - answered,
    }));
