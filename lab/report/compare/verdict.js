/**
 * The first thing that a reader sees: which of the two is better, on how much that rests, and what was left out.
 *
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 */
import { blocksText, tooFewText } from '../blocks.js';
import { doubtNote } from '../doubt.js';
import { count, moment, plural } from '../format.js';
import { html } from '../html.js';
import { stamp } from '../stamp.js';
import { armName } from './parts.js';

const SEPARATOR = html` <span class="sep">·</span> `;

/** @param {Comparison} comparison */
export function verdictSection(comparison) {
  const { verdict, base, other, blocks } = comparison;
  return html`<section id="verdict" aria-label="Verdict">
<p class="run-line"><b>${comparison.title}</b>${SEPARATOR}${basis(comparison)}</p>
<div class="verdict"><h1>${verdict.sentence}</h1>
<div class="trust">${stamp(verdict.word, 'large')}<p class="blocks"><b>${blocksText(blocks)}.</b> ${blocks.complete < blocks.least && html`<span class="too-few">${tooFewText(blocks)}</span>`}</p></div></div>
<p class="sides">${armName('base', base.id)} ${base.title}, baseline ${doubtNote(base.doubt)}${SEPARATOR}${armName('other', other.id)} ${other.title}, candidate ${doubtNote(other.doubt)}</p>
<div class="disclosures">${leftOut(comparison)}${reasons(comparison)}</div>
</section>
`;
}

/** @param {Comparison} comparison */
function basis({ load, load_title, budget, started }) {
  return html`load <b>${load}</b>, ${load_title}${SEPARATOR}budget <b>${budget}</b>${SEPARATOR}<time datetime="${started}">${moment(started)}</time>`;
}

/** @param {Comparison} comparison */
function leftOut({ blocks: { left_out: runs } }) {
  if (runs.length === 0) return html`<p class="fine">No run was INVALID; none is left out.</p>`;
  return html`<details class="left-out"><summary>${leftOutText(runs.length)}</summary>
<ul>${runs.map(({ arm, block, reasons: why }) => html`<li><b>${arm}</b>, block ${count(block)}: ${why.join(' ')}</li>`)}</ul></details>`;
}

/** @param {number} runs */
export const leftOutText = (runs) => (runs === 0 ? 'no run was INVALID' : `${plural(runs, 'INVALID run')} left out`);

/** @param {Comparison} comparison */
function reasons({ verdict }) {
  if (verdict.reasons.length === 0) return null;
  return html`<details><summary>Why, metric by metric</summary><ul>${verdict.reasons.map((text) => html`<li>${text}</li>`)}</ul></details>`;
}
