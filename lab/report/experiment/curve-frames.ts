/** What every curve over numbers has alike: its two forms and its marks. */

import type { Frame } from './curve-scales.ts';

export const FRAMES: Record<'wide' | 'narrow', Frame> = {
	wide: { width: 700, height: 390, left: 72, right: 14, top: 52, bottom: 44 },
	narrow: { width: 358, height: 300, left: 72, right: 8, top: 54, bottom: 42 },
};
/** Runs with one x stand side by side, so far from each other. */
export const RUN_STEP_PX = 4;
export const RING = 2.8;
export const MEDIAN = 4.6;
export const LABEL_LINE = 16;
