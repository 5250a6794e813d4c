/**
 * What would tell more of a user's own system: proxies of which single requests are not on record, where that left something unknown.
 *
 * @typedef {import('../define/result.js').Result['try_next']} TryNext
 */

/** What a proxy is to be watched at, so that each request is on record. */
const LEVEL = 2;

/**
 * @param {import('./ledger/facts.js').Facts} facts
 * @param {Pick<import('../define/result.js').Ledger, 'failures' | 'unattributed'>} ledger
 * @returns {TryNext}
 */
export function watchNext({ raw, hops }, { failures, unattributed }) {
  const isOpen = unattributed > 0 || failures.some(({ basis }) => (basis.where.proved ?? 0) < total(basis.where));
  if (!isOpen) return [];
  const blind = hops.filter(({ tier, coverage }) => tier === 'load-balancer' && coverage.requests !== 'full').map(({ service }) => service);
  const known = raw.adapted.filter(({ service, product, level }) => blind.includes(service) && product !== 'opaque' && level < LEVEL);
  return known.map(({ service }) => ({
    command: `${service}: { watch: ${LEVEL} } in doubletake.yaml`,
    why: 'each request is then on record there, so that where it failed is proved',
  }));
}

/** @param {Record<string, number>} counts */
const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
