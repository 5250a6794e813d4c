/**
 * Where the time of good answers went. k6 says how long a user waited for a connection before it could send; the balancer says how
 * long it had a request and how long the node had it; the node says how long its handler ran, waited for a pooled connection
 * and held one; the database says how long it worked. What lies between two of these is the waiting at their border.
 */
import { DATABASE } from '../adapters/shipped.js';
import { scenarios } from '../define/scenarios.js';
import { rounded, sum } from './numbers.js';
import { secondsOf } from './seconds.js';
import { addUp, balancerSums, nodeSums } from './time-sums.js';

/** @type {import('../define/result.js').TimeLedger['parts']} */
const PARTS = [
  { id: 'connecting', label: 'user connects', tier: 'generator', waits: true },
  { id: 'client', label: 'between client and first tier', tier: 'generator', waits: true },
  { id: 'balancer', label: 'in the balancer', tier: 'load-balancer', waits: false },
  { id: 'connect', label: 'balancer connects to the node', tier: 'load-balancer', waits: true },
  { id: 'loop', label: "waiting for the node's event loop", tier: 'app', waits: true },
  { id: 'handler', label: 'in the handler', tier: 'app', waits: false },
  { id: 'pool', label: 'waiting for a pooled connection', tier: 'pool', waits: true },
  { id: 'database', label: `in ${DATABASE.title}`, tier: 'database', waits: false },
];

/** @typedef {import('./time-sums.js').BalancerSums} BalancerSums */
/** @typedef {import('./time-sums.js').NodeSums} NodeSums */

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @param {import('../define/result.js').TimelineRow[]} timeline
 * @param {import('../define/result.js').Stage[]} stages
 * @returns {import('../define/result.js').TimeLedger | null} null when the nodes kept no record, or a request of the scenario is
 *   something else than one write and one read
 */
export function timeLedgerOf(facts, timeline, stages) {
  const { raw, window, front } = facts;
  const seconds = timeline.map(({ t_s }) => t_s).filter((t_s) => t_s > 0);
  const nodeBySecond = nodeSums(raw, window);
  const balancerBySecond = front ? balancerSums(front.sightings, window) : null;
  const placed = secondsOf(facts.snapshots, window);
  const measuredBySecond = new Map(
    facts.snapshots.map(({ metrics }, index) => [
      placed[index],
      {
        ms: metrics.lab_latency_ok?.avg ?? null,
        blocked: metrics.http_req_blocked?.avg ?? 0,
        n: metrics.lab_ok?.count ?? 0,
      },
    ]),
  );
  const total = over(seconds);
  if (!scenarios[raw.manifest.scenario].timed || total === null || total.measuredMs === null) return null;
  const parts = PARTS.filter(({ id }) => front || (id !== 'balancer' && id !== 'connect'));

  /** Mean parts over some seconds. @param {number[]} wanted */
  function over(wanted) {
    const nodes = addUp(wanted.map((t_s) => nodeBySecond.get(t_s)));
    if (!nodes || nodes.n === 0) return null;
    const measured = wanted.map((t_s) => measuredBySecond.get(t_s)).filter((value) => value !== undefined && value.ms !== null);
    const counted = sum(measured.map((value) => value?.n));
    const meanOf = (/** @type {'ms' | 'blocked'} */ key) =>
      counted === 0 ? null : sum(measured.map((value) => (value?.[key] ?? 0) * (value?.n ?? 0))) / counted;
    const measuredMs = meanOf('ms');
    const sums = balancerBySecond ? addUp(wanted.map((t_s) => balancerBySecond.get(t_s))) : null;
    return { parts: partsOf(nodes, sums, { measuredMs, blockedMs: meanOf('blocked') ?? 0 }), measuredMs };
  }

  const perSecond = seconds.map((t_s) => over([t_s]));
  // Of the seconds that every record has: k6's has nothing of the last piece of a second.
  const { measuredMs } = total;
  const sumMs = sum(Object.values(total.parts)) - (front ? (total.parts.client ?? 0) : 0);
  return {
    parts,
    series: {
      t_s: seconds,
      parts: Object.fromEntries(parts.map(({ id }) => [id, perSecond.map((second) => rounded(second?.parts[id] ?? null, 2))])),
      measured_ms: perSecond.map((second) => rounded(second?.measuredMs ?? null, 2)),
    },
    stages: stages.map(({ target, from_s, to_s }) => {
      const stage = over(seconds.filter((t_s) => t_s > from_s && t_s <= to_s));
      return {
        target,
        parts: Object.fromEntries(parts.map(({ id }) => [id, rounded(stage?.parts[id] ?? null, 2)])),
        measured_ms: rounded(stage?.measuredMs ?? null, 2),
      };
    }),
    check: {
      sum_ms: rounded(sumMs, 2) ?? 0,
      measured_ms: rounded(measuredMs, 2) ?? 0,
      gap_fraction: rounded((measuredMs - sumMs) / measuredMs, 4) ?? 0,
    },
  };
}

/**
 * @param {NodeSums} nodes
 * @param {BalancerSums | null} balancer
 * @param {{ measuredMs: number | null, blockedMs: number }} user k6's means: what a good answer took, and what a request of any
 *   outcome waited for a connection, which is all that its record has of a second
 * @returns {Record<string, number | null>}
 */
function partsOf(nodes, balancer, { measuredMs, blockedMs }) {
  const each = (/** @type {number} */ value) => value / nodes.n;
  const positive = (/** @type {number} */ value) => Math.max(0, value);
  const database = Math.min(each(nodes.database), each(nodes.roundTrips));
  // The node reads the database's answer when its event loop comes round to it: that part of the round trip is the loop's.
  const readLate = each(nodes.roundTrips) - database;
  /** What the user waited beyond the first tier's own time. Good answers cannot have waited longer for their connections. @param {number} ownMs */
  const beforeFirstTier = (ownMs) => {
    if (measuredMs === null) return { connecting: null, rest: null };
    const outside = positive(measuredMs - ownMs);
    return { connecting: Math.min(blockedMs, outside), rest: positive(outside - blockedMs) };
  };
  const own = { handler: positive(each(nodes.handler - nodes.pool - nodes.roundTrips)), pool: each(nodes.pool), database };
  if (!balancer || balancer.n === 0) {
    const { connecting, rest } = beforeFirstTier(each(nodes.handler));
    return { connecting, client: 0, loop: rest === null ? null : rest + readLate, ...own };
  }
  const per = (/** @type {number} */ value) => value / balancer.n;
  const { connecting, rest } = beforeFirstTier(per(balancer.request));
  return {
    connecting,
    client: rest,
    balancer: positive(per(balancer.request - balancer.upstream)),
    connect: per(balancer.connect),
    loop: positive(per(balancer.upstream - balancer.connect) - each(nodes.handler)) + readLate,
    ...own,
  };
}
