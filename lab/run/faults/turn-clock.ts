/** The clock by which turns within a load begin and end. */

import { setTimeout as wait } from 'node:timers/promises';

export type Clock = {
	/** seconds since 1970 */
	nowS: () => number;
	/** resolves at once when it aborts */
	until: (atS: number, signal: AbortSignal) => Promise<void>;
};

export const REAL_CLOCK: Clock = {
	nowS: () => Date.now() / 1000,
	until: (atS, signal) => wait(Math.max(0, atS * 1000 - Date.now()), undefined, { signal }).catch(() => {}),
};
