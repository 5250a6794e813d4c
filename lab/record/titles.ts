/**
 * How titles of causes are made.
 */

/**
 * A title whose subject is the place.
 * @param ofIt its predicate
 */
export const it = (ofIt: string) => ({ title: `it ${ofIt}`, ofIt });
