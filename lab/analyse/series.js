/**
 * What is drawn on the timeline's seconds beside k6's own figures: failures by tier, and every limited resource.
 */
import { max, rounded } from './numbers.js';
import { secondOf } from './timeline.js';

/**
 * Failures a second by tier: each placed failure in the second that it ended. Where k6's record stands for several seconds at
 * once, so do these.
 * @param {import('./ledger/ledger.js').PlacedTrace[]} all
 * @param {import('./window.js').Window} window
 * @param {import('../define/result.js').TimelineRow[]} timeline
 * @returns {Record<string, (number | null)[]>}
 */
export function failuresByTier(all, window, timeline) {
  const tiers = [...new Set(all.map(({ placement }) => placement?.tier ?? 'unattributed'))];
  const seconds = new Map(timeline.map(({ t_s }, index) => [t_s, index]));
  const last = timeline.at(-1)?.t_s ?? 0;
  const series = Object.fromEntries(tiers.map((tier) => [tier, timeline.map(({ t_s }) => (t_s > 0 ? 0 : null))]));
  for (const { trace, placement } of all) {
    const index = seconds.get(Math.min(Math.ceil(trace.t - window.from), last));
    const values = series[placement?.tier ?? 'unattributed'];
    if (index !== undefined && values[index] !== null) values[index] += 1;
  }
  return series;
}

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @param {number[]} seconds
 * @returns {import('../define/result.js').Series['limits']}
 */
export function limitsOf({ raw, balancer, window, database }, seconds) {
  const onSeconds = (/** @type {any[]} */ rows, /** @type {(row: any) => number | null | undefined} */ read) => {
    const bySecond = new Map(rows.map((row) => [secondOf(row.t, window), read(row)]));
    return seconds.map((t_s) => rounded(bySecond.get(t_s)));
  };
  /** @type {import('../define/result.js').Series['limits']} */
  const limits = [];
  if (balancer) {
    // The kernel's count holds the sockets that wait to be accepted too, so a full table with a queue exceeds the limit.
    const rows = raw.kernel.filter(({ name }) => name === balancer.name);
    limits.push({
      id: 'balancer-connections',
      label: 'balancer sockets, waiting ones included',
      tier: 'load-balancer',
      limit: balancer.slots,
      unit: 'connections',
      values: onSeconds(rows, (row) => row.sockets.inuse),
    });
  }
  for (const [node, rows] of Object.entries(raw.nodes)) {
    const limit = max(rows.map(({ max_pool_size: size }) => size));
    // A node without a database has no pool of connections to one.
    if (rows.some(({ pool }) => pool))
      limits.push({
        id: `pool-${node}`,
        label: `pool of ${node}`,
        tier: 'pool',
        limit,
        unit: 'connections',
        values: onSeconds(rows, (row) => row.pool?.in_use),
      });
    limits.push({
      id: `loop-${node}`,
      label: `event loop of ${node}`,
      tier: 'app',
      limit: 1,
      unit: 'busy share',
      values: onSeconds(rows, (row) => row.loop_utilisation),
    });
  }
  const answered = raw.database.filter((row) => row.connections);
  if (database.name && answered.length > 0) {
    const { current, available } = answered[0].connections;
    limits.push({
      id: 'database-connections',
      label: 'MongoDB connections',
      tier: 'database',
      limit: current + available,
      unit: 'connections',
      values: onSeconds(answered, (row) => row.connections.current),
    });
  }
  return limits;
}
