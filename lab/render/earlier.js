/**
 * Results of schema 1, which stored experiments have: their ledger had a row for each tier and none for the connections between them, and
 * did not say how a failure is known.
 *
 * @typedef {import('../define/result.js').Result} Result
 */
import { MISSING } from './format.js';

/**
 * A result as today's pages read it. What an earlier one did not know stays unknown.
 * @param {Result} result  of this schema or an earlier one
 * @returns {Result}
 */
export function inTodaysShape(result) {
  const { ledger } = /** @type {any} */ (result);
  if (!ledger.tiers) return result;
  return {
    ...result,
    ledger: {
      ...ledger,
      hops: ledger.tiers.map((/** @type {any} */ tier) => ({ ...tier, aborted: null, source: MISSING })),
      edges: [],
      near_misses: [],
      failures: ledger.failures.map((/** @type {any} */ failure) => ({
        ...failure,
        basis: { where: {}, why: {} },
        amplifier: null,
        chain: null,
      })),
    },
  };
}
