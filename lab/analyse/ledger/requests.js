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
      const inTime = (/** @type {Attempt} */ { received }) => received <= failed.t;
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

/**
 * Reads a node's log of requests.
 * @param {string} text
 * @param {string} node
 * @param {{ has: (id: string) => boolean }} wanted  ids whose attempts are kept
 * @returns {{ attempts: Map<string, Attempt[]>, repeated: string[] }} repeated: ids that the node received more than once
 */
export function parseRequestLog(text, node, wanted) {
  /** @type {Map<string, Attempt[]>} */
  const attempts = new Map();
  const seen = new Set();
  const repeated = new Set();
  let began = 0;
  for (const line of text.split('\n')) {
    const [first, ms, status, error] = line.split(' ');
    if (first[0] === '#') began = Number(first.slice(1));
    // A node that was killed may have left half a line.
    if (ms === undefined || ms === '') continue;
    const id = first.slice(1);
    const t = (began + Number(ms)) / 1000;
    if (first[0] === '+') {
      if (seen.has(id)) repeated.add(id);
      seen.add(id);
    }
    if (wanted.has(id)) note(attempts, { node, sign: first[0], id, t, began: began / 1000, status, error });
  }
  return { attempts, repeated: [...repeated] };
}

/** @type {(attempts: Map<string, Attempt[]>, entry: { node: string, sign: string, id: string, t: number, began: number, status: string | undefined, error: string | undefined }) => void} began: of the node's life */
function note(attempts, { node, sign, id, t, began, status, error = '' }) {
  const own = attempts.get(id) ?? [];
  attempts.set(id, own);
  if (sign === '+') {
    own.push({ node, received: t, ended: null, outcome: 'open', status: null, error: '', place: '' });
    return;
  }
  // What an earlier life left open was never ended.
  const open = own.find((attempt) => attempt.outcome === 'open' && attempt.received >= began);
  if (!open) return;
  open.ended = t;
  if (sign === '-') Object.assign(open, { outcome: 'answered', status: Number(status), error });
  else Object.assign(open, { outcome: 'broken', place: status ?? '' });
}
