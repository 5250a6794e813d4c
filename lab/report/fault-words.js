/**
 * What a fault that the user put in, or the load's surge, did, in words: the same in the report, the terminal and Markdown.
 *
 * @typedef {import('../record/result.js').Result} Result
 * @typedef {import('../record/result.js').FaultEffect} FaultEffect
 */
import { count, percent, rate, withUnit } from './format.js';

/** A result from before there were any has none. @param {Partial<Pick<Result, 'faults'>>} result @returns {FaultEffect[]} */
export const faultsOf = ({ faults = [] }) => faults;

/** As the charts and the table call it. @param {number} index from 0 */
export const faultMark = (index) => `F${index + 1}`;

/** When service was as before. @param {FaultEffect} effect */
export function recoveryText({ before, failed, recovered_after_s: recovered, watched_after_s: watched, metastable }) {
  if (failed !== null) return `not told: ${failed}`;
  if (before === null) return 'not told: too few seconds before it that nothing disturbed';
  if (recovered !== null) return recovered === 0 ? 'at once' : `after ${withUnit(recovered, 's')}`;
  const not = `not in the ${withUnit(watched, 's')} until the load ended`;
  return metastable ? `METASTABLE: ${not}, with the arrivals of before` : not;
}

/** When no more waited in the queue than before. @param {NonNullable<FaultEffect['backlog']>} backlog @param {number | null} watched */
function backlogText({ before, most, at_end: left, recovered_after_s: recovered }, watched) {
  const when =
    recovered === null
      ? `not in the ${withUnit(watched, 's')} until the load ended, with ${count(left)} then`
      : recovered === 0
        ? 'at once'
        : `after ${withUnit(recovered, 's')}`;
  return `in the queue ${count(before)} at most before, ${count(most)} since; as few as before: ${when}`;
}

/** @param {FaultEffect} effect */
export const faultSentence = (effect) => `${effect.text}: ${faultOutcome(effect)}`;

/** The same without its text. @param {FaultEffect} effect */
export function faultOutcome(effect) {
  const { began_s: began, before, during, backlog, watched_after_s: watched } = effect;
  if (began === null) return `was not put in, ${effect.failed}`;
  const was = before === null ? [] : [`${rate(before.goodput_rps)} of good answers before`];
  const share = during?.failure_rate ?? null;
  const meanwhile =
    during === null ? [] : [`${rate(during.goodput_rps)} while it was there${share === null ? '' : `, ${percent(share)} failed`}`];
  const queued = backlog ? [backlogText(backlog, watched)] : [];
  return [...was, ...meanwhile, `as before: ${recoveryText(effect)}`, ...queued].join('; ');
}
