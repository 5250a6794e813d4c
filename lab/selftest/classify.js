/**
 * What the diagnosis says of a run, in two words: the tier and the cause of most failures; without failures the tier that
 * was saturated; else nothing.
 */

/** Fewer failures than this share are not what the run is about. */
const WORTH_NAMING = 0.001;

/**
 * @param {import('../define/result.js').Result} result
 * @returns {{ tier: string, cause: string }}
 */
export function classify({ ledger, metrics, bottleneck }) {
  if (metrics.failures > metrics.requests * WORTH_NAMING) {
    const [first] = ledger.failures;
    return first && first.count > ledger.unattributed
      ? { tier: first.tier, cause: first.cause }
      : { tier: 'unattributed', cause: 'unattributed' };
  }
  return bottleneck ? { tier: bottleneck.tier, cause: 'saturated' } : { tier: 'none', cause: 'none' };
}

/**
 * @param {{ tier: string, cause: string }} expected
 * @param {{ tier: string, cause: string }} found
 */
export function isRight(expected, found) {
  const sameCause = expected.cause.endsWith('*') ? found.cause.startsWith(expected.cause.slice(0, -1)) : found.cause === expected.cause;
  return sameCause && found.tier === expected.tier;
}
