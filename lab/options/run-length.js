/**
 * How long runs take, as far as that is known before they are made.
 */
import { loadDuration, loadStart } from '../../k6/lib/shapes.js';

/** What a run takes beside its load, as measured: stack up, collecting, stack down, analysis. */
const OVERHEAD_S = 17;

/** @param {import('../../k6/lib/shapes.js').Shape} shape @returns {number} seconds */
export const secondsOfRun = (shape) => (shape.expected_s ?? loadStart(shape) + loadDuration(shape)) + OVERHEAD_S;
