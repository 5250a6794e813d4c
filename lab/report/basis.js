/**
 * How placements are known, in words.
 */
import { percent } from './format.js';

/** The best first. */
export const BASES = ['proved', 'timed', 'counted', 'inferred'];

/**
 * `proved 98 %, inferred 2 %`: what nothing is known by is left out.
 * @param {Record<string, number>} counts  by basis
 * @param {number} all                     of which these are some
 */
export const basisText = (counts, all) =>
  BASES.filter((basis) => counts[basis] > 0)
    .map((basis) => `${basis} ${percent(counts[basis] / all)}`)
    .join(', ');
