/**
 * How far an arm's figures are in doubt: how many of its runs that count were SUSPECT, and why. It stands wherever the
 * figures do.
 *
 * @typedef {import('../../record/comparison.js').Doubt} Doubt
 * @typedef {import('../../record/result.js').Validity} Validity
 * @typedef {{ arm: string, doubt: Doubt }} ArmDoubt
 */
import { count } from '../../stats/figure-words.js';

const NUMBER = /\d[\d,]*(?:\.\d+)?/g;
/** Reasons that are named; the rest are counted, and stand beside each run. */
const NAMED = 2;

/**
 * @param {Pick<Validity, 'verdict' | 'reasons'>[]} validities of the runs that count
 * @returns {Doubt | null} null when none of them is SUSPECT
 */
export function doubtOf(validities) {
  const suspects = validities.filter(({ verdict }) => verdict === 'SUSPECT');
  if (suspects.length === 0) return null;
  const reasons = mergeReasons(suspects.flatMap((validity) => validity.reasons));
  const more = reasons.length - NAMED;
  const named = [...reasons.slice(0, NAMED), ...(more > 0 ? [`and ${count(more)} more ${more === 1 ? 'reason' : 'reasons'}`] : [])];
  const runs = validities.length;
  return {
    suspect: suspects.length,
    runs,
    text: `${count(suspects.length)} of ${count(runs)} ${runs === 1 ? 'run' : 'runs'} SUSPECT: ${named.join('; ')}`,
  };
}

/**
 * Reasons that differ in their figures alone are one, with the range of each figure.
 * @param {string[]} reasons
 * @returns {string[]} the most frequent first
 */
export function mergeReasons(reasons) {
  const alike = /** @type {Map<string, string[][]>} */ (new Map());
  for (const reason of reasons) {
    const words = reason.replace(NUMBER, '#');
    alike.set(words, [...(alike.get(words) ?? []), reason.match(NUMBER) ?? []]);
  }
  return [...alike]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([words, figures]) => {
      const ranges = figures[0].map((_, place) => rangeText(figures.map((own) => own[place])));
      return words.replaceAll('#', () => ranges.shift() ?? '#');
    });
}

/** @param {string[]} figures */
function rangeText(figures) {
  const sorted = figures.toSorted((one, other) => amountOf(one) - amountOf(other));
  const [low, high] = [sorted[0], sorted[sorted.length - 1]];
  return amountOf(low) === amountOf(high) ? low : `${low} to ${high}`;
}

/** @param {string} text */
const amountOf = (text) => Number(text.replaceAll(',', ''));

/**
 * @param {{ id: string, doubt: Doubt | null }[]} arms
 * @returns {ArmDoubt[]} those that are in doubt
 */
export const doubtsOf = (arms) => arms.flatMap(({ id, doubt }) => (doubt ? [{ arm: id, doubt }] : []));

/**
 * `a-lb, 2a: 8 of 8 runs SUSPECT: ...; 2a-pool500: ...`. Arms that are in doubt in the same words are named together.
 * @param {ArmDoubt[]} doubts
 */
export function doubtsText(doubts) {
  const alike = /** @type {Map<string, string[]>} */ (new Map());
  for (const { arm, doubt } of doubts) alike.set(doubt.text, [...(alike.get(doubt.text) ?? []), arm]);
  return [...alike].map(([text, arms]) => `${arms.join(', ')}: ${text}`).join('; ');
}

/** How many runs of which arms, for a headline; why is told with each arm. @param {{ id: string, runs: number, suspect: number }[]} arms */
export function suspectSentence(arms) {
  const doubtful = arms.filter(({ suspect }) => suspect > 0).map(({ id, runs, suspect }) => `${id} ${suspect} of ${runs}`);
  return doubtful.length === 0 ? '' : `SUSPECT runs: ${doubtful.join(', ')}.`;
}

/** A sentence for a verdict's end; empty without doubts. @param {ArmDoubt[]} doubts */
export const doubtSentence = (doubts) => (doubts.length === 0 ? '' : `In doubt: ${doubtsText(doubts)}.`);
