/** Both arms on one time axis. */

import type { Comparison } from '../../record/types.js';
import { html } from '../html.ts';
import { isMeasured } from '../panels.ts';
import { section } from '../sections/parts.ts';
import { chartFigure } from '../sections/time-ledger.ts';
import { comparePanels } from './arms.ts';

export function timelineSection(comparison: Comparison) {
	const panels = comparePanels(comparison);
	// Where a program made the load, nothing is known of its seconds.
	if (!panels.some(({ series }) => series.some(isMeasured))) return null;
	return section(
		'timeline',
		'Measurements over time',
		html`<p class="lead">The axis shows seconds since the start of the load. Lines are medians of the counted runs, ${comparison.base.id} dashed, ${comparison.other.id} solid. Bands show the lowest and highest values. All charts share one cursor.</p>
${panels.filter(({ series }) => series.some(isMeasured)).map(chartFigure)}`,
	);
}
