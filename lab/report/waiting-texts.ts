/** How much of what failed was followed, in sentences, for the page and for Markdown. */

import type { Result } from '../record/types.js';
import { count } from './format.ts';

/** @returns none where nothing failed on the wire, or nothing was recorded */
export const followedNotes = ({ waiting }: Pick<Result, 'waiting'>): string[] =>
	waiting && waiting.failed > 0
		? [
				`Doubletake followed ${count(waiting.followed)} of ${count(waiting.failed)} failed requests through the network record, from the entry to the last service that they waited for. It compared successful requests with them.`,
				...waiting.doubts.map((doubt) => `Doubt: ${doubt}.`),
			]
		: [];
