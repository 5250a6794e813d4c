/** A figure that runs are compared by. */

import type { Result } from '../record/types.js';

/** a share is 0 to 1 */
export type Unit = 'rps' | 'share' | 'ms' | 'count' | 'mb_per_s';

export type Metric = {
	/** name, unit and qualifier; what EXPECT calls it */
	id: string;
	label: string;
	unit: Unit;
	/** null: no arm is better or worse for it */
	better: 'higher' | 'lower' | null;
	/** how two runs are compared */
	scale: 'ratio' | 'difference';
	gate: boolean;
	/** speaks of good answers alone, so the failed share must stand beside it */
	success_only: boolean;
	read: (result: Result) => number | null;
};
