/**
 * Rules for requests that their user stopped waiting for, or that were never answered: placed where they stood at the time.
 */

import { blameBehind } from './behind.js';
import { blameWaiting } from './blame-attempt.js';
import { blameDatabase, isOfDatabase } from './blame-database.js';
import { blameQueue } from './blame-queue.js';
import {
  AROUND_S,
  crashDuring,
  deathDuring,
  isExhausted,
  isService,
  overlapping,
  placed,
  tierOf,
  tookMost,
  whileWaiting,
} from './place.js';

const WAITED = new Set(['timeout', 'unanswered', 'dial_timeout', 'cut_at_end']);

/** Signs in the generator's network namespace that what it sent did not arrive. */
const LOST_PACKETS = ['TCPTimeouts', 'TCPSynRetrans'];
/** Of the first tier's queue of connections to be accepted. */
const OVERFLOWS = ['ListenOverflows', 'ListenDrops'];

/** @type {import('./place.js').Rule[]} */
export const waitingRules = [
  { id: 'waiting-at-a-node', place: placeAtNode },
  { id: 'waiting-before-a-node', place: placeBeforeNode },
  { id: 'waiting-at-the-entry', place: placeAtEntry },
];

/** @type {import('./place.js').Rule['place']} */
function placeAtNode(trace, facts, counters) {
  const attempt = trace.attempts.at(-1);
  // What was answered in time was lost on its way back.
  if (!WAITED.has(trace.kind) || !attempt || (attempt.outcome === 'answered' && Number(attempt.ended) <= trace.t)) return null;
  const { node, place, error } = attempt;
  const span = whileWaiting(trace);
  if (isOfDatabase(error)) return blameDatabase(facts, counters, { node, error, place: '', ...span });
  const crash = crashDuring(facts, node, span);
  if (crash) return placed({ tier: 'app', service: node, cause: crash }, 'proved', 'timed');
  if (place === 'database' || place === 'pool') return blameDatabase(facts, counters, { node, error: '', place, ...span });
  const still = overlapping(facts.stalls, node, span);
  const waiting = !still && facts.silent.has(node) ? blameWaiting(facts, counters, { node, ...span }) : null;
  if (waiting) return waiting;
  return placed({ tier: 'app', service: node, cause: still ? 'stood-still' : 'client-gave-up' }, 'proved', still ? 'timed' : 'proved');
}

/** The proxy passed it on, and the node has no record of it. @type {import('./place.js').Rule['place']} */
function placeBeforeNode(trace, facts, counters) {
  const last = trace.asked.at(-1);
  if (!WAITED.has(trace.kind) || !last || !isService(facts, last.to)) return null;
  const node = last.to;
  if (trace.attempts.some((attempt) => attempt.node === node)) return null;
  const atNode = (/** @type {string} */ cause) => ({ tier: tierOf(facts, node), service: node, cause });
  const span = whileWaiting(trace);
  const crash = crashDuring(facts, node, span);
  // What could not be connected for longer before its end was lost for something else, such as the way to its host.
  const wasGone = last.connected || Number(deathDuring(facts, node, span)?.stopping) - AROUND_S <= span.from;
  if (crash && wasGone) return placed(atNode(crash), 'proved', 'timed');
  if (overlapping(facts.stalls, node, span)) return placed(atNode('stood-still'), 'proved', 'timed');
  if (last.connected && !facts.watched.has(node))
    return blameBehind(facts, counters, { service: node, isSlow: true, ...span }) ?? placed(atNode('client-gave-up'), 'proved', 'inferred');
  if (last.connected) return placed(atNode('never-read'), 'proved', 'proved');
  const overflow = counters.take(`${node} ListenOverflows`, span.from - 1, span.to + 1);
  return overflow ? placed(atNode('accept-backlog-overflow'), 'proved', 'timed') : placed(atNode('unreachable'), 'proved', 'proved');
}

/**
 * No tier behind the first has a record of it, so it never got further; or one has, and its answer came no further.
 * @type {import('./place.js').Rule['place']}
 */
function placeAtEntry(trace, facts, counters) {
  const answered = trace.attempts.at(-1)?.outcome === 'answered';
  if (!WAITED.has(trace.kind) || (trace.attempts.length > 0 && !answered)) return null;
  const { name, tier } = facts.entry;
  const atEntry = (/** @type {string} */ cause) => ({ tier: /** @type {import('./place.js').Tier} */ (tier), service: name, cause });
  const span = whileWaiting(trace);
  const crash = crashDuring(facts, name, span);
  if (crash) return placed(atEntry(crash), 'proved', 'timed');
  // Where its queue overflows, dialling again is what that looks like from here.
  const overflowed = OVERFLOWS.some((counter) => counters.rose(`${name} ${counter}`, span.from, span.to + 1));
  const lost = LOST_PACKETS.map((counter) => `${facts.generator.name} ${counter}`);
  const hasLost = !overflowed && lost.some((counter) => counters.rose(counter, span.from, span.to + 1));
  // That a proxy finished nothing is all that is known of its standstill; a kernel takes what is sent to a program that stands still.
  if (overlapping(facts.stalls, name, span, AROUND_S))
    return placed(atEntry(hasLost && facts.front ? 'unreachable' : 'stood-still'), 'proved', 'timed');
  if (answered) return placed(atEntry('answer-lost'), 'proved', 'proved');
  if (OVERFLOWS.some((counter) => counters.take(`${name} ${counter}`, span.from, span.to + 1)))
    return placed(atEntry('accept-backlog-overflow'), 'proved', 'timed');
  if (isExhausted(facts, span)) return placed(atEntry('balancer-exhausted'), 'proved', 'timed');
  if (!trace.seen && tookMost(facts.shortages.files, name, span)) return placed(atEntry('out-of-descriptors'), 'proved', 'timed');
  // What does not arrive is sent again, each at least once.
  if (!overflowed && lost.some((counter) => counters.take(counter, span.from, span.to + 1)))
    return placed(atEntry('unreachable'), 'proved', 'timed');
  if (trace.kind === 'dial_timeout') return placed(atEntry('unreachable'), 'proved', 'proved');
  if (trace.seen?.place === 'queue') return blameQueue(trace, facts, counters);
  if (trace.seen) return placed(atEntry('client-gave-up'), 'proved', 'proved');
  if (facts.watched.has(name)) return placed(atEntry('never-read'), 'proved', 'inferred');
  return blameBehind(facts, counters, { service: name, isSlow: true, ...span });
}
