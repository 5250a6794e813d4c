/** How long runs take, as far as that is known before they are made. */

import { loadDuration, loadStart, type Shape } from '../../k6/lib/shapes.js';

/** What a run takes beside its load, as measured: stack up, collecting, stack down, analysis. */
const OVERHEAD_S = 17;

/** @returns seconds */
export const secondsOfRun = (shape: Shape): number => (shape.expected_s ?? loadStart(shape) + loadDuration(shape)) + OVERHEAD_S;
