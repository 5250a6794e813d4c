/**
 * Whether a service had closed a connection before it read the request that was sent on it. That its log has no line of the request says so
 * where the log has each that it reads; two things beside the log may contradict it.
 */
import { gainsOf } from './counters.js';
import { AROUND_S } from './place.js';

/** What a service counted of requests that it had read and gave no answer, and has no line of, as counters know it. @param {string} node */
const unloggedAt = (node) => `${node} broke off unlogged`;
/** A kernel resets a connection on which something came that nobody read. */
const RESETS = 'OutRsts';
/** Both are counted once a second. */
const COUNTED_EVERY_S = 1;

/**
 * @param {import('./place.js').Facts} facts
 * @param {import('./place.js').Counters} counters
 * @param {{ service: string, late: import('./requests.js').Attempt[], from: number, to: number }} closed  a connection for a request that a
 *   service with a log of requests has no line of; late: what was read after the user had stopped waiting
 * @returns {boolean} false where it may have read it
 */
export function isUnread({ kernel }, counters, { service, late, from, to }) {
  if (late.some(({ node }) => node === service)) return false;
  if (counters.take(unloggedAt(service), from - COUNTED_EVERY_S, to + COUNTED_EVERY_S)) return false;
  const isCounted = kernel[service]?.after[RESETS] !== undefined;
  return !isCounted || counters.take(`${service} ${RESETS}`, from - AROUND_S, to + COUNTED_EVERY_S);
}

/**
 * A request that came without an id is counted, and so is one whose line was lost.
 * @param {import('../read-raw.js').Raw['nodes']} nodes
 * @param {import('../read-raw.js').Raw['attempts']} attempts
 * @returns {import('./place.js').Facts['gains']}
 */
export function unloggedGains(nodes, attempts) {
  const broken = [...attempts.values()].flat().filter(({ outcome }) => outcome === 'broken');
  return Object.fromEntries(
    Object.entries(nodes).map(([name, rows]) => {
      const ends = broken.flatMap(({ node, ended }) => (node === name && ended !== null ? [ended] : [])).sort((one, other) => one - other);
      return [unloggedAt(name), gainsOf(unlogged(rows, ends))];
    }),
  );
}

/** How many more were counted than are in the log, from reading to reading. @type {(rows: any[], ends: number[]) => { t: number, value: number }[]} */
function unlogged(rows, ends) {
  let counted = 0;
  let before = 0;
  let logged = 0;
  let most = 0;
  return rows.map(({ t, aborted }) => {
    const now = aborted ?? before;
    // A process that was started again counts anew.
    counted += now < before ? now : now - before;
    before = now;
    while (logged < ends.length && ends[logged] <= t) logged += 1;
    // A line may lie on the other side of a reading than its count.
    most = Math.max(most, counted - logged);
    return { t, value: most };
  });
}
