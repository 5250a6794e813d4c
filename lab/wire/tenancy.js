/**
 * Which container had an address at a time: one that is free again goes to the next.
 *
 * @typedef {import('./record.js').Tenure} Tenure
 */

/** As the capture calls the machine's own address on a network. */
export const HOST = 'host';
/** The engine tells of a start a moment after the program has begun. */
const TOLD_LATE_S = 1;

/**
 * @param {Tenure[]} tenures
 * @returns {(address: string, at: number) => Tenure | null} who had it then, else had it first; null where it is none of the stack
 */
export function lookUp(tenures) {
  /** @type {Map<string, Tenure[]>} */
  const byAddress = new Map();
  for (const tenure of tenures.toSorted((one, other) => one.from - other.from))
    byAddress.set(tenure.address, [...(byAddress.get(tenure.address) ?? []), tenure]);
  return (address, at) => {
    const had = byAddress.get(address);
    return had === undefined ? null : (had.findLast(({ from }) => from <= at + TOLD_LATE_S) ?? had[0]);
  };
}
