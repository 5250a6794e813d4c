/**
 * Every run as a dot: a small picture for each metric, a row for each block, both arms of a block joined by a line. The page's script draws
 * the pictures.
 */

import type { Comparison } from '../../record/types.js';
import { count, FORMATS, numeric } from '../format.ts';
import { html } from '../html.ts';
import { section } from '../sections/parts.ts';
import { dataTable } from '../table.ts';
import { shownRuns } from './arms.ts';
import { armName } from './parts.ts';

export function dotsSection(comparison: Comparison) {
	const runs = shownRuns(comparison);
	if (runs.length === 0) return null;
	const { metrics, base, other } = comparison;
	return section(
		'dots',
		'Every run',
		html`<figure class="dots-figure">
<figcaption><b>A row for each repetition, a dot for each run.</b> See whether all lines lean to the same side. Upright: the medians. Hollow: runs that do not count, the INVALID ones crossed. Pointing at a dot shows its run in all pictures; the dot, and what is written above it, lead to the run's report.
<span class="key">${armName('base', base.id)} ${armName('other', other.id)}</span></figcaption>
<div class="strips"></div>
${dataTable(
	'Every run',
	[numeric('Repetition'), 'Variant', 'Validity', 'Counts', ...metrics.map(({ label }) => numeric(label))],
	runs.map(({ run, id }) => [
		count(run.block),
		id,
		run.validity.verdict,
		run.counts ? 'yes' : 'no',
		...metrics.map((metric) => FORMATS[metric.unit](run.metrics[metric.id])),
	]),
)}
</figure>`,
	);
}
