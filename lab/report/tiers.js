/**
 * How the pages name and colour the tiers; the colours themselves are CSS variables in assets/base.css, the same on
 * every page.
 *
 * @typedef {import('../record/result.js').Tier} Tier
 */

/**
 * In the order that requests pass, with what is no tier at the end.
 * @type {Record<string, string>}
 */
const TITLES = {
  generator: 'generator',
  'load-balancer': 'load balancer',
  app: 'app',
  queue: 'queue',
  pool: 'pool',
  cache: 'cache',
  database: 'database',
  observer: 'observer',
  unattributed: 'unattributed',
};

/** @param {string} tier a tier, or `unattributed`, or `observer` */
export const tierTitle = (tier) => TITLES[tier] ?? tier;

/**
 * The name of the CSS variable that holds a tier's colour.
 * @param {string} tier a tier, or `unattributed`, or `observer`
 */
export const tierColour = (tier) => (tier in TITLES ? `--tier-${tier}` : '--tier-unattributed');

/**
 * Services in the order that requests pass their tiers.
 * @param {string[]} services
 * @param {(service: string) => string} tierOf
 */
export function inTierOrder(services, tierOf) {
  const order = Object.keys(TITLES);
  const placeOf = (/** @type {string} */ service) => (order.indexOf(tierOf(service)) + order.length) % order.length;
  return services.toSorted((one, other) => placeOf(one) - placeOf(other) || one.localeCompare(other, 'en'));
}
