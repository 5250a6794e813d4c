/**
 * A stored record read again: by claims as they stand now, where they were changed after its runs, and by the rule that a
 * verdict has to survive without SUSPECT runs, where that came after it. The stored verdict stays what it was; this stands
 * beside it, and says that it came after the runs.
 *
 * @typedef {import('../define/claims.js').Claim} Claim
 * @typedef {import('../define/experiment-result.js').ExperimentResult} ExperimentResult
 * @typedef {import('../define/findings.js').Reread} Reread
 * @typedef {import('./comparison/runs.js').Run} Run
 * @typedef {Run & { figures: Record<string, number | null> }} StoredRun  of which an experiment's record has kept the metrics
 */
import { armsIn, armsOfClaim, armsOfTest } from '../define/claim-arms.js';
import { estimateOf } from './claims/fill.js';
import { judgeClaim } from './claims/judge.js';
import { doubtOf, doubtsOf, doubtsText } from './comparison/doubt.js';

/** What decides a claim; its sentences may be worded better afterwards. @param {Claim} claim */
const decisionOf = ({ statement, test, tests }) => JSON.stringify({ statement, test, tests });

/** Only metrics were kept of the stored runs. @type {import('./claims/readings.js').Reading} */
const stored = {
  metric: (run, id) => /** @type {StoredRun} */ (run).figures[id] ?? null,
  share: () => null,
};

/**
 * The claims of today that a stored one became: itself, or its parts.
 * @param {Claim[]} claims  as they stand now
 * @param {string} id       of the stored one
 */
export const successorsOf = (claims, id) => claims.filter((claim) => claim.id === id || claim.replaces === id);

/**
 * @param {object} input
 * @param {ExperimentResult} input.result
 * @param {ExperimentResult['claims'][number]} input.judged  the stored verdict
 * @param {Claim | undefined} input.before  the claim as it stood before the runs; undefined where the plan was not kept
 * @param {Claim[]} input.now     what it became
 * @param {(claim: string) => string | null} input.unlikeOf  the load or budget that a claim is not about, in words
 * @returns {Reread[]} nothing where the stored verdict is what would be said today
 */
export function rereadOf({ result, judged, before, now, unlikeOf }) {
  /** @type {(claim: Claim) => Reread[]} */
  const again = (claim) => {
    const isChanged = before ? decisionOf(before) !== decisionOf(claim) : claim.id !== judged.id;
    // A record that knows of doubts was judged by the rule already.
    if (!isChanged && judged.doubts !== undefined) return [];
    if (unlikeOf(claim.id) !== null) return [];
    const missing = claim.tests.flatMap(armsOfTest).filter((arm) => !result.arms.some(({ id }) => id === arm));
    if (missing.length > 0)
      return [
        {
          id: claim.id,
          statement: claim.statement,
          verdict: null,
          sentence: `Cannot be read again: ${missing.join(', ')} was not measured.`,
        },
      ];
    const { verdict, quote, tests, without_suspect: second } = judgeStored(claim, result, isChanged ? [] : judged.tests);
    if (!isChanged && verdict === judged.verdict) return [];
    const hasArms = armsIn(claim.quotes[verdict]).every((arm) => result.arms.some(({ id }) => id === arm));
    const figures = `${tests.map((test) => `${test.label}: ${estimateOf(test)}`).join('; ')}.`;
    return [{ id: claim.id, statement: claim.statement, verdict, sentence: second || hasArms ? quote : figures }];
  };
  return now.flatMap(again);
}

/** @type {(claim: Claim, result: ExperimentResult, known: ExperimentResult['claims'][number]['tests']) => ExperimentResult['claims'][number]} */
function judgeStored(claim, result, known) {
  return judgeClaim({
    claim: { ...claim, relief: null, shown: [] },
    runs: runsOf(result),
    arms: [],
    pages: [],
    unlike: null,
    reading: stored,
    // What cannot be read from the stored metrics stands as it was judged, while the claim is the same.
    known,
  });
}

/** @param {ExperimentResult} result @returns {Run[]} */
const runsOf = ({ arms }) =>
  arms.flatMap(({ id, all_runs: runs }) =>
    runs.map(
      ({ block, validity, metrics }) =>
        /** @type {any} */ ({ attempt: { block, arm: id }, result: { validity, stages: [] }, figures: metrics }),
    ),
  );

/**
 * A record made before claims knew of doubts has them with its arms.
 * @type {(claim: ExperimentResult['claims'][number], result: ExperimentResult, fixed: Claim[]) => string | null}
 */
export function claimDoubtOf({ id, doubts }, { arms }, fixed) {
  const claim = fixed.find((stored) => stored.id === id);
  const named = claim ? [...armsOfClaim(claim), ...claim.shown.flatMap(armsIn)] : [];
  const found =
    doubts ??
    doubtsOf(
      arms
        .filter((arm) => named.includes(arm.id))
        .map((arm) => ({ id: arm.id, doubt: doubtOf(arm.all_runs.filter(({ counts }) => counts).map(({ validity }) => validity)) })),
    );
  return doubtsText(found) || null;
}

/**
 * `Read again after the runs, 3 of them come out otherwise: P4 REFUTED; D2, D3 INCONCLUSIVE.`
 * @param {import('../define/findings.js').ClaimFinding[]} claims
 */
export function rereadSentence(claims) {
  const others = claims.flatMap(({ verdict, reread }) => reread.filter((now) => now.verdict !== null && now.verdict !== verdict));
  if (others.length === 0) return null;
  const parts = ['HOLDS', 'REFUTED', 'INCONCLUSIVE'].flatMap((verdict) => {
    const ids = others.filter((now) => now.verdict === verdict).map(({ id }) => id);
    return ids.length === 0 ? [] : [`${ids.join(', ')} ${verdict}`];
  });
  return `Read again after the runs, these come out otherwise: ${parts.join('; ')}.`;
}
