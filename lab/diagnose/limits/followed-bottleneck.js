/**
 * The bottleneck of a user's own system whose failed requests were followed: what binds is what they waited for, not whatever was at a limit
 * meanwhile.
 */
import { causes } from '../../record/causes.js';
import { count, percent } from '../../stats/figure-words.js';

/** Of what was read at the place. */
const EVIDENCE_MOST = 2;

/**
 * @param {import('../../record/result.js').Waiting | null} waiting
 * @param {Pick<import('../../record/result.js').Ledger, 'failures'>} ledger
 * @returns {{ bottleneck: import('../../record/result.js').Result['bottleneck'], reason: string } | null} null where no failed request was followed
 */
export function bottleneckFollowed(waiting, { failures: [worst] }) {
  const [first] = waiting?.findings ?? [];
  if (!waiting || !first || !worst) return null;
  const what = `${worst.service}: ${worst.cause_title}`;
  if (!causes[worst.cause].limit)
    return { bottleneck: null, reason: `most failed requests ended at ${what}; that is no limit that is reached` };
  return {
    bottleneck: { tier: worst.tier, evidence: [what, ...first.evidence.slice(0, EVIDENCE_MOST)] },
    reason: `${count(worst.count)} failed requests (${percent(worst.share)}) were followed to it`,
  };
}
