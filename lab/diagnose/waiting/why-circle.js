/**
 * Do services wait for each other in a circle? The way ends where it would come back: each has its workers taken by what waits for the other.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { countsAt } from './moments.js';
import { spread } from './spread.js';
import { slownessOf, tookText } from './step.js';
import { few } from './text.js';

/** @param {Step} step @returns {Why | null} */
export function circle(step) {
  const { seen, service, path, waiting, readings, moments } = step;
  const [most] = waiting.callees;
  if (!most || most.mean <= waiting.own || !path.includes(most.to)) return null;
  const slow = slownessOf(step, most.to);
  if (!slow.isSlower) return null;
  const first = most.to;
  const next = path[path.indexOf(first) + 1] ?? service;
  const isOfLoad = (/** @type {number} */ call) => seen.began[call] >= seen.load.warmupFrom;
  const high = spread(countsAt(seen, seen.onEdge(first, next), seen.waited, moments, isOfLoad), 1);
  const queue = readings.queued(first, moments);
  return {
    mechanism: 'workers-taken',
    title: `waited in a circle: for ${next}, ${next === service ? 'which' : `and ${service}`} waited for ${first} again, whose workers that took`,
    basis: 'inferred',
    place: { service: first, edge: { from: first, to: next } },
    evidence: [
      `${few(waiting.standing)} requests were in ${service}, which waited for ${few(most.mean)} answers of ${first}; up to ${few(high)} requests in ${first} waited for ${next} meanwhile.`,
      tookText(first, slow),
      ...(queue && queue.middle > 0 ? [`${few(queue.middle)} connections waited to be accepted by ${first}.`] : []),
    ],
  };
}
