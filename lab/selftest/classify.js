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
    const first = largest(ledger.failures);
    return first && first.count > ledger.unattributed
      ? { tier: first.tier, cause: first.cause }
      : { tier: 'unattributed', cause: 'unattributed' };
  }
  return bottleneck ? { tier: bottleneck.tier, cause: 'saturated' } : { tier: 'none', cause: 'none' };
}

/**
 * The tier and cause with most failures, over all services.
 * @param {import('../define/result.js').Failure[]} failures
 */
function largest(failures) {
  /** @type {Map<string, { tier: string, cause: string, count: number }>} */
  const sums = new Map();
  for (const { tier, cause, count } of failures) {
    const key = `${tier}/${cause}`;
    sums.set(key, { tier, cause, count: count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()].sort((one, other) => other.count - one.count)[0];
}

/**
 * @param {{ tier: string, cause: string }} expected
 * @param {{ tier: string, cause: string }} found
 */
export function isRight(expected, found) {
  const sameCause = expected.cause.endsWith('*') ? found.cause.startsWith(expected.cause.slice(0, -1)) : found.cause === expected.cause;
  return sameCause && found.tier === expected.tier;
}
