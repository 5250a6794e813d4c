/**
 * What is drawn on the timeline's seconds beside k6's own figures: failures by tier, and every limited resource.
 */
import { max, rounded } from './numbers.js';
import { secondOf } from './timeline.js';

/**
 * Failures a second by tier: in each second the tiers share its failures as they share all of the load's.
 * @param {import('./ledger/facts.js').Facts} facts
 * @param {import('../define/result.js').Ledger} ledger
 * @param {import('../define/result.js').TimelineRow[]} timeline
 * @returns {Record<string, (number | null)[]>}
 */
export function failuresByTier(facts, { failures, unattributed }, timeline) {
  const total = facts.generator.failed;
  if (total === 0) return {};
  /** @type {Record<string, number>} */
  const byTier = {};
  for (const { tier, count } of failures) byTier[tier] = (byTier[tier] ?? 0) + count;
  if (unattributed > 0) byTier.unattributed = unattributed;
  return Object.fromEntries(
    Object.entries(byTier).map(([tier, count]) => [
      tier,
      timeline.map((row) => (row.failures_per_s === null ? null : rounded((row.failures_per_s * count) / total, 1))),
    ]),
  );
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
