/**
 * How many blocks a finding rests on, in words.
 *
 * @typedef {Pick<import('../record/comparison.js').Blocks, 'complete' | 'wanted' | 'least'>} Blocks
 */
import { count, plural } from './format.js';

/** @param {Blocks} blocks */
export const blocksText = ({ complete, wanted }) => `${count(complete)} of ${plural(wanted, 'block')} complete`;

/** @param {Blocks} blocks */
export const tooFewText = ({ least }) => `A verdict needs ${count(least)}.`;
