/**
 * How titles of causes are made.
 */

/** A title whose subject is the place. @param {string} ofIt  its predicate */
export const it = (ofIt) => ({ title: `it ${ofIt}`, ofIt });
