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

/**
 * What a record has itself: a service may have a name that every object has, such as `constructor`.
 * @template T
 * @param {Record<string, T>} record
 * @param {string} name
 * @returns {T | undefined}
 */
export const ownOf = (record, name) => (Object.hasOwn(record, name) ? record[name] : undefined);

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

/**
 * A record of JSON lines.
 * @param {string} text  the last line may be cut when its writer was killed
 * @param {string} name for the error
 * @returns {any[]}
 * @throws {Error} when another line is no JSON
 */
export function parseLines(text, name) {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line, index) => {
    try {
      return [JSON.parse(line)];
    } catch {
      if (index === lines.length - 1) return [];
      throw new Error(`${name}, line ${index + 1}: expected JSON, found ${line.slice(0, 80)}`);
    }
  });
}

/**
 * Of a line, what stands before the words of another program, in quotes, as who ran it hands them on: `said into stderr: "…"`, `sent in stderr: "…"`,
 * `Got error '…'`.
 */
export const HANDED_ON = /\b(?:in|into) std(?:err|out): $|\bGot error $/;

/** What the system calls its errors (strerror of glibc). */
export const OF_SYSTEM =
  /^(?:Connection (?:refused|reset by peer|timed out)|No route to host|Network is unreachable|Broken pipe|Too many open files|Cannot (?:allocate memory|assign requested address)|No space left on device|Resource temporarily unavailable|Operation timed out)$/i;
