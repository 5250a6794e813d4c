/**
 * What is drawn on the timeline's seconds beside k6's own figures: failures by tier.
 */
import { rounded } from './numbers.js';

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
