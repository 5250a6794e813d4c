/**
 * The stretches of a load that matter of where requests stood.
 *
 * @typedef {import('./standing.js').Standing} Standing
 * @typedef {{ from: number, to: number }} Span  steps, `to` not among them
 */

/** What a reader takes in at a time. */
export const WORST_S = 10;
/** Of all ends: from here on failures tell where it was worst, below it waiting. The lab's choice. */
const FAILING_SHARE = 0.01;

/** @param {ArrayLike<number>} values @param {Span} span */
export function sumOver(values, { from, to }) {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += values[at];
  return sum;
}

/** Requests that stood anywhere, of each step. @param {Pick<Standing, 'services' | 'good'>} standing */
export const totalsOf = ({ services, good }) => good.map((_, at) => services.reduce((sum, { standing }) => sum + standing[at], 0));

/**
 * The ten seconds in which most requests failed; where hardly any did, in which most stood. Of two that are alike the one in which more stood,
 * then the first.
 * @param {Standing} standing
 * @returns {Span} all of a load that is shorter
 */
export function worstOf(standing) {
  const { step_s: step, good, failed } = standing;
  const steps = good.length;
  const length = Math.min(steps, Math.max(1, Math.round(WORST_S / step)));
  const whole = { from: 0, to: steps };
  const totals = totalsOf(standing);
  const ends = sumOver(good, whole) + sumOver(failed, whole);
  const isFailing = sumOver(failed, whole) > ends * FAILING_SHARE;
  let [best, bestFailed, bestStanding] = [0, -1, -1];
  let [lost, stood] = [sumOver(failed, { from: 0, to: length }), sumOver(totals, { from: 0, to: length })];
  for (let from = 0; ; from += 1) {
    const counted = isFailing ? lost : 0;
    if (counted > bestFailed || (counted === bestFailed && stood > bestStanding + ROUNDING))
      [best, bestFailed, bestStanding] = [from, counted, stood];
    if (from + length >= steps) break;
    lost += failed[from + length] - failed[from];
    stood += totals[from + length] - totals[from];
  }
  return { from: best, to: best + length };
}
/** Of sums that are taken up step by step. */
const ROUNDING = 1e-6;
