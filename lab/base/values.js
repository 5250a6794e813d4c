/**
 * What is made of values in every room.
 */

/** @param {string} text @returns {any} null for what is no JSON: half a line, or one of another program's */
export function jsonIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

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
