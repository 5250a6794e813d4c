/**
 * What an experiment's runs say of a claim: HOLDS, REFUTED or INCONCLUSIVE, with the evidence.
 *
 * @typedef {import('../../define/claims.js').Claim} Claim
 * @typedef {import('../../define/experiment-result.js').ClaimResult} ClaimResult
 */
import { armsIn, armsOfClaim, armsOfTest } from '../../define/claim-arms.js';
import { LEAST_BLOCKS } from '../../define/comparison.js';
import { doubtOf, doubtsOf } from '../comparison/doubt.js';
import { countingRuns } from '../comparison/runs.js';
import { fallenSentence, survivedSentence } from './doubt-sentences.js';
import { estimateOf, fill } from './fill.js';
import { wholeLoad } from './readings.js';
import { reliefOf } from './relief.js';
import { joinVerdicts, judgeTest } from './tests.js';
import { judgeWithoutSuspect } from './without-suspect.js';

/** What a figure that decides something says of the claim. */
const HOLDS = { HOLDS: true, REFUTED: false, INCONCLUSIVE: null };

/**
 * @param {object} input
 * @param {Claim} input.claim      as it stood before the first run
 * @param {import('../comparison/runs.js').Run[]} input.runs  of the whole experiment
 * @param {import('../../define/arms.js').Arm[]} input.arms
 * @param {{ base: string, other: string, href: string }[]} input.pages  of the comparisons
 * @param {string | null} input.unlike  the load or budget that was measured, in words, where the claim is not about it
 * @param {import('./readings.js').Reading} [input.reading]  how figures are read from the runs
 * @param {import('../../define/experiment-result.js').ClaimTest[]} [input.known]  tests that were made already, by their labels, for those that this reading cannot make
 * @returns {ClaimResult}
 */
export function judgeClaim({ claim, runs, arms, pages, unlike, reading = wholeLoad, known = [] }) {
  const judge = judgeBy(reading, known);
  const made = claim.tests.map((test) => judge(test, runs));
  /** @type {import('../../define/experiment-result.js').ClaimTest[]} */
  const tests = unlike === null ? made : made.map((test) => ({ ...test, verdict: 'INCONCLUSIVE' }));
  const first = isAboutNothing(claim, made) ? 'INCONCLUSIVE' : joinVerdicts(tests.map((test) => test.verdict));
  const doubts = armDoubtsOf([...new Set([...armsOfClaim(claim), ...claim.shown.flatMap(armsIn)])], runs);
  const isInDoubt = doubts.some(({ arm }) => claim.tests.flatMap(armsOfTest).includes(arm));
  // What decides nothing needs no second look.
  const again = first !== 'INCONCLUSIVE' && isInDoubt ? judgeWithoutSuspect(claim, runs, judge) : null;
  const verdict = again && again.verdict !== first ? 'INCONCLUSIVE' : first;
  const facts = { tests, runs, reading };
  const sentence =
    (unlike && `Not judged: the claim is not about ${unlike}.`) ||
    (again && verdict !== first && fallenSentence({ tests, first, again, doubts })) ||
    (verdict === 'INCONCLUSIVE' && tooFewOf(tests)) ||
    fill(claim.quotes[verdict], facts);
  const decided = verdict === first ? decidedBy(tests, sentence) : null;
  return {
    id: claim.id,
    statement: claim.statement,
    source: claim.source,
    published: claim.published,
    test: claim.test,
    delta: claim.delta,
    verdict,
    sentence,
    quote: [sentence, decided, again && verdict === first ? survivedSentence(again, doubts) : null].filter(Boolean).join(' '),
    measured: [
      ...tests.map((test) => ({ label: test.label, text: estimateOf(test), holds: HOLDS[test.verdict] })),
      ...claim.shown.map((shown) => {
        const [label, text] = shown.split(/: (.*)/);
        return { label, text: fill(text, facts), holds: null };
      }),
    ],
    tests,
    doubts,
    without_suspect: again,
    relief: claim.relief ? reliefOf(claim.relief, runs, arms) : null,
    evidence: evidenceOf(claim, pages),
  };
}

/**
 * Whose failures they are cannot be asked where there were none: then its other tests refute nothing.
 * @type {(claim: Claim, made: import('../../define/experiment-result.js').ClaimTest[]) => boolean}
 */
const isAboutNothing = ({ tests }, made) => tests.some(({ kind }, index) => kind === 'share' && made[index].blocks < LEAST_BLOCKS);

/** @type {(reading: import('./readings.js').Reading, known: import('../../define/experiment-result.js').ClaimTest[]) => import('./without-suspect.js').Judge} */
const judgeBy = (reading, known) => (test, runs) => {
  const made = judgeTest(test, runs, reading);
  return made.estimate === null ? (known.find(({ label }) => label === test.label) ?? made) : made;
};

/** @type {(arms: string[], runs: import('../comparison/runs.js').Run[]) => import('../comparison/doubt.js').ArmDoubt[]} */
const armDoubtsOf = (arms, runs) =>
  doubtsOf(arms.map((id) => ({ id, doubt: doubtOf([...countingRuns(runs, id).values()].map(({ result }) => result.validity)) })));

/**
 * A claim's own sentence speaks of what the figures allow; with too few blocks they allow nothing.
 * @param {import('../../define/experiment-result.js').ClaimTest[]} tests
 */
function tooFewOf(tests) {
  const fewest = Math.min(...tests.filter(({ basis }) => basis !== 'published').map(({ blocks }) => blocks));
  return fewest < LEAST_BLOCKS
    ? `Not judged: ${fewest} ${fewest === 1 ? 'block has' : 'blocks have'} the figures, and a verdict needs ${LEAST_BLOCKS}.`
    : null;
}

/**
 * Where several tests could have refuted a claim, its sentence may speak of another one.
 * @param {import('../../define/experiment-result.js').ClaimTest[]} tests
 * @param {string} sentence
 */
function decidedBy(tests, sentence) {
  const refuted = tests.filter((test) => test.verdict === 'REFUTED' && !sentence.includes(estimateOf(test)));
  if (tests.length < 2 || refuted.length === 0) return null;
  return `Refuted by ${refuted.map((test) => `${test.label}: ${estimateOf(test)}`).join('; ')}.`;
}

/** @type {(claim: Claim, pages: { base: string, other: string, href: string }[]) => ClaimResult['evidence']} */
function evidenceOf({ tests, relief }, pages) {
  const compared = tests.flatMap((test) => (test.kind === 'compare' ? [[test.base, test.other]] : []));
  const relieved = relief?.rows.map(({ arm }) => [relief.before, arm]) ?? [];
  const wanted = [...compared, ...relieved].map(([base, other]) => `${base} ${other}`);
  return pages
    .filter(({ base, other }) => wanted.includes(`${base} ${other}`))
    .map(({ base, other, href }) => ({ label: `${other} against ${base}`, href }));
}
