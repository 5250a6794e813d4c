/**
 * Names of addresses by time: an address that is free again goes to the next.
 *
 * @typedef {import('../wire/record.js').Tenure} Tenure
 */

/** The engine tells of a start a moment after the program has begun. */
const TOLD_LATE_S = 1;

/**
 * @param {Tenure[]} tenures
 * @returns {(address: string, at: number) => string} name of the container that had it then, else that had it last; the address where none had
 */
export function namesOf(tenures) {
  /** @type {Map<string, Tenure[]>} */
  const byAddress = new Map();
  for (const tenure of tenures.toSorted((one, other) => one.from - other.from)) {
    byAddress.set(tenure.address, [...(byAddress.get(tenure.address) ?? []), tenure]);
  }
  return (address, at) => {
    const had = byAddress.get(address);
    if (had === undefined) return address;
    return (had.findLast(({ from }) => from <= at + TOLD_LATE_S) ?? had[0]).name;
  };
}

/**
 * Services that were asked for on the network while nobody had their address: a dead one is asked for by ARP alone, and no connection
 * begins.
 * @param {import('../wire/record.js').WireRecord} wire
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
