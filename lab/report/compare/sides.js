/**
 * The two arms of a comparison.
 *
 * @typedef {'base' | 'other'} Side
 */
export const SIDES = /** @type {const} */ (['base', 'other']);
