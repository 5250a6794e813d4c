/**
 * What the wire tells of single requests: by what they asked for, hop by hop, how safely their hops were joined, and which of them ended by a
 * time-out.
 *
 * @typedef {import('../../define/result.js').Wire} Wire
 */
import { timeoutsOf } from '../wire-timeouts.js';
import { treesOf } from './trees.js';
import { urlsOf } from './urls.js';
import { waterfallsOf } from './waterfalls.js';

/**
 * @param {Pick<import('../read-raw.js').Raw, 'wire' | 'failures' | 'program'>} raw
 * @param {import('../window.js').Window} window
 * @returns {import('./trees.js').Trees | null} null where nothing was recorded
 */
export const wireTreesOf = ({ wire, failures, program }, window) =>
  wire ? treesOf(wire, window, program ? null : new Set(failures.map(({ id }) => id))) : null;

/**
 * @param {Parameters<typeof wireTreesOf>[0]} raw
 * @param {import('../window.js').Window} window
 * @param {import('./trees.js').Trees | null} [trees]  of the same record
 * @returns {(Required<Pick<Wire, 'urls' | 'waterfalls' | 'joins'>> & ReturnType<typeof timeoutsOf>) | null} null where nothing was recorded
 */
export function wireRequestsOf(raw, window, trees = wireTreesOf(raw, window)) {
  if (!raw.wire || trees === null) return null;
  return { urls: urlsOf(trees), waterfalls: waterfallsOf(trees, window), joins: trees.joins.edges, ...timeoutsOf(raw.wire, trees, window) };
}
