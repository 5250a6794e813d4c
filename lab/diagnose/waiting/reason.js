/**
 * What ends have in common that are one finding: the place, by its service, the mechanism, and the edge on which it shows.
 */

/** @param {import('./seen.js').Seen} seen @returns {(found: { end: import('./follow.js').End }) => string} */
export function reasonIn({ wire }) {
  const service = new Map(wire.services.map((one) => [one.name, one.service]));
  return ({ end: { place, why } }) => JSON.stringify([service.get(place.service) || place.service, why.mechanism, place.edge?.to]);
}
