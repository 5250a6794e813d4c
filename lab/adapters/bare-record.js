/**
 * The record of a service of which nothing is known yet; an adapter adds what its product told.
 */

/**
 * @param {import('./contract.js').About} about
 * @param {string} product
 * @returns {import('./contract.js').HopRecord}
 */
export const bareRecord = ({ service, tier }, product) => ({
  service,
  tier,
  product,
  coverage: { requests: 'none', reasons: 'none', limits: 'none' },
  uncovered: [],
  source: '',
  received: null,
  answered_ok: null,
  answered_error: null,
  aborted: null,
  sightings: [],
  messages: [],
  counters: {},
  limits: [],
});
