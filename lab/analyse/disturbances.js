/**
 * What disturbed a load on purpose: faults that the user put in (FAULT), and a surge of the load itself.
 *
 * @typedef {import('../../k6/shapes.js').Shape} Shape
 *
 * @typedef {object} Disturbance    seconds from the start of the load
 * @property {string} text          as FAULT takes it, or in words
 * @property {string | null} failed why it could not be put in or undone
 * @property {number | null} began
 * @property {number | null} ended
 */

/**
 * @param {any} manifest
 * @returns {Disturbance[]} in the order of time
 */
export function disturbancesOf({ faults = [], shape, load_began_s: from }) {
  const since = (/** @type {number | null} */ moment) => (moment === null ? null : moment - from);
  const put = /** @type {import('../define/fault-plan.js').PutFault[]} */ (faults).map(
    ({ text, failed, began_s: began, ended_s: ended }) => ({
      text,
      failed,
      began: since(began),
      ended: since(ended),
    }),
  );
  return [...put, ...surgeOf(shape)].toSorted((one, other) => (one.began ?? 0) - (other.began ?? 0));
}

/** It is over when the load is again as it was before. @param {Shape | undefined} shape @returns {Disturbance[]} */
function surgeOf(shape) {
  const stages = spansOf(shape);
  const first = stages.findIndex(({ surge }) => surge);
  if (first < 0) return [];
  const back = stages.findIndex(({ surge, held }, index) => index > first && !surge && held);
  const { unit } = /** @type {Shape} */ (shape);
  const text = `surge to ${stages[first].target.toLocaleString('en-US')} ${unit === 'rps' ? 'requests a second' : 'users'}`;
  return [{ text, failed: null, began: stages[first].from, ended: stages[back]?.from ?? null }];
}

/** Each stage with its seconds. @param {Shape | undefined} shape */
export function spansOf(shape) {
  let to = 0;
  return (shape?.stages ?? []).map((stage) => {
    const from = to;
    to += stage.duration_s;
    return { ...stage, from, to };
  });
}
