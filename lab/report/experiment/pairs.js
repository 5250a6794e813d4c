/**
 * The comparisons that were made: which arm against which, what came out, and the page that shows it.
 *
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 */
import { html } from '../html.js';
import { localLink, section } from '../sections/parts.js';
import { stamp } from '../stamp.js';
import { table } from '../table.js';

/** @param {ExperimentResult} result */
export function pairsSection({ pairs }) {
  if (pairs.length === 0) return null;
  return section('pairs', 'Pairs', [
    html`<p class="lead">Each verdict is on the second arm, against the first, block by block. The page of a pair shows every metric with its interval.</p>`,
    html`<div class="pairs">${table(
      'Pairs',
      [{ title: 'Compared' }, { title: 'Verdict' }, { title: 'In words' }],
      pairs.map(({ base, other, href, verdict }) => [
        localLink(href, html`${base} against <b>${other}</b>`),
        stamp(verdict.word),
        verdict.sentence,
      ]),
    )}</div>`,
  ]);
}
