/**
 * Small pieces that several sections of the experiment's page share.
 */
import { html } from '../html.js';

/**
 * A link to another page of the experiment. It always stays below this folder's address, whatever the text says.
 * @param {string} href relative to the folder of experiment.json
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
