/**
 * Where the time of good answers went. Nginx says how long it had a request and how long the node had it; the node says how
 * long its handler ran, waited for a pooled connection and held one; MongoDB says how long it worked. What lies between two
 * of these is the waiting at their border.
 */
import { scenarios } from '../define/scenarios.js';
import { rounded, sum } from './numbers.js';
import { secondOf } from './timeline.js';

/** @type {import('../define/result.js').TimeLedger['parts']} */
const PARTS = [
  { id: 'client', label: 'between client and first tier', tier: 'generator', waits: true },
  { id: 'balancer', label: 'in the balancer', tier: 'load-balancer', waits: false },
  { id: 'connect', label: 'balancer connects to the node', tier: 'load-balancer', waits: true },
  { id: 'loop', label: "waiting for the node's event loop", tier: 'app', waits: true },
  { id: 'handler', label: 'in the handler', tier: 'app', waits: false },
  { id: 'pool', label: 'waiting for a pooled connection', tier: 'pool', waits: true },
  { id: 'database', label: 'in MongoDB', tier: 'database', waits: false },
];

/** Sums over good answers, in milliseconds. @typedef {{ n: number, request: number, upstream: number, connect: number }} BalancerSums */
/** @typedef {{ n: number, handler: number, pool: number, roundTrips: number, database: number }} NodeSums */

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @param {import('../define/result.js').TimelineRow[]} timeline
 * @param {import('../define/result.js').Stage[]} stages
 * @returns {import('../define/result.js').TimeLedger | null} null when the nodes kept no record, or a request of the scenario is
 *   something else than one write and one read
 */
export function timeLedgerOf(facts, timeline, stages) {
  const { raw, window, balancer, generator } = facts;
  const seconds = timeline.map(({ t_s }) => t_s).filter((t_s) => t_s > 0);
  const nodeBySecond = nodeSums(raw, window);
  const balancerBySecond = balancer ? balancerSums(balancer.lines, window) : null;
  const measuredBySecond = new Map(
    facts.snapshots.map(({ t, metrics }) => [
      secondOf(t, window),
      { ms: metrics.lab_latency_ok?.avg ?? null, n: metrics.lab_ok?.count ?? 0 },
    ]),
  );
  const total = over(seconds);
  if (!scenarios[raw.manifest.scenario].timed || total === null || generator.okMeanMs === null) return null;
  const parts = PARTS.filter(({ id }) => balancer || (id !== 'balancer' && id !== 'connect'));

  /** Mean parts over some seconds. @param {number[]} wanted */
  function over(wanted) {
    const nodes = addUp(wanted.map((t_s) => nodeBySecond.get(t_s)));
    if (!nodes || nodes.n === 0) return null;
    const measured = wanted.map((t_s) => measuredBySecond.get(t_s)).filter((value) => value !== undefined && value.ms !== null);
    const counted = sum(measured.map((value) => value?.n));
    const measuredMs = counted === 0 ? null : sum(measured.map((value) => (value?.ms ?? 0) * (value?.n ?? 0))) / counted;
    const sums = balancerBySecond ? addUp(wanted.map((t_s) => balancerBySecond.get(t_s))) : null;
    return { parts: partsOf(nodes, sums, measuredMs), measuredMs };
  }

  const perSecond = seconds.map((t_s) => over([t_s]));
  const sumMs = sum(Object.values(total.parts)) - (balancer ? (total.parts.client ?? 0) : 0);
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
      measured_ms: rounded(generator.okMeanMs, 2) ?? 0,
      gap_fraction: rounded((generator.okMeanMs - sumMs) / generator.okMeanMs, 4) ?? 0,
    },
  };
}

/**
 * @param {NodeSums} nodes
 * @param {BalancerSums | null} balancer
 * @param {number | null} measuredMs k6's mean
 * @returns {Record<string, number | null>}
 */
function partsOf(nodes, balancer, measuredMs) {
  const each = (/** @type {number} */ value) => value / nodes.n;
  const positive = (/** @type {number} */ value) => Math.max(0, value);
  const database = Math.min(each(nodes.database), each(nodes.roundTrips));
  // The node reads MongoDB's answer when its event loop comes round to it: that part of the round trip is the loop's.
  const readLate = each(nodes.roundTrips) - database;
  const own = { handler: positive(each(nodes.handler - nodes.pool - nodes.roundTrips)), pool: each(nodes.pool), database };
  if (!balancer || balancer.n === 0) {
    const outside = measuredMs === null ? null : positive(measuredMs - each(nodes.handler));
    return { client: 0, loop: outside === null ? null : outside + readLate, ...own };
  }
  const per = (/** @type {number} */ value) => value / balancer.n;
  return {
    client: measuredMs === null ? null : positive(measuredMs - per(balancer.request)),
    balancer: positive(per(balancer.request - balancer.upstream)),
    connect: per(balancer.connect),
    loop: positive(per(balancer.upstream - balancer.connect) - each(nodes.handler)) + readLate,
    ...own,
  };
}

/** @param {import('./read-raw.js').Raw} raw @param {import('./window.js').Window} window @returns {Map<number, NodeSums>} */
function nodeSums(raw, window) {
  const databaseMs = databaseTimes(raw.database, window);
  /** @type {Map<number, NodeSums>} */
  const bySecond = new Map();
  for (const rows of Object.values(raw.nodes)) {
    for (const [index, row] of rows.slice(1).entries()) {
      const before = rows[index];
      if (row.event === 'start' || row.ok_ms.count <= before.ok_ms.count) continue;
      const t_s = secondOf(row.t, window);
      const n = row.ok_ms.count - before.ok_ms.count;
      const sums = bySecond.get(t_s) ?? { n: 0, handler: 0, pool: 0, roundTrips: 0, database: 0 };
      sums.n += n;
      sums.handler += row.ok_ms.handler - before.ok_ms.handler;
      sums.pool += row.ok_ms.pool - before.ok_ms.pool;
      sums.roundTrips += row.ok_ms.database - before.ok_ms.database;
      sums.database += n * (databaseMs.get(t_s) ?? databaseMs.get(t_s - 1) ?? 0);
      bySecond.set(t_s, sums);
    }
  }
  return bySecond;
}

/** Milliseconds that MongoDB itself worked for one request: one write and one read. @param {any[]} rows @param {import('./window.js').Window} window */
function databaseTimes(rows, window) {
  const answered = rows.filter((row) => row.latencies);
  const meanOf = (/** @type {any} */ now, /** @type {any} */ before) =>
    now.ops > before.ops ? (now.latency - before.latency) / (now.ops - before.ops) / 1000 : null;
  return new Map(
    answered.slice(1).flatMap((row, index) => {
      const before = answered[index].latencies;
      const [write, read] = [meanOf(row.latencies.writes, before.writes), meanOf(row.latencies.reads, before.reads)];
      return write === null && read === null
        ? []
        : [/** @type {[number, number]} */ ([secondOf(row.t, window), (write ?? 0) + (read ?? 0)])];
    }),
  );
}

/** @param {any[]} lines @param {import('./window.js').Window} window @returns {Map<number, BalancerSums>} */
function balancerSums(lines, window) {
  const seconds = (/** @type {string} */ text) => sum(text.split(/[,:] /).map(Number)) * 1000;
  /** @type {Map<number, BalancerSums>} */
  const bySecond = new Map();
  for (const line of lines) {
    if (line.status >= 400) continue;
    const t_s = Math.ceil(line.t - window.from);
    const sums = bySecond.get(t_s) ?? { n: 0, request: 0, upstream: 0, connect: 0 };
    sums.n += 1;
    sums.request += line.request_s * 1000;
    sums.upstream += seconds(line.upstream_s);
    sums.connect += seconds(line.connect_s);
    bySecond.set(t_s, sums);
  }
  return bySecond;
}

/**
 * @template {Record<string, number>} Sums
 * @param {(Sums | undefined)[]} rows
 * @returns {Sums | null}
 */
function addUp(rows) {
  const found = /** @type {Sums[]} */ (rows.filter(Boolean));
  if (found.length === 0) return null;
  return /** @type {Sums} */ (Object.fromEntries(Object.keys(found[0]).map((key) => [key, sum(found.map((row) => row[key]))])));
}
