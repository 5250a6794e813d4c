/** How placements are known, in words. */

import { BASES, percent } from './format.ts';

/**
 * `proved 98 %, inferred 2 %`: what nothing is known by is left out.
 * @param counts by basis
 * @param all of which these are some
 */
export const basisText = (counts: Record<string, number>, all: number) =>
	BASES.filter((basis) => counts[basis] > 0)
		.map((basis) => `${basis} ${percent(counts[basis] / all)}`)
		.join(', ');
