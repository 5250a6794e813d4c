/**
 * Which arms a claim is about: those of its tests, of its relief, and of its sentences.
 *
 * @typedef {import('./claims.js').Claim} Claim
 */

/** Arms without which a test cannot be made; none for one on the published file. @param {Claim['tests'][number]} test @returns {string[]} */
export function armsOfTest(test) {
  if (test.kind === 'published') return [];
  return test.kind === 'compare' ? [test.base, test.other] : [test.arm];
}

/** All arms without which a claim cannot be decided or told. @param {Claim} claim @returns {string[]} */
export const armsOfClaim = ({ tests, relief, quotes }) => [
  ...new Set([
    ...tests.flatMap(armsOfTest),
    ...(relief ? [relief.before, ...relief.rows.map(({ arm }) => arm)] : []),
    ...Object.values(quotes).flatMap(armsIn),
  ]),
];

/** Arms of which a sentence shows a figure. @param {string} sentence */
export const armsIn = (sentence) => [...sentence.matchAll(/@([^}]+)\}/g)].map(([, arm]) => arm);
