/**
 * Sums over many of few kinds.
 */

/** @template T @template K @param {Iterable<T>} all @param {(one: T) => K} keyOf @returns {Map<K, T[]>} in the order in which each came first */
export function grouped(all, keyOf) {
  /** @type {Map<K, T[]>} */
  const groups = new Map();
  for (const one of all) {
    const key = keyOf(one);
    const own = groups.get(key);
    if (own) own.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

/** @template T @param {T[]} all @param {number} most @returns {T[]} evenly spaced */
export function some(all, most) {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)]);
}
