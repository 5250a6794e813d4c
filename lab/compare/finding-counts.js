/**
 * How many claims came out how: those of publications and the lab's own questions apart, as they are read today and as they were registered.
 *
 * @typedef {import('../record/findings.js').ClaimFinding} ClaimFinding
 * @typedef {import('../record/findings.js').ExperimentFinding} ExperimentFinding
 * @typedef {import('../record/findings.js').FindingVerdict} FindingVerdict
 * @typedef {import('../record/findings.js').VerdictCounts} VerdictCounts
 */
import { count } from '../stats/figure-words.js';

/** How a sentence counts each verdict: one, and more than one. @type {Record<FindingVerdict, [string, string]>} */
const COUNTED = {
  HOLDS: ['holds', 'hold'],
  REFUTED: ['is refuted', 'are refuted'],
  DEPENDS: ['depends on the conditions', 'depend on the conditions'],
  INCONCLUSIVE: ['is inconclusive', 'are inconclusive'],
  'DOES NOT CARRY OVER': ['does not carry over', 'do not carry over'],
  'not measured': ['is not measured', 'are not measured'],
};
const VERDICTS = /** @type {FindingVerdict[]} */ (Object.keys(COUNTED));

/** @param {FindingVerdict[]} verdicts @returns {VerdictCounts} */
const tallied = (verdicts) =>
  /** @type {VerdictCounts} */ (
    Object.fromEntries(VERDICTS.map((verdict) => [verdict, verdicts.filter((other) => other === verdict).length]))
  );

/** @param {ClaimFinding[]} claims @returns {import('../record/findings.js').Findings['counts']} */
export const countsOf = (claims) => ({
  publications: tallied(claims.filter(({ own }) => !own).map(({ verdict }) => verdict)),
  own: tallied(claims.filter(({ own }) => own).map(({ verdict }) => verdict)),
  registered: tallied(claims.map(({ registered }) => registered?.verdict ?? 'not measured')),
});

/**
 * `Of 22 claims of 6 publications 8 hold and 14 are refuted. Of 12 questions of the lab's own 7 hold and 5 are refuted.`
 * @param {ClaimFinding[]} claims
 * @param {number} publications
 */
export function headlineOf(claims, publications) {
  const counts = countsOf(claims);
  const [published, own] = [claims.filter((claim) => !claim.own).length, claims.filter((claim) => claim.own).length];
  const sentences = [
    published > 0 && `Of ${many(published, 'claim')} of ${many(publications, 'publication')} ${listed(counts.publications)}.`,
    own > 0 && `Of ${many(own, 'question')} of the lab’s own ${listed(counts.own)}.`,
  ].filter(Boolean);
  return sentences.length > 0 ? sentences.join(' ') : 'Of 0 claims none was made.';
}

/** @type {(value: number, noun: string) => string} */
const many = (value, noun) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** @param {VerdictCounts} counts  of which one at least is not 0 */
function listed(counts) {
  const parts = VERDICTS.filter((verdict) => counts[verdict] > 0).map(
    (verdict) => `${count(counts[verdict])} ${COUNTED[verdict][counts[verdict] === 1 ? 0 : 1]}`,
  );
  const last = parts.pop();
  return parts.length > 0 ? `${parts.join(', ')} and ${last}` : last;
}

/**
 * What was registered, and what is read otherwise since.
 * @param {ClaimFinding[]} claims
 * @returns {string | null} null where nothing was measured
 */
export function registeredSentence(claims) {
  const measured = claims.filter(({ registered }) => registered !== null);
  if (measured.length === 0) return null;
  const counts = countsOf(measured).registered;
  const others = measured.filter(
    ({ verdict, registered, statement }) => verdict !== registered?.verdict || statement !== registered.statement,
  );
  const before = `As registered before the runs, ${count(measured.length)} in all: ${listed(counts)}.`;
  if (others.length === 0) return before;
  const parts = others.map(
    ({ id, verdict, registered }) => `${id} ${registered?.verdict === verdict ? 'reworded' : `was ${registered?.verdict}`}`,
  );
  return `${before} Read otherwise today, each for a reason in its note: ${parts.join(', ')}.`;
}

/** @param {ExperimentFinding[]} experiments @returns {string | null} */
export function gradingSentence(experiments) {
  const ids = experiments.filter(({ grading }) => grading !== null).flatMap(({ claims }) => claims.map(({ id }) => id));
  return ids.length === 0
    ? null
    : `${count(ids.length)} ${ids.length === 1 ? 'verdict rests' : 'verdicts rest'} on runs that were graded by rules replaced since: ${ids.join(', ')}.`;
}
