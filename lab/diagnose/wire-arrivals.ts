/**
 * Placements that say of a request, or of its answer, that it never arrived or was not read, compared with the wire: where that lost packets of
 * the edge, or saw what is said not to have been, nothing proves it.
 */

import { causes } from '../record/causes.ts';
import type { WireGap } from '../record/types.js';
import type { Facts } from './ledger/facts.ts';
import type { PlacedTrace } from './ledger/ledger.ts';
import type { Basis, Placement } from './ledger/place.ts';
import { contradicts } from './wire-failures.ts';
import { isTouched } from './wire-gaps.ts';

/** @returns the same, of which some are only inferred; as they are where nothing was recorded of the wire */
export function heldAgainstWire(all: PlacedTrace[], facts: Facts): PlacedTrace[] {
	const { passed, gaps } = facts;
	if (!passed || !all.some(({ placement }) => placement && isUnarrived(placement))) return all;
	const known = new Set(passed.lined.wire.services.map(({ name }) => name));
	return all.map((one) => {
		const { trace, placement } = one;
		if (placement === null || !isUnarrived(placement)) return one;
		if (!isLost(gaps, placement.service, known) && !contradicts(passed.asked.get(trace.id), placement, trace)) return one;
		return { trace, placement: { ...placement, where: unproved(placement.where), why: unproved(placement.why) } };
	});
}

const isUnarrived = ({ cause }: Placement) => causes[cause].unarrived !== undefined;

const unproved = (basis: Basis): Basis => (basis === 'proved' ? 'inferred' : basis);

/**
 * Whether the wire may lack what came to a service, or to one of several that a placement names. Of one that is not on record it is not known
 * which edge leads there.
 */
function isLost(gaps: WireGap[], service: string, known: Set<string>) {
	const names = service.split(', ');
	return isTouched(gaps, ['dropped', 'ended'], ({ to }) => names.includes(to) || names.some((name) => !known.has(name)));
}
