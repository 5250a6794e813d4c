/**
 * Whether the faults that a user put in (FAULT) were there: without one of them it is another run than the one that was asked for.
 */

/** @param {import('./validity.js').ValidityInput} input @returns {import('./grade.js').Doubt[]} of the whole run */
export function faultsNotPut({ facts: { raw } }) {
  const put = /** @type {import('../../options/fault-plan.js').PutFault[]} */ (raw.manifest.faults ?? []);
  return put
    .filter(({ failed }) => failed !== null)
    .map(({ text, began_s: began, failed }) => ({
      rule: `fault: ${text}`,
      grade: 'INVALID',
      reason: `the fault "${text}" was not ${began === null ? 'put in' : 'undone'}: ${failed}`,
    }));
}
