/**
 * A card for each claim: what was claimed and by whom, what was measured, the verdict as a stamp, how it came about, and one
 * sentence to quote.
 *
 * @typedef {import('../../record/experiment-result.js').ClaimResult} ClaimResult
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 */
import { html } from '../html.js';
import { copyButton, localLink, section } from '../sections/parts.js';
import { claimAnchor, stamp } from '../stamp.js';
import { testsFigure } from './claim-tests.js';
import { reliefTable } from './relief.js';
import { intervalText, onScale } from './words.js';

/** @param {ExperimentResult} result */
export function claimsSection({ claims }) {
  if (claims.length === 0) return null;
  return section('claims', 'Claims', [
    html`<p class="lead">Tests and deltas were fixed before the first run. A claim holds when all its tests hold, is refuted when one of them is refuted, and is inconclusive otherwise.</p>`,
    ...claims.map(claimCard),
  ]);
}

/** @param {ClaimResult} claim */
function claimCard(claim) {
  const { id, statement, source, verdict, tests, relief, evidence } = claim;
  const anchor = claimAnchor(id);
  return html`<article class="claim ${verdict.toLowerCase()}" id="${anchor}" aria-labelledby="${anchor}-title">
<header><h3 id="${anchor}-title"><span class="id">${id}</span> ${statement}</h3>${stamp(verdict, 'large')}
<p class="source"><span class="label">Claimed in</span> ${source}</p></header>
<div class="sides">${claimed(claim)}${measured(claim)}</div>
${tests.length > 0 && testsFigure(id, tests)}
<dl class="fixed"><div><dt>Test, fixed before the run</dt><dd>${claim.test}</dd></div><div><dt>Delta, fixed before the run</dt><dd>${claim.delta}</dd></div></dl>
${doubts(claim)}${relief && reliefTable(id, relief)}
<div class="quote" data-copied><blockquote>${claim.quote}</blockquote>${copyButton(`the sentence on ${id}`)}</div>
${evidence.length > 0 && html`<p class="proofs"><span class="label">Evidence</span> ${evidence.map(({ label, href }) => localLink(href, label))}</p>`}
</article>
`;
}

/**
 * Figures of SUSPECT runs, and what the tests say without them.
 * @param {ClaimResult} claim  one judged before claims knew of doubts has none
 */
function doubts({ doubts: arms = [], without_suspect: again }) {
  if (arms.length === 0) return null;
  return html`<div class="finding doubts"><p><b>In doubt</b></p>
<ul>${arms.map(({ arm, doubt }) => html`<li><b>${arm}</b>: ${doubt.text}</li>`)}</ul>
${
  again &&
  html`<p>Without what was SUSPECT: ${stamp(again.verdict)}</p>
<ul>${again.tests.map((test) => html`<li>${test.label}: ${test.over === null ? test.why : html`${onScale(test.scale, test.estimate)} (${intervalText(test)}), over ${test.over}`} ${stamp(test.verdict)}</li>`)}</ul>`
}</div>
`;
}

/** @param {ClaimResult} claim */
function claimed({ published }) {
  return html`<section><h4>Published</h4>
${published.length === 0 ? html`<p class="fine">No figure was published.</p>` : html`<dl class="figures">${published.map(({ label, text }) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>`}</section>`;
}

/** @param {ClaimResult} claim */
function measured({ measured: figures }) {
  return html`<section><h4>Measured</h4>
${figures.length === 0 ? html`<p class="fine">Nothing was measured.</p>` : html`<dl class="figures">${figures.map(({ label, text, holds }) => html`<div><dt>${label}</dt><dd>${text}${holdsMark(holds)}</dd></div>`)}</dl>`}</section>`;
}

/** @param {boolean | null} holds */
function holdsMark(holds) {
  if (holds === null) return null;
  return holds
    ? html` <span class="mark for"><span aria-hidden="true">✓</span> for it</span>`
    : html` <span class="mark against"><span aria-hidden="true">✕</span> against it</span>`;
}
