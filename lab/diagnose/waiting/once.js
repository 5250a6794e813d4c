/**
 * What every step would find out anew of the same record, found out once.
 *
 * @typedef {import('./seen.js').Seen} Seen
 */

/**
 * @template T
 * @param {(seen: Seen, ...names: string[]) => T} make
 * @returns {(seen: Seen, ...names: string[]) => T} the same, of each record and names only the first time
 */
export function once(make) {
  /** @type {WeakMap<Seen, Map<string, T>>} */
  const records = new WeakMap();
  return (seen, ...names) => {
    const known = records.get(seen) ?? new Map();
    records.set(seen, known);
    const key = JSON.stringify(names);
    if (!known.has(key)) known.set(key, make(seen, ...names));
    return known.get(key);
  };
}
