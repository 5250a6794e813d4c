/**
 * The faults that the user put in, and the load's surge: how the service was before, during and after each.
 *
 * @typedef {import('../../record/result.js').Result} Result
 */
import { faultMark, faultOutcome, faultsOf } from '../fault-words.js';
import { figure } from '../format.js';
import { html } from '../html.js';
import { section } from './parts.js';

/** @param {Result} result @returns {import('../html.js').Html | null} null where none was put in */
export function putFaultsSection(result) {
  const faults = faultsOf(result);
  if (faults.length === 0) return null;
  return section(
    'faults',
    'Faults and surges',
    html`<p class="lead">What FAULT put in, hosts that were down or drained, and a surge of the load, each marked in every chart. Good answers a second before each are the median of up to 10 s; service is as before
when it gives 90 % of that for 3 s in a row. No rule of the diagnosis reads what stands here.</p>
<ul class="near-misses">${faults.map(
      (effect, index) =>
        html`<li><b>${faultMark(index)}</b> <code>${effect.text}</code>, seconds ${figure(effect.began_s)} to ${figure(effect.ended_s)}: ${faultOutcome(effect)}.</li>`,
    )}</ul>`,
  );
}
