/** Calls that waited for a lock, as the service itself told once a second: who held it, whatever client that is. */

import type { Holder } from './readings.ts';

/** Of the requests that stood there: one may be between two waits, and a reading comes once a second. */
export const WAITING_SHARE = 0.5;
export const WAITING_LEAST = 1;
/** What waits so often in calm seconds too explains nothing. */
export const LIFT_TIMES = 3;
export const HOLDERS_SHOWN = 3;

export const countOf = (holders: Holder[]) => holders.reduce((sum, { waiting }) => sum + waiting, 0);
