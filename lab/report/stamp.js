/**
 * Stamps: a verdict as one sees it from afar. Sign, border and filling differ as well as colour, so that a print in grey
 * and an eye that does not tell red from green lose nothing.
 *
 * @typedef {import('../record/findings.js').FindingVerdict} ClaimVerdict
 * @typedef {import('../record/comparison.js').Verdict['word']} PairWord
 */
import { html } from './html.js';

/** @type {Record<string, string>} */
const SIGNS = {
  HOLDS: '✓',
  REFUTED: '✕',
  INCONCLUSIVE: '?',
  DEPENDS: '↔',
  'DOES NOT CARRY OVER': '≠',
  better: '▲',
  worse: '▼',
  same: '=',
  mixed: '◆',
};

/**
 * @param {ClaimVerdict | PairWord | (string & {})} word
 * @param {'large' | 'small'} [size]
 */
export function stamp(word, size = 'small') {
  const kind = word in SIGNS ? word.toLowerCase().replaceAll(' ', '-') : 'other';
  return html`<span class="stamp ${kind} ${size}">${word in SIGNS && html`<span aria-hidden="true">${SIGNS[word]}</span> `}${word}</span>`;
}

/**
 * Where a claim's card is. Only what a fragment may hold is kept of the id.
 * @param {string} id of a claim
 */
export const claimAnchor = (id) => `claim-${id.replace(/[^\w-]/g, '')}`;
