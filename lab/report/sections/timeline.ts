/** Everything that was measured over time, on one axis. */

import type { Result } from '../../record/types.js';
import { isProgram } from '../calibration.ts';
import { doubtMark } from '../doubts.ts';
import { html } from '../html.ts';
import { timelinePanels } from '../panels.ts';
import { section } from './parts.ts';
import { chartFigure } from './time-ledger.ts';

export function timelineSection(result: Result) {
	// A program counts its work when it is done: nothing is known of its seconds.
	if (isProgram(result)) return null;
	const hasWarmup = result.timeline.some((row) => row.warmup);
	return section(
		'timeline',
		html`Measurements over time${doubtMark(result, ['rates', 'latencies'])}`,
		html`<p class="lead">The axis shows seconds since the start of the load. Each vertical line marks the start of a stage and names its target. All charts share one cursor.${hasWarmup && ' The numbers in this report leave out the shaded warm-up.'}</p>
${timelinePanels(result).map(chartFigure)}`,
	);
}
