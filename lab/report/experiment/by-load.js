/**
 * Rows of arms that have loads of their own, by their load.
 *
 * @typedef {import('../../record/experiment-result.js').ExperimentArm} ExperimentArm
 * @typedef {import('../html.js').Html} Html
 */
import { html } from '../html.js';

/**
 * @template {{ arm: ExperimentArm }} Row
 * @param {Row[]} rows
 * @param {number} columns
 * @param {(row: Row) => Html} render
 * @returns {Html[]} a body for each load, with the load above it; one alone, and nothing above it, where arms have none of their own
 */
export const byLoad = (rows, columns, render) =>
  [...new Set(rows.map(({ arm }) => arm.load))].map(
    (load) =>
      html`<tbody>${load && html`<tr class="load"><th scope="rowgroup" colspan="${columns}">load ${load}</th></tr>`}${rows.filter(({ arm }) => arm.load === load).map(render)}</tbody>`,
  );

/**
 * What an arm is called where its load stands above.
 * @param {ExperimentArm} arm
 * @param {string} id  its own, or that of another arm of the same load
 */
export const nameOf = ({ load }, id) => (load ? id.replace(` (${load})`, '') : id);
