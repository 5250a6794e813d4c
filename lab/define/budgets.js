/**
 * CPU budgets. `fair` gives every tier a quota that is a share of the host's cores, so that all of them fit at once and a
 * second node really adds a node's worth of compute, even on two cores. `none` sets no quota, as published.
 */

/** @typedef {{ title: string, shares: Record<string, number> | null }} Budget */

/**
 * Shares of the host's cores. Two nodes, a balancer, a database and the generator sum to 0.93; the rest is for the engine,
 * the observers and the lab. The generator has the largest, because a generator at its quota makes a run SUSPECT.
 *
 * Set by measurement, so that of all tiers it is the nodes that run out of CPU, with one of them or with two. A request
 * costs MongoDB 0.6 of what it costs a node, and a balancer that opens a connection for each 0.35, and those that fail cost
 * the balancer and the generator alone. A balancer with 0.06 was itself the bottleneck of two nodes with 0.165 each.
 *
 * @type {Record<string, Budget>}
 */
export const budgets = {
  fair: {
    title: 'each tier has a quota, all quotas fit the host',
    shares: { app: 0.12, 'load-balancer': 0.125, database: 0.18, generator: 0.385 },
  },
  // Four nodes fit, at half a node of `fair` each: what counts is what each further one adds.
  scale: {
    title: 'as fair, with smaller nodes, so that four of them fit the host',
    shares: { app: 0.065, 'load-balancer': 0.12, database: 0.19, generator: 0.36 },
  },
  // An operation costs MongoDB 0.2 ms of CPU and the node before it 0.3 (measured); here MongoDB alone runs out of it.
  database: {
    title: 'the database is the small tier, so that what is measured is what it bears',
    shares: { app: 0.38, 'load-balancer': 0.05, database: 0.15, generator: 0.4 },
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
 * @returns {Record<string, number>} tier to quota in cores; empty when there is none
 */
export function quotasOf(id, cores) {
  const { shares } = budgets[id];
  if (!shares) return {};
  return Object.fromEntries(
    Object.entries(shares).map(([tier, share]) => [
      tier,
      Math.max(LEAST_QUOTA_US, Math.round(share * cores * CPU_PERIOD_US)) / CPU_PERIOD_US,
    ]),
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
