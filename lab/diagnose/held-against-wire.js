/**
 * Placements that say of a request, or of its answer, that it never arrived or was not read, compared with the wire: where that lost packets of
 * the edge, or saw what is said not to have been, nothing proves it.
 *
 * @typedef {import('./ledger/place.js').Placement} Placement
 * @typedef {import('./ledger/place.js').Basis} Basis
 * @typedef {import('./ledger/ledger.js').PlacedTrace} PlacedTrace
 *
 * @typedef {import('./wire-ways.js').Asked} Asked
 * @typedef {import('../record/types.js').WireGap} WireGap
 */

import { causes } from '../record/causes.js';
import { linedOf } from './joins/numbering.js';
import { isTouched } from './wire-gaps.js';
import { callsById, waysOf } from './wire-ways.js';

/**
 * @param {PlacedTrace[]} all
 * @param {import('./ledger/facts.js').Facts} facts
 * @returns {PlacedTrace[]} the same, of which some are only inferred; as they are where nothing was recorded of the wire
 */
export function heldAgainstWire(all, facts) {
  const { raw, window, gaps } = facts;
  if (!raw.wire || !all.some(({ placement }) => placement && isUnarrived(placement))) return all;
  const known = new Set(raw.wire.services.map(({ name }) => name));
  const ways = waysOf(linedOf(raw.wire), window.from);
  const asked = callsById(ways, new Set(all.map(({ trace }) => trace.id)));
  return all.map((one) => {
    const { trace, placement } = one;
    if (placement === null || !isUnarrived(placement)) return one;
    if (!isLost(gaps, placement.service, known) && !contradicts(asked.get(trace.id), placement, trace)) return one;
    return { trace, placement: { ...placement, where: unproved(placement.where), why: unproved(placement.why) } };
  });
}

/** @param {Placement} placement */
const isUnarrived = ({ cause }) => causes[cause].unarrived !== undefined;

/** @param {Basis} basis @returns {Basis} */
const unproved = (basis) => (basis === 'proved' ? 'inferred' : basis);

/**
 * Whether the wire may lack what came to a service, or to one of several that a placement names. Of one that is not on record it is not known
 * which edge leads there.
 * @param {WireGap[]} gaps @param {string} service @param {Set<string>} known
 */
function isLost(gaps, service, known) {
  const names = service.split(', ');
  return isTouched(gaps, ['dropped', 'ended'], ({ to }) => names.includes(to) || names.some((name) => !known.has(name)));
}

/**
 * Whether the wire saw what a placement says not to have been: of a request, that the service answered it or asked another for it; of an
 * answer, that it was whole before its asker had left.
 * @param {Asked[] | undefined} asked  that carry the request's id @param {Placement} placement @param {{ t: number }} trace
 */
export function contradicts(asked = [], { service, cause }, { t }) {
  const { unarrived } = causes[cause];
  const names = service.split(', ');
  const isThere = (/** @type {string} */ name) => names.includes(name);
  if (unarrived === 'request')
    return asked.some(
      ({ way, call }) => (isThere(way.to) && call.first_at !== null && call.first_at <= t) || (isThere(way.from) && call.began_at <= t),
    );
  if (unarrived !== 'answer') return false;
  const last = asked.findLast(({ way }) => isThere(way.to))?.call;
  return last?.end === 'answered' && last.ended_at !== null && last.ended_at <= t;
}
