/**
 * Results that were written by earlier versions, as stored experiments have them. Of schema 1 the ledger had a row for each tier and none for
 * the connections between them, and did not say how a failure is known. What they advise may have been judged worse since.
 *
 * @typedef {import('../record/result.js').Result} Result
 */
import { isWorthTrying, measuredReliefs } from '../catalog/measured-reliefs.js';
import { MISSING } from './format.js';

/** Whom the command runs: `make run-2a-slots`, `doubletake swarm 2a-slots`. */
const RUNS = /\b(?:run|swarm)[- ]([\w-]+)/;

/**
 * A result as today's pages read it. What an earlier one did not know stays unknown.
 * @param {Result} given  of this schema or an earlier one
 * @returns {Result}
 */
export function inTodaysShape(given) {
  // From when on the advice follows what was measured; what is older lacks it.
  const result = given.giving_way ? given : { ...given, try_next: given.try_next.filter(({ command }) => stillHolds(given, command)) };
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

/** Whether nothing that the lab measured speaks against what a result advises. @param {Result} result @param {string} command */
function stillHolds({ architecture, load, validity }, command) {
  const relief = RUNS.exec(command)?.[1];
  const measured = measuredReliefs.filter((one) => one.base === architecture && one.relief === relief);
  return relief === undefined || (validity.verdict !== 'INVALID' && isWorthTrying(measured, load));
}
