/**
 * Each failed request at a place: of a user's own system where following the waiting ends, of a shipped one by the rules for its products.
 */

import { logWords } from '../adapters/log-words.ts';
import { asFarAsWhole, isWhole } from './damage.ts';
import { withHiddenEntries } from './hidden-entry.ts';
import { type Joined, joinedOf } from './joins/joined.ts';
import type { Facts } from './ledger/facts.ts';
import type { PlacedTrace } from './ledger/ledger.ts';
import { placeWaited } from './ledger/waited.ts';
import { placeAll } from './rules.ts';
import { type Followed, followAll } from './waiting/waiting.ts';
import { heldAgainstWire } from './wire-arrivals.ts';

export type { PlacedTrace };

/**
 * @param joined its wire
 * @returns null where it is placed by rules, and where nothing was recorded of the wire
 */
function followedIn(facts: Facts, joined: Joined | null = facts.raw.wire ? joinedOf(facts.raw.wire) : null): Followed | null {
	const { raw, window, generator, system } = facts;
	if (!system.isFollowed || !joined) return null;
	const whole = withHidden(joined, facts);
	return followAll(raw, window, { joined: whole, words: logWords, failures: generator.failed, isDamaged: !isWhole(raw) });
}

function withHidden(joined: Joined, { raw, generator, entries }: Facts) {
	const reported = withHiddenEntries(joined, { generator: generator.name, entries, failures: raw.failures });
	return reported === joined.wire ? joined : joinedOf(reported);
}

/** @returns each failed request once, in the order of their ends; null where nothing says where it failed */
export const placementsOf = (facts: Facts, followed: Followed | null = followedIn(facts)): PlacedTrace[] =>
	asFarAsWhole(placedBy(facts, followed), facts.raw);

function placedBy(facts: Facts, followed: Followed | null) {
	if (followed !== null) return placeWaited(facts, followed);
	const all = placeAll(facts);
	return facts.system.isFollowed ? all.map((placed) => onRecord(placed, facts)) : heldAgainstWire(all, facts);
}

/** With what following told; what it saw of the wire is not kept beyond it. */
export function placedIn(facts: Facts, joined: Joined | null) {
	const followed = followedIn(facts, joined);
	return { all: placementsOf(facts, followed), waiting: followed?.reported ?? null };
}

/**
 * Without the wire, only a service's own record of a request says that it went there: what happened at the same time may be none of its. Where
 * users come in at several services, that one of them has no record of it proves nothing.
 */
function onRecord({ trace, placement }: PlacedTrace, { entries }: Facts): PlacedTrace {
	const isKnown = entries.size === 1 || trace.seen !== null || trace.attempts.length > 0;
	return { trace, placement: isKnown && placement?.where === 'proved' ? placement : null };
}
