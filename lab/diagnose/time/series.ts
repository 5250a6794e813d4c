/** What is drawn on the timeline's seconds beside k6's own figures: failures by tier. */

import type { TimelineRow } from '../../record/types.js';
import type { PlacedTrace } from '../ledger/ledger.ts';
import type { Window } from './window.ts';

/**
 * Failures a second by tier: each placed failure in the second that it ended. Where k6's record stands for several seconds at
 * once, so do these.
 */
export function failuresByTier(all: PlacedTrace[], window: Window, timeline: TimelineRow[]): Record<string, (number | null)[]> {
	const tiers = [...new Set(all.map(({ placement }) => placement?.tier ?? 'unattributed'))];
	const seconds = new Map(timeline.map(({ t_s }, index) => [t_s, index]));
	const last = timeline.at(-1)?.t_s ?? 0;
	const series = Object.fromEntries(tiers.map((tier) => [tier, timeline.map(({ t_s }) => (t_s > 0 ? 0 : null))]));
	for (const { trace, placement } of all) {
		const index = seconds.get(Math.min(Math.ceil(trace.t - window.from), last));
		const values = series[placement?.tier ?? 'unattributed'];
		if (index !== undefined && values[index] !== null) values[index] += 1;
	}
	return series;
}
