/**
 * How the pages name and colour the tiers; the colours themselves are CSS variables in assets/base.css, the same on
 * every page.
 *
 * @typedef {import('../define/result.js').Tier} Tier
 */

/** @type {Record<string, string>} */
const TITLES = {
  generator: 'generator',
  'load-balancer': 'load balancer',
  app: 'app',
  pool: 'pool',
  database: 'database',
  queue: 'queue',
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
