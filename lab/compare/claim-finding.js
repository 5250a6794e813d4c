/**
 * A claim as the findings show it: its verdict as it is read today, beside the one that was registered, with what it depends on and what a
 * reader has to know.
 *
 * @typedef {import('../catalog/claims.js').Claim} Claim
 * @typedef {import('../record/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../record/findings.js').ClaimFinding} ClaimFinding
 * @typedef {import('../record/findings.js').ConditionReading} ConditionReading
 * @typedef {import('../record/findings.js').Reading} Reading
 */
import { isOwnQuestion } from '../catalog/own-question.js';
import { notCarriedOverBy } from './carries.js';
import { dependsOn, readElsewhere } from './conditions.js';
import { claimDoubtOf } from './reread.js';

/**
 * @param {object} input
 * @param {Reading} input.reading
 * @param {ExperimentResult['claims'][number]} input.judged  as it was registered
 * @param {Claim | undefined} input.claim  as it stands now; undefined where it is in no table any more
 * @param {Claim[]} input.fixed            claims of its record as they stood before the runs
 * @param {ExperimentResult} input.result
 * @param {ExperimentResult[]} input.others
 * @param {import('./findings.js').KeptRun[]} input.kept
 * @param {string} input.href
 * @returns {ClaimFinding}
 */
export function claimFinding({ reading, judged, claim, fixed, result, others, kept, href }) {
  const elsewhere = claim ? readElsewhere(claim, result, others) : [];
  const own = { load: result.load, budget: result.budget, verdict: reading.verdict, tests: reading.tests };
  // Under a load that it is not about it was not judged, whatever its figures are.
  const depends = reading.is_about_it ? dependsOn(own, elsewhere) : null;
  const unlike = claim ? notCarriedOverBy(claim, reading.verdict, kept) : null;
  return {
    id: reading.id,
    own: isOwnQuestion({ own: claim?.own, source: claim?.source ?? judged.source }),
    statement: reading.statement,
    published: claim?.published ?? judged.published,
    ...verdictOf(reading, result, depends, unlike),
    registered: { verdict: judged.verdict, statement: judged.statement, sentence: judged.sentence ?? judged.quote },
    deviation: reading.changed,
    elsewhere,
    remarks: [...(unlike === null ? [] : [unlike]), ...reading.remarks],
    doubt: claimDoubtOf({ id: judged.id, doubts: reading.doubts }, result, fixed),
    href,
  };
}

/** @type {(reading: Reading, result: ExperimentResult, depends: string | null, unlike: string | null) => Pick<ClaimFinding, 'verdict' | 'sentence'>} */
function verdictOf({ verdict, sentence }, { load, budget }, depends, unlike) {
  if (unlike !== null) return { verdict: 'DOES NOT CARRY OVER', sentence: `The source had another bottleneck. Here: ${sentence}` };
  if (depends === null) return { verdict, sentence };
  return { verdict: 'DEPENDS', sentence: `It depends on ${depends}. Under load ${load}, budget ${budget}: ${verdict}. ${sentence}` };
}

/** @type {(claim: Claim) => ClaimFinding} */
export const notMeasured = ({ id, own, source, statement, published }) => ({
  id,
  own: isOwnQuestion({ own, source }),
  statement,
  published,
  verdict: 'not measured',
  sentence: null,
  registered: null,
  deviation: null,
  elsewhere: [],
  remarks: [],
  doubt: null,
  href: null,
});
