/**
 * Small pieces that several sections share.
 *
 * @typedef {import('../../record/result.js').Evidence} Evidence
 * @typedef {import('../../record/result.js').Validity} Validity
 */
import { count } from '../format.js';
import { html } from '../html.js';
import { tierColour, tierTitle } from '../tiers.js';

const BADGE_SIGNS = { VALID: '✓', SUSPECT: '!', INVALID: '✕' };

/**
 * @param {string} id
 * @param {string} title
 * @param {import('../html.js').Content} content
 */
export const section = (id, title, content) => html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`;

/** @param {Validity['verdict']} verdict */
export const badge = (verdict) =>
  html`<span class="badge ${verdict.toLowerCase()}"><span aria-hidden="true">${BADGE_SIGNS[verdict]}</span> ${verdict}</span>`;

/**
 * A patch of the tier's colour and its name, or another label.
 * @param {string} tier
 * @param {string} [label]
 */
export const tierChip = (tier, label = tierTitle(tier)) => html`<span class="chip" style="--c: var(${tierColour(tier)})">${label}</span>`;

/**
 * What a stage does to the load: `to 500` or `at 500`.
 * @param {Pick<import('../../record/result.js').Stage, 'target' | 'held'>} stage
 */
export const stageTarget = ({ target, held }) => `${held ? 'at' : 'to'} ${count(target)}`;

/** @param {Evidence[]} evidence */
export const evidenceList = (evidence) => html`<ul class="evidence">${evidence.map((item) => html`<li>${evidenceItem(item)}</li>`)}</ul>`;

/** @param {Evidence} item */
function evidenceItem(item) {
  if (item.kind === 'reading') return item.text;
  const source = html`<span class="source">${item.source}</span>`;
  if (item.kind === 'log') return html`<code>${item.line}</code> ${source} <b>${count(item.count)}×</b>`;
  if (item.kind === 'counter') return html`${source} ${item.name}: ${count(item.before)} → <b>${count(item.after)}</b>`;
  return html`${source} ${item.text}: <b>${count(item.count)}</b>`;
}

/**
 * A link to another page of the lab. It always stays a path from this folder, whatever the text says.
 * @param {string} href relative to the folder of the page
 * @param {import('../html.js').Content} text
 */
export const localLink = (href, text) => html`<a href="./${href}">${text}</a>`;

/**
 * Copies the text of the element beside it. The script shows it: without one it would do nothing.
 * @param {string} what for those who do not see what it stands beside
 */
export const copyButton = (what) => html`<button type="button" class="copy" aria-label="Copy ${what}" hidden>Copy</button>`;

/** @param {[string, string][]} facts */
export const factList = (facts) =>
  html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
