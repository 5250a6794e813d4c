/** The load stage by stage: a ramp has no steady state, so its figures are read in pieces. */

import type { Shape, Stage } from '../../../k6/lib/shapes.js';
import type { TimelineRow } from '../../record/types.js';

type StageSpan = { from_s: number; to_s: number; stage: Stage };

/** @returns a stage's first second is the one after `from_s` */
export function plannedSpans({ stages }: Shape): StageSpan[] {
	let to = 0;
	return stages.map((stage) => {
		const from = to;
		to += stage.duration_s;
		return { from_s: from, to_s: to, stage };
	});
}

/**
 * @param took seconds that the load took, where it ended before its time
 * @returns only stages that the load reached, the last of them until the second in which the load ended
 */
export const stageSpans = (shape: Shape, timeline: TimelineRow[], took: number = Number.POSITIVE_INFINITY): StageSpan[] =>
	plannedSpans(shape)
		.map((span) => ({ ...span, to_s: Math.min(span.to_s, Math.max(Math.ceil(took), span.from_s)) }))
		.filter(({ from_s, to_s }) => timeline.some(({ t_s }) => t_s > from_s && t_s <= to_s));
