/**
 * Figures of a capacity plan as its page and the terminal write them.
 *
 * @typedef {import('../../record/capacity-plan.js').CapacityPlan} CapacityPlan
 * @typedef {import('../../record/capacity-plan.js').Response} Response
 */
import { extremes } from '../experiment/words.js';
import { count, milliseconds, rate } from '../format.js';
import { tierTitle } from '../tiers.js';

/** @param {CapacityPlan['target']} target */
export const capacityTitle = ({ rps, p95_ms: p95 }) =>
  `Nodes for ${count(rps)} requests a second${p95 === null ? '' : `, p95 of at most ${milliseconds(p95)}`}`;

/** `712 to 780 rps`. @param {{ low: number, high: number }} interval */
export const rpsBetween = ({ low, high }) => extremes({ median: null, low, high }, rate);

/** `12 to 40 ms`, or `12 ms or more`. @param {Response} response */
export const msBetween = ({ low, high }) =>
  high === null ? `${milliseconds(low)} or more` : extremes({ median: null, low, high }, milliseconds);

/** The app tier is what is planned. @param {string} tier */
export const tierNamed = (tier) => (tier === 'app' ? 'nodes' : tierTitle(tier));
