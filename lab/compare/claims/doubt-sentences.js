/**
 * What is said of a claim whose tests rest on SUSPECT runs: that its verdict stood without them, or that it fell.
 *
 * @typedef {import('../../record/experiment-result.js').ClaimTest} ClaimTest
 * @typedef {import('../../record/experiment-result.js').ClaimVerdict} ClaimVerdict
 * @typedef {import('../../record/experiment-result.js').WithoutSuspect} WithoutSuspect
 * @typedef {import('../comparison/doubt.js').ArmDoubt} ArmDoubt
 */
import { estimateOf } from './fill.js';

/**
 * @param {object} found
 * @param {ClaimTest[]} found.tests  over all runs that count
 * @param {ClaimVerdict} found.first  their verdict
 * @param {WithoutSuspect} found.again
 * @param {ArmDoubt[]} found.doubts
 */
export function fallenSentence({ tests, first, again, doubts }) {
  const figures = tests.map((test) => `${test.label} ${estimateOf(test)}`).join('; ');
  return {
    sentence: `Rests on SUSPECT runs (${countsText(doubts)}). With them it would be ${first}.`,
    remarks: [`With them: ${figures}.`, `Without what was SUSPECT: ${withoutText(again)}.`],
  };
}

/** @param {WithoutSuspect} again @param {ArmDoubt[]} doubts */
export function survivedSentence(again, doubts) {
  const same = `Some of its runs are SUSPECT (${countsText(doubts)}); the verdict is the same without what was SUSPECT: ${withoutText(again)}.`;
  const deciding = again.tests.filter(({ verdict }) => verdict === 'REFUTED');
  // A claim is refuted by one test; those that no longer do are not what it rests on.
  if (again.verdict !== 'REFUTED' || deciding.length === again.tests.length) return same;
  return `${same} It rests on ${deciding.map(({ label }) => label).join('; ')}.`;
}

/** @param {ArmDoubt[]} doubts */
export const untouchedSentence = (doubts) =>
  `Some of its runs are SUSPECT (${countsText(doubts)}), for readings of the lab that cannot move the figures of its tests.`;

/** `a-lb 8 of 8, 2a 8 of 8`; the reasons stand beside it. @param {ArmDoubt[]} doubts */
const countsText = (doubts) => doubts.map(({ arm, doubt }) => `${arm} ${doubt.suspect} of ${doubt.runs}`).join(', ');

/** Tests that rest on nothing SUSPECT were said already; those that cannot be made for the same reason are said together. @param {WithoutSuspect} again */
function withoutText({ tests }) {
  const others = tests.filter(({ over }) => over !== WHOLE_LOAD);
  const made = others
    .filter(({ over }) => over !== null)
    .map(
      (test) => `${test.label} ${estimateOf(test)} over ${test.over}${test.verdict === 'INCONCLUSIVE' ? ', by itself INCONCLUSIVE' : ''}`,
    );
  const unmade = [...new Set(others.flatMap(({ why }) => why ?? []))].map((why) =>
    others.every((test) => test.why === why)
      ? why
      : `${others
          .filter((test) => test.why === why)
          .map(({ label }) => label)
          .join(', ')}: ${why}`,
  );
  return [...made, ...unmade].join('; ');
}

/** What a test is made over when none of its runs is SUSPECT. */
export const WHOLE_LOAD = 'the whole load';
