/**
 * Doubt about an arm, wherever its figures stand: how many of its runs were SUSPECT, and why.
 *
 * @typedef {import('../record/comparison.js').Doubt} Doubt
 */
import { count } from './format.js';
import { html } from './html.js';

/** `8 of 8 SUSPECT`, or nothing; records from before arms knew of doubt have none. @param {Doubt | null | undefined} doubt */
export const doubtShort = (doubt) => (doubt ? `${count(doubt.suspect)} of ${count(doubt.runs)} SUSPECT` : null);

/** Beside a figure or a name: the numbers, and the reason for whoever points at it. @param {Doubt | null | undefined} doubt */
export const doubtNote = (doubt) => doubt && html`<span class="service doubt" title="${doubt.text}">${doubtShort(doubt)}</span>`;

/** A line of its own, with the reason. @param {Doubt | null | undefined} doubt */
export const doubtLine = (doubt) => doubt && html`<p class="doubt">In doubt: ${doubt.text}.</p>`;
