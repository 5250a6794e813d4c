/**
 * Each failed request at a place: of a user's own system where following the waiting ends, of a shipped one by the rules for its products.
 *
 * @typedef {import('./ledger/facts.js').Facts} Facts
 * @typedef {import('./ledger/ledger.js').PlacedTrace} PlacedTrace
 * @typedef {import('./waiting/waiting.js').Followed} Followed
 */

import { logWords } from '../adapters/hop-counts.js';
import { heldAgainstWire } from './held-against-wire.js';
import { withHiddenEntries } from './hidden-entries.js';
import { joinedOf } from './joins/numbering.js';
import { placeAll } from './ledger/ledger.js';
import { placeWaited } from './ledger/waited.js';
import { measuredSystem } from './measured-system.js';
import { followAll } from './waiting/waiting.js';

/**
 * @param {Facts} facts
 * @param {import('./joins/numbering.js').Joined | null} [joined]  its wire
 * @returns {Followed | null} null where it is placed by rules, and where nothing was recorded of the wire
 */
function followedIn(facts, joined = facts.raw.wire ? joinedOf(facts.raw.wire) : null) {
  const { raw, window, generator } = facts;
  if (!measuredSystem(raw.manifest).isFollowed || !joined) return null;
  return followAll(raw, window, { joined: withHidden(joined, facts), words: logWords, failures: generator.failed });
}

/** @param {import('./joins/numbering.js').Joined} joined @param {Facts} facts */
function withHidden(joined, { raw, generator, entries }) {
  const reported = withHiddenEntries(joined, { generator: generator.name, entries, failures: raw.failures });
  return reported === joined.wire ? joined : joinedOf(reported);
}

/**
 * @param {Facts} facts
 * @param {Followed | null} [followed]
 * @returns {PlacedTrace[]} each failed request once, in the order of their ends; null where nothing says where it failed
 */
export function placementsOf(facts, followed = followedIn(facts)) {
  if (followed !== null) return placeWaited(facts, followed);
  const all = placeAll(facts);
  return measuredSystem(facts.raw.manifest).isFollowed ? all.map((placed) => onRecord(placed, facts)) : heldAgainstWire(all, facts);
}

/** With what following told; what it saw of the wire is not kept beyond it. @param {Facts} facts @param {import('./joins/numbering.js').Joined | null} joined */
export function placedIn(facts, joined) {
  const followed = followedIn(facts, joined);
  return { all: placementsOf(facts, followed), waiting: followed?.reported ?? null };
}

/**
 * Without the wire, only a service's own record of a request says that it went there: what happened at the same time may be none of its. Where
 * users come in at several services, that one of them has no record of it proves nothing.
 * @param {PlacedTrace} placed @param {Facts} facts @returns {PlacedTrace}
 */
function onRecord({ trace, placement }, { entries }) {
  const isKnown = entries.size === 1 || trace.seen !== null || trace.attempts.length > 0;
  return { trace, placement: isKnown && placement?.where === 'proved' ? placement : null };
}
