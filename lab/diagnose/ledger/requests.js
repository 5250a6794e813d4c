/**
 * Each failed request with all that is recorded of it: k6's own account, the proxy's record, what the nodes logged. Joined
 * by the id that the request carries, so that a failure can be placed by where it was last seen.
 *
 * @typedef {object} Failed      k6's own account of a failed request
 * @property {string} id
 * @property {number} t          its end, seconds since 1970
 * @property {number} waited_s
 * @property {number} status     0: no HTTP answer
 * @property {number} code       of k6's error
 * @property {string} kind       what k6's error text says; `status` where there was an answer
 *
 * @typedef {object} Attempt     what a node logged of a request that it received
 * @property {string} node
 * @property {number} received   seconds since 1970
 * @property {number | null} ended  null: its log ends first
 * @property {'answered' | 'broken' | 'open'} outcome  broken: closed without an answer
 * @property {number | null} status
 * @property {string} error      name, of an answer with an error
 * @property {string} [opener]    id of the request whose failure made the node refuse this one, of a refusal that says so
 * @property {string} place      where it was when it was broken: app, pool or database
 *
 * @typedef {Failed & Followed} Trace
 *
 * @typedef {object} Followed
 * @property {import('./front.js').Sighting | null} seen  by the proxy that users talk to
 * @property {import('../../adapters/contract.js').Asked[]} asked  by it, in their order
 * @property {import('../../adapters/contract.js').Message[]} own  what it said of the request as a whole
 * @property {Attempt[]} attempts  of nodes
 * @property {Attempt[]} late      what nodes read only after the user had stopped waiting
 */

/**
 * @param {{ failures: Failed[], attempts: Map<string, Attempt[]> }} raw
 * @param {import('./front.js').Front | null} front
 * @returns {Trace[]} in the order of their ends
 */
export function tracesOf({ failures, attempts }, front) {
  const wanted = new Set(failures.map(({ id }) => id));
  const sightings = new Map((front?.sightings ?? []).filter(({ id }) => wanted.has(id)).map((seen) => [seen.id, seen]));
  return failures
    .map((failed) => {
      const all = attempts.get(failed.id) ?? [];
      // What was answered was read before, whatever the node's clock says.
      const inTime = (/** @type {Attempt} */ { received, status }) => received <= failed.t || (status !== null && status === failed.status);
      const seen = sightings.get(failed.id) ?? null;
      return {
        ...failed,
        seen,
        asked: seen?.asked ?? [],
        own: seen?.own ?? [],
        attempts: all.filter(inTime),
        late: all.filter((attempt) => !inTime(attempt)),
      };
    })
    .sort((one, other) => one.t - other.t);
}
