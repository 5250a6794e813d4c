/**
 * What the wire tells of single requests: by what they asked for, hop by hop, how safely their hops were joined, and which of them ended by a
 * time-out.
 *
 * @typedef {import('../../record/result.js').Wire} Wire
 */
import { timeoutsOf } from '../wire-timeouts.js';
import { treesOf } from './trees.js';
import { urlsOf } from './urls.js';
import { waterfallsOf } from './waterfalls.js';

/**
 * @param {Pick<import('../read-raw.js').Raw, 'failures' | 'program'>} raw
 * @param {import('../time/window.js').Window} window
 * @param {import('../joins/joined.js').Joined} joined  the wire of that run
 */
export const wireTreesOf = ({ failures, program }, window, joined) =>
  treesOf(joined, window, program ? null : new Set(failures.map(({ id }) => id)));

/**
 * @param {Parameters<typeof wireTreesOf>[0]} raw
 * @param {import('../time/window.js').Window} window
 * @param {import('../joins/joined.js').Joined} joined
 * @param {import('./trees.js').Trees} [trees]  of it
 * @returns {Required<Pick<Wire, 'urls' | 'waterfalls' | 'joins'>> & ReturnType<typeof timeoutsOf>}
 */
export const wireRequestsOf = (raw, window, joined, trees = wireTreesOf(raw, window, joined)) => ({
  ...{ urls: urlsOf(trees), waterfalls: waterfallsOf(trees, window), joins: trees.joins.edges },
  ...timeoutsOf(joined, trees, window),
});
