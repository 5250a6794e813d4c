/** Figures of a capacity plan as its page and the terminal write them. */

import type { CapacityPlan, Response } from '../../record/types.js';
import { extremes } from '../experiment/words.ts';
import { count, milliseconds, rate, tierTitle } from '../format.ts';

export const capacityTitle = ({ rps, p95_ms: p95 }: CapacityPlan['target']) =>
	`Nodes for ${count(rps)} requests a second${p95 === null ? '' : `, p95 of at most ${milliseconds(p95)}`}`;

/** `712 to 780 rps`. */
export const rpsBetween = ({ low, high }: { low: number; high: number }) => extremes({ median: null, low, high }, rate);

/** `12 to 40 ms`, or `12 ms or more`. */
export const msBetween = ({ low, high }: Response) =>
	high === null ? `${milliseconds(low)} or more` : extremes({ median: null, low, high }, milliseconds);

/** The app tier is what is planned. */
export const tierNamed = (tier: string) => (tier === 'app' ? 'nodes' : tierTitle(tier));
