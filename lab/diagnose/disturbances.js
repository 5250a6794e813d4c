/**
 * What disturbed a load: faults that the user put in (FAULT), hosts of a Swarm that were down or drained, and a surge of the load itself.
 *
 * @typedef {import('../../k6/lib/shapes.js').Shape} Shape
 *
 * @typedef {object} Disturbance    seconds from the start of the load
 * @property {string} text          as FAULT takes it, or in words
 * @property {string | null} failed why it could not be put in or undone
 * @property {number | null} began
 * @property {number | null} ended
 */
import { plannedSpans } from './time/stages.js';

/**
 * @param {any} manifest
 * @returns {Disturbance[]} in the order of time
 */
export function disturbancesOf({ faults = [], outages = [], shape, load_began_s: from }) {
  const since = (/** @type {number | null} */ moment) => (moment === null ? null : moment - from);
  const put = /** @type {import('../options/fault-plan.js').PutFault[]} */ (faults).map(
    ({ text, failed, at_s: at, began_s: began, ended_s: ended }) => ({
      at,
      disturbance: { text, failed, began: since(began), ended: since(ended) },
    }),
  );
  const hosts = /** @type {import('../extras/swarm/outages.js').Outage[]} */ (outages).map(({ text, began_s: began, ended_s: ended }) => ({
    at: began - from,
    disturbance: { text, failed: null, began: since(began), ended: since(ended) },
  }));
  const surges = surgeOf(shape).map((disturbance) => ({ at: disturbance.began ?? 0, disturbance }));
  return [...put, ...hosts, ...surges].toSorted((one, other) => one.at - other.at).map(({ disturbance }) => disturbance);
}

/** It is over when the load is again as it was before. @param {Shape | undefined} shape @returns {Disturbance[]} */
function surgeOf(shape) {
  if (shape === undefined) return [];
  const spans = plannedSpans(shape);
  const first = spans.findIndex(({ stage }) => stage.surge);
  if (first < 0) return [];
  const back = spans.find(({ stage }, index) => index > first && !stage.surge && stage.held);
  const { from_s: began, stage } = spans[first];
  const text = `surge to ${stage.target.toLocaleString('en-US')} ${shape.unit === 'rps' ? 'requests a second' : 'users'}`;
  return [{ text, failed: null, began, ended: back?.from_s ?? null }];
}
