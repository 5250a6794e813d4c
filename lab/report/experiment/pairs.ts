/** The comparisons that were made: which arm against which, what came out, and the page that shows it. */

import type { ExperimentResult } from '../../record/types.js';
import { html } from '../html.ts';
import { localLink, section } from '../sections/parts.ts';
import { stamp } from '../stamp.ts';
import { table } from '../table.ts';

export function pairsSection({ pairs }: ExperimentResult) {
	if (pairs.length === 0) return null;
	return section('pairs', 'Pairs', [
		html`<p class="lead">Each verdict is on the second variant, against the first, repetition by repetition. The page of a pair shows every metric with its interval.</p>`,
		html`<div class="pairs">${table(
			'Pairs',
			['Compared', 'Verdict', 'In words'],
			pairs.map(({ base, other, href, verdict }) => [
				localLink(href, html`${base} against <b>${other}</b>`),
				stamp(verdict.word),
				verdict.sentence,
			]),
		)}</div>`,
	]);
}
