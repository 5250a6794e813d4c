/**
 * What would tell more of a user's own system: proxies of which single requests are not on record, where that left unknown where they failed,
 * and services whose log is not read, where that left unknown why.
 *
 * @typedef {import('../record/result.js').TryNext} TryNext
 * @typedef {import('./ledger/facts.js').Facts} Facts
 * @typedef {import('../record/result.js').Ledger} Ledger
 */

/** What a proxy is to be watched at, so that each request is on record. */
const EACH_REQUEST = 2;
/** What a service is to be watched at, so that its log is read. */
const OWN_LOG = 1;
/** Causes of what no reason is on record of (ledger/waited.js). */
const OPEN = ['unexplained', 'upstream-timeout', 'client-gave-up'];

/**
 * @param {Facts} facts
 * @param {Pick<Ledger, 'failures' | 'unattributed'>} ledger
 * @returns {TryNext[]}
 */
export const watchNext = (facts, ledger) => [...whereNext(facts, ledger), ...whyNext(facts, ledger)];

/** @param {Facts} facts @param {Pick<Ledger, 'failures' | 'unattributed'>} ledger @returns {TryNext[]} */
function whereNext({ raw, hops }, { failures, unattributed }) {
  const isOpen = unattributed > 0 || failures.some(({ basis }) => (basis.where.proved ?? 0) < total(basis.where));
  if (!isOpen) return [];
  const blind = hops.filter(({ tier, coverage }) => tier === 'load-balancer' && coverage.requests !== 'full').map(({ service }) => service);
  const known = raw.adapted.filter(
    ({ service, product, level }) => blind.includes(service) && product !== 'opaque' && level < EACH_REQUEST,
  );
  return known.map(({ service }) => ({
    command: `${service}: { watch: ${EACH_REQUEST} } in doubletake.yaml`,
    why: 'each request is then on record there, so that where it failed is proved',
  }));
}

/** @param {Facts} facts @param {Pick<Ledger, 'failures'>} ledger @returns {TryNext[]} */
function whyNext({ raw }, { failures }) {
  const open = new Set(failures.filter(({ cause }) => OPEN.includes(cause)).flatMap(({ service }) => service.split(', ')));
  return raw.adapted
    .filter(({ service, level }) => open.has(service) && level < OWN_LOG)
    .map(({ service }) => ({
      command: `${service}: { watch: ${OWN_LOG} } in doubletake.yaml`,
      why: 'its log is then read, which may say why requests failed there',
    }));
}

/** @param {Record<string, number>} counts */
const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
