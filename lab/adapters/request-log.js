/**
 * Reads the log of requests that one of the lab's own programs writes (app/lib/request-log.js), and that the preload writes in the process of
 * a user's.
 *
 * @typedef {import('../diagnose/ledger/requests.js').Attempt} Attempt
 */

/** What the generator names its requests (k6/lib/requests.js). A proxy may give them names of its own, by which nothing is found again. */
const OF_GENERATOR = /^w?\d+-\d+$/;

/**
 * Reads a node's log of requests.
 * @param {string} text
 * @param {string} node
 * @param {{ has: (id: string) => boolean }} wanted  ids whose attempts are kept
 * @returns {{ attempts: Map<string, Attempt[]>, repeated: string[], received: number }} repeated: ids that the node received more than once;
 *   received: requests that it has by an id of the generator's, wanted or not
 */
export function parseRequestLog(text, node, wanted) {
  /** @type {Map<string, Attempt[]>} */
  const attempts = new Map();
  const seen = new Set();
  const repeated = new Set();
  let received = 0;
  let began = 0;
  for (const line of text.split('\n')) {
    const [first, ms, status, error, opener] = line.split(' ');
    if (first[0] === '#') began = Number(first.slice(1));
    // A node that was killed may have left half a line.
    if (ms === undefined || ms === '') continue;
    const id = first.slice(1);
    const t = (began + Number(ms)) / 1000;
    if (first[0] === '+') {
      if (OF_GENERATOR.test(id)) received += 1;
      if (seen.has(id)) repeated.add(id);
      seen.add(id);
    }
    if (wanted.has(id)) note(attempts, { node, sign: first[0], id, t, began: began / 1000, status, error, opener });
  }
  return { attempts, repeated: [...repeated], received };
}

/** @type {(attempts: Map<string, Attempt[]>, entry: { node: string, sign: string, id: string, t: number, began: number, status: string | undefined, error: string | undefined, opener: string | undefined }) => void} began: of the node's life */
function note(attempts, { node, sign, id, t, began, status, error = '', opener }) {
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
  if (opener !== undefined) open.opener = opener;
}
