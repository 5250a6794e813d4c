/**
 * Sums over many of few kinds.
 */

/** @template T @template K @param {T[]} all @param {(one: T) => K} keyOf @returns {Map<K, T[]>} in the order in which each came first */
export function grouped(all, keyOf) {
  /** @type {Map<K, T[]>} */
  const groups = new Map();
  // By numbers: an iterator makes an object for each of hundreds of thousands.
  for (let place = 0; place < all.length; place += 1) {
    const one = all[place];
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
