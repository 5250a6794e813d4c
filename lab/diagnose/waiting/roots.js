/**
 * Which requests of the load a walk is about at each of its steps, so that each failed request is at one place in the end.
 *
 * @typedef {object} Parted
 * @property {number[]} roots     requests of the load, by the numbers of their calls to the entry
 * @property {Map<number, number>} rootOf  of the failed calls of a service, as far as it is known, the request that each was made for
 * @property {Set<number>} loose  requests of which nothing is known on the way: they went along with the others
 *
 * @typedef {[request: number, call: number][]} Pairs  a failed call of a service, and the call that it failed by
 */

/** @param {Map<number, number>} last @param {number[]} calls @returns {Pairs} */
export function pairsOf(last, calls) {
  const own = new Set(calls);
  return [...last].filter(([, call]) => own.has(call));
}

/** @param {number} request @returns {[number, number]} */
export const alone = (request) => [request, request];

/**
 * Requests of the load, by the way that each goes on. Those that no call is known of go along, as many to each way as its calls are.
 * @param {Parted} at @param {Pairs[]} ways @returns {Parted[]}
 */
export function partedRoots({ roots, rootOf, loose }, ways) {
  /** @type {Set<number>} */
  const taken = new Set();
  const parted = ways.map((pairs) => {
    /** @type {Parted} */
    const own = { roots: [], rootOf: new Map(), loose: new Set() };
    for (const [request, call] of pairs) {
      const root = rootOf.get(request);
      if (root === undefined) continue;
      own.rootOf.set(call, root);
      if (taken.has(root)) continue;
      taken.add(root);
      own.roots.push(root);
      if (loose.has(root)) own.loose.add(root);
    }
    return own;
  });
  const left = roots.filter((root) => !taken.has(root));
  const counts = parts(
    left.length,
    ways.map(({ length }) => length),
  );
  // Where nothing was lost on the way here and there is one way alone, they can only have gone that one.
  const isKnown = ways.length === 1 && rootOf.size === 0;
  let next = 0;
  for (const [index, own] of parted.entries()) {
    const along = left.slice(next, next + counts[index]);
    next += counts[index];
    for (const root of along) {
      own.roots.push(root);
      if (!isKnown || loose.has(root)) own.loose.add(root);
    }
  }
  return parted;
}

/** Whole numbers that sum up to it. @param {number} whole @param {number[]} weights */
function parts(whole, weights) {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let [done, given] = [0, 0];
  return weights.map((weight) => {
    done += weight;
    const own = Math.round((whole * done) / all) - given;
    given += own;
    return own;
  });
}
