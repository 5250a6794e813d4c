/**
 * What is said of a claim whose tests rest on SUSPECT runs: that its verdict stood without them, or that it fell.
 *
 * @typedef {import('../../define/experiment-result.js').ClaimTest} ClaimTest
 * @typedef {import('../../define/experiment-result.js').ClaimVerdict} ClaimVerdict
 * @typedef {import('../../define/experiment-result.js').WithoutSuspect} WithoutSuspect
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
  return `Rests on SUSPECT runs (${countsText(doubts)}). With them it would be ${first}: ${figures}. Without what was SUSPECT: ${withoutText(again)}.`;
}

/** @param {WithoutSuspect} again @param {ArmDoubt[]} doubts */
export const survivedSentence = (again, doubts) =>
  `Some of its runs are SUSPECT (${countsText(doubts)}); the verdict is the same without what was SUSPECT: ${withoutText(again)}.`;

/** `a-lb 8 of 8, 2a 8 of 8`; the reasons stand beside it. @param {ArmDoubt[]} doubts */
const countsText = (doubts) => doubts.map(({ arm, doubt }) => `${arm} ${doubt.suspect} of ${doubt.runs}`).join(', ');

/** Tests that rest on nothing SUSPECT were said already; those that cannot be made for the same reason are said together. @param {WithoutSuspect} again */
function withoutText({ tests }) {
  const others = tests.filter(({ over }) => over !== WHOLE_LOAD);
  const made = others.filter(({ over }) => over !== null).map((test) => `${test.label} ${estimateOf(test)} over ${test.over}`);
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
