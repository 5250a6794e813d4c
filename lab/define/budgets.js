/**
 * CPU budgets. `fair` gives every tier a quota that is a share of the host's cores, so that all of them fit at once and a
 * second node really adds a node's worth of compute, even on two cores. `none` sets no quota, as published.
 */

/** @typedef {{ title: string, shares: Record<string, number> | null }} Budget */

/**
 * Shares of the host's cores. Two nodes, a balancer, a database and the generator sum to 0.94; the rest is for the engine,
 * the observers and the lab. The generator has the largest, because a generator at its quota makes a run SUSPECT. Set by
 * measurement: with 0.075 for the balancer, users whose requests fail at once drove the generator of 2a to its quota.
 *
 * @type {Record<string, Budget>}
 */
export const budgets = {
  fair: {
    title: 'each tier has a quota, all quotas fit the host',
    shares: { app: 0.165, 'load-balancer': 0.06, database: 0.165, generator: 0.385 },
  },
  none: { title: 'no quotas, as published', shares: null },
};

/** 10 ms quota periods stutter far less than Docker's default of 100 ms; compose.yaml sets the same. */
export const CPU_PERIOD_US = 10_000;
/** The kernel takes no quota below 1 ms. */
const LEAST_QUOTA_US = 1000;

/**
 * @param {string} id
 * @param {number} cores of the host
 * @param {number} [slowdown] per cent taken from a node's quota, to see what the lab can tell apart
 * @returns {Record<string, number>} tier to quota in cores; empty when there is none
 */
export function quotasOf(id, cores, slowdown = 0) {
  const { shares } = budgets[id];
  if (!shares) return {};
  return Object.fromEntries(
    Object.entries(shares).map(([tier, share]) => {
      const left = tier === 'app' ? 1 - slowdown / 100 : 1;
      return [tier, Math.max(LEAST_QUOTA_US, Math.round(share * left * cores * CPU_PERIOD_US)) / CPU_PERIOD_US];
    }),
  );
}

/**
 * The variables that compose.yaml reads its quotas from, such as APP_CPU_QUOTA, in microseconds a period.
 * @param {Record<string, number>} quotas in cores
 */
export function quotaVariables(quotas) {
  return Object.fromEntries(
    Object.entries(quotas).map(([tier, cores]) => [
      `${tier.toUpperCase().replaceAll('-', '_')}_CPU_QUOTA`,
      String(Math.round(cores * CPU_PERIOD_US)),
    ]),
  );
}
