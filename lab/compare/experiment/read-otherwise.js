/**
 * Which claims of a record are read otherwise today than they were registered: its page keeps what was registered, and says this first.
 */

import { claimsOf } from '../../catalog/claims.js';
import { experiments } from '../../catalog/experiments.js';
import { notCarriedOverBy } from '../carries.js';
import { readingsOf } from '../reread.js';

/** @typedef {import('../../record/findings.js').ReadOtherwise} ReadOtherwise */

/**
 * @param {import('../../record/experiment-result.js').ExperimentResult} result
 * @param {import('../../catalog/claims.js').Claim[]} [fixed]  its claims as they stood before the runs, where its manifest is there
 * @param {import('../findings.js').KeptRun[]} [kept]
 * @returns {ReadOtherwise[]} under its own load and budget alone; none where its experiment is in no table
 */
export function readOtherwise(result, fixed = [], kept = []) {
  if (!Object.hasOwn(experiments, result.experiment)) return [];
  const asked = { ...experiments[result.experiment], claims: claimsOf(result.experiment, result.machine.cores) };
  return readingsOf(result, fixed, asked).flatMap(({ judged, reading }) => {
    const claim = asked.claims.find(({ id }) => id === reading.id);
    const unlike = claim ? notCarriedOverBy(claim, reading.verdict, kept) : null;
    const verdict = unlike === null ? reading.verdict : 'DOES NOT CARRY OVER';
    const isSameClaim = reading.statement === judged.statement;
    if (verdict === judged.verdict && isSameClaim) return [];
    const statement = isSameClaim ? null : reading.statement;
    return [
      { id: reading.id, statement, verdict, registered: judged.verdict, sentence: reading.sentence, changed: unlike ?? reading.changed },
    ];
  });
}
