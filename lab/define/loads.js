/**
 * The loads: a k6 scenario (what a user does) and a shape (how many users, and for how long). The shapes themselves are
 * in k6/shapes.js, which k6 reads too.
 */
import { shapes } from '../../k6/shapes.js';

/**
 * @typedef {object} Load
 * @property {string} scenario     file below k6/scenarios
 * @property {string} shape        key of k6/shapes.js
 * @property {number} think_time_s between an answer and the user's next request
 */

const THINK_TIME_S = 0.01; // published

/** @type {Record<string, Load>} */
export const loads = Object.fromEntries(
  Object.keys(shapes).map((shape) => [shape, { scenario: 'documents', shape, think_time_s: THINK_TIME_S }]),
);
