/**
 * Where the analysis of a record places each of its failed requests, by their ids. Pure.
 *
 * @typedef {object} PlacedRequest
 * @property {string} id
 * @property {string} kind  service, cause, what made it many, and how each is known: in one line
 */
import { gatherFacts } from '../../diagnose/ledger/facts.js';
import { placementsOf } from '../../diagnose/placements.js';
import { windowOf } from '../../diagnose/time/window.js';

const NOWHERE = 'nowhere';

/** @param {import('../../diagnose/read-raw.js').Raw} raw @returns {PlacedRequest[]} as they ended */
export function placedRequests(raw) {
  const window = windowOf(raw);
  if (window === null) return [];
  return placementsOf(gatherFacts(raw, window)).map(({ trace, placement }) => ({ id: trace.id, kind: kindOf(placement) }));
}

/** @param {import('../../diagnose/ledger/place.js').Placement | null} placement */
function kindOf(placement) {
  if (placement === null) return NOWHERE;
  const { tier, service, cause, amplifier, where, why } = placement;
  const many = amplifier ? `, made many by ${amplifier.service} ${amplifier.cause}` : '';
  return `${tier} ${service}: ${cause}${many} (where ${where}; why ${why})`;
}
