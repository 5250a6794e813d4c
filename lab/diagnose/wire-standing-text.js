/**
 * What is to be seen in the picture of where requests stood, in a sentence or two: only what was counted.
 *
 * @typedef {import('./waiting/standing.js').Standing} Standing
 * @typedef {import('./waiting/spells.js').Span} Span
 * @typedef {import('./time/standstill.js').Standstill} Standstill
 */

import { count, inUnit, many, percent, significant } from '../stats/figure-words.js';
import { median, sum } from '../stats/numbers.js';
import { stoodText } from './time/onset.js';
import { onsetSpell } from './time/standstill.js';
import { sumOver, totalsOf } from './waiting/spells.js';

/** From here on requests are told one by one. */
const SOME = 0.5;
/** Of what stood: one place that has it is named alone. */
const MOST_SHARE = 0.5;
const NOBODY = 'hardly a request waited anywhere';
/** Places that are named where none has most. */
const NAMED_MOST = 3;

/** An answer that comes sooner seems to come at once (Nielsen, Usability Engineering, 1993, 5.5). */
const AT_ONCE_S = 0.1;

/**
 * @param {Standing} standing
 * @param {Span} worst  ten seconds
 * @param {object} told  by the generator's record
 * @param {number[]} told.failedAfter_s  how long each request that failed was waited for; empty where that is not known
 * @param {Standstill | null} told.standstill
 * @returns {string}
 */
export function standingText(standing, worst, { failedAfter_s, standstill }) {
  const { step_s: step, good, failed } = standing;
  const [lost, all] = [sum(failed), sum(failed) + sum(good)];
  if (all === 0 && sum(totalsOf(standing)) === 0) return 'Nothing was asked that could be read.';
  if (lost === 0) {
    const well = `All ${many(Math.round(all), 'request')} were answered well`;
    return standstill === null ? `${well}. ${calmText(standing)}` : `${stoodWhere(standing, standstill, false)}. ${well} in the end.`;
  }
  const share = `${percent(lost / all)} of ${many(Math.round(all), 'request')} failed`;
  const what = standstill === null ? share : stoodText(standstill, true);
  const after = median(failedAfter_s);
  // Where those that failed did not wait, others did that were answered well.
  if (after !== null && after < AT_ONCE_S)
    return `${what}. Half of those that failed did so${entryOf(standing)} within ${inUnit('ms', after * 1000)}: they hardly waited anywhere.`;
  if (standstill !== null) return `${stoodWhere(standing, standstill, true)}.`;
  return `${what}. From second ${significant(worst.from * step)} to ${significant(worst.to * step)}, when it was worst, ${whereText(standing, worst)}.`;
}

/** Where users ask one service alone. @param {Standing} standing @returns {string} begins with a space; empty where they ask several */
function entryOf({ services, edges }) {
  const asked = new Set(edges.filter(({ from }) => services.every(({ name }) => name !== from)).map(({ to }) => to));
  return asked.size === 1 ? ` at ${[...asked][0]}` : '';
}

/** @param {Standing} standing @param {Standstill} standstill @param {boolean} isFailing */
function stoodWhere(standing, standstill, isFailing) {
  const { from_s, to_s } = onsetSpell(standstill);
  const stepAt = (/** @type {number} */ second) => Math.min(standing.good.length, Math.round(second / standing.step_s));
  return `${stoodText(standstill, isFailing)}; ${whereText(standing, { from: stepAt(from_s), to: stepAt(to_s) })}`;
}

/** @param {Standing} standing @param {Span} span  whole numbers: of a request there is no half */
function whereText(standing, span) {
  // At the end of a wait there are failures, and nobody waits any more.
  const steps = totalsOf(standing)
    .slice(span.from, span.to)
    .filter((total) => total >= SOME).length;
  if (steps === 0) return NOBODY;
  const means = standing.services
    .map(({ name, standing: values }) => ({ name, mean: sumOver(values, span) / steps }))
    .toSorted((one, other) => other.mean - one.mean);
  const total = sum(means.map(({ mean }) => mean));
  const [first] = means;
  const whole = (/** @type {number} */ value) => count(Math.round(value));
  if (first.mean >= total * MOST_SHARE) return `${whole(first.mean)} of ${whole(total)} requests stood in ${first.name}`;
  const named = means.slice(0, NAMED_MOST).map(({ name, mean }) => `${whole(mean)} in ${name}`);
  return `of ${whole(total)} requests stood ${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

/** Of a load that was answered. @param {Standing} standing */
function calmText(standing) {
  const { services } = standing;
  const sums = services.map(({ name, standing: values }) => ({ name, time: sum(values) })).toSorted((one, other) => other.time - one.time);
  const all = sum(sums.map(({ time }) => time));
  if (all === 0) return 'None of them waited long enough to be seen.';
  const totals = totalsOf(standing);
  const most = totals.indexOf(totals.reduce((high, value) => Math.max(high, value), 0));
  const [{ name, time }] = sums;
  const where = `They waited most in ${name}: ${percent(time / all)} of their time`;
  const highest = `${many(Math.max(1, Math.round(totals[most])), 'request')} at a time, in second ${significant((most + 1) * standing.step_s)}`;
  return `${where}. At most ${highest}.`;
}
