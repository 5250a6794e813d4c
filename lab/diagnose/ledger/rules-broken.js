/**
 * Rules for failed requests without an answer: the connection could not be made, or broke.
 */

import { attributeAttempt, blameLastAttempt } from './blame-attempt.js';
import { AROUND_S, crashDuring, hasLostWorker, isExhausted, isUnread, overlapping, placed, tierOf, whileWaiting } from './place.js';
import { topologyOf } from './topology.js';

/**
 * Joins moments into times: those at most `gapS` apart belong together, and each reaches a little beyond its ends.
 * @param {number[]} moments in order
 * @param {{ gapS: number, beforeS: number, afterS: number }} reach
 */
export function episodes(moments, { gapS, beforeS, afterS }) {
  /** @type {{ from: number, to: number }[]} */
  const times = [];
  for (const moment of moments) {
    const last = times.at(-1);
    if (last && moment - last.to <= gapS) last.to = moment;
    else times.push({ from: moment, to: moment });
  }
  return times.map(({ from, to }) => ({ from: from - beforeS, to: to + afterS }));
}

/** The other side closed or broke the connection. */
const BROKEN = new Set(['eof', 'reset', 'server_closed_idle', 'broken_pipe']);
/** A connection could not be made. */
const UNCONNECTED = new Set(['refused', 'unreachable', 'lookup']);
const EXHAUSTED = new Set(['no_descriptors', 'no_ports', 'generator_exhausted']);
/**
 * A proxy may say so once a second at most, and a user finds the connection closed only with the next request, which a busy
 * generator may send seconds later.
 */
const TABLE_FULL_REACH = { gapS: 5, beforeS: 2, afterS: 6 };

/**
 * What the generator says of itself.
 * @type {import('./place.js').Rule[]}
 */
export const generatorRules = [
  { id: 'generator-exhausted', place: placeExhausted },
  { id: 'cut-at-end', place: placeCutAtEnd },
];

/**
 * What never got to a tier, or to one that was gone: before it is asked where a request waited.
 * @type {import('./place.js').Rule[]}
 */
export const goneRules = [
  { id: 'entry-down', place: placeDown },
  { id: 'worker-crashed', place: placeCrashedWorker },
];

/** @type {import('./place.js').Rule[]} */
export const brokenRules = [
  { id: 'broken-after-reading', place: placeReadAndBroken },
  { id: 'accept-backlog-overflow', place: placeOverflow },
  { id: 'connection-table-full', place: placeTableFull },
  { id: 'invalid-answer', place: placeInvalid },
  { id: 'balancer-exhausted', place: placeBalancerExhausted },
  { id: 'out-of-descriptors', place: placeOutOfDescriptors },
  { id: 'unreachable', place: placeUnreachable },
  { id: 'closed-unlogged', place: placeUnlogged },
  { id: 'closed-unread', place: placeUnread },
];

/** @type {(facts: import('./place.js').Facts, cause: string) => import('./place.js').Spot} */
const atEntry = ({ entry }, cause) => ({ tier: /** @type {import('./place.js').Tier} */ (entry.tier), service: entry.name, cause });

/** A moment, as times are held against each other. @param {import('./place.js').Trace} trace */
const at = ({ t }) => ({ from: t, to: t });

/** @type {import('./place.js').Rule['place']} */
function placeExhausted({ kind }, { generator }) {
  return EXHAUSTED.has(kind)
    ? placed({ tier: 'generator', service: generator.name, cause: 'generator-exhausted' }, 'proved', 'proved')
    : null;
}

/** @type {import('./place.js').Rule['place']} */
function placeCutAtEnd({ kind, attempts, seen }, { generator }) {
  if (kind !== 'cut_at_end' || seen || attempts.length > 0) return null;
  return placed({ tier: 'generator', service: generator.name, cause: 'cut-at-end' }, 'proved', 'proved');
}

/** @type {import('./place.js').Rule['place']} */
function placeDown(trace, facts) {
  if (trace.status > 0) return null;
  // A dial into the void ends seconds later; a connection breaks at once.
  const isDial = UNCONNECTED.has(trace.kind);
  const crash = crashDuring(facts, facts.entry.name, isDial ? whileWaiting(trace) : at(trace));
  // A tier that was killed took its last lines with it, so that their want proves nothing.
  return crash ? placed(atEntry(facts, crash), trace.attempts.length > 0 || isDial ? 'proved' : 'timed', 'timed') : null;
}

/** @type {import('./place.js').Rule['place']} */
function placeCrashedWorker(trace, facts) {
  if (!BROKEN.has(trace.kind) || trace.seen) return null;
  if (!hasLostWorker(facts, facts.entry.name, at(trace))) return null;
  const isKilled = facts.kills.some(({ name, t }) => name === facts.entry.name && Math.abs(t - trace.t) <= AROUND_S);
  return placed(atEntry(facts, isKilled ? 'out-of-memory' : 'worker-crashed'), trace.attempts.length > 0 ? 'proved' : 'timed', 'timed');
}

/** @type {import('./place.js').Rule['place']} */
function placeReadAndBroken(trace, facts, counters) {
  if (!BROKEN.has(trace.kind) || (trace.attempts.length === 0 && !trace.seen)) return null;
  // What broke behind the proxy, it may only have passed on.
  const blamed = trace.asked.at(-1)?.message ? blameLastAttempt(trace, facts, counters) : null;
  if (blamed) return blamed;
  const attempt = trace.attempts.at(-1);
  if (facts.front?.silent_close && !trace.seen && attempt && attempt.outcome !== 'answered')
    return attributeAttempt(facts, counters, { node: attempt.node, signal: null, attempt, ...whileWaiting(trace) });
  if (facts.front && trace.seen?.outcome === 'answered') return placePassedOn(trace, facts, counters);
  if (facts.front) return placed(atEntry(facts, 'broke-off'), 'proved', trace.seen ? 'inferred' : 'proved');
  const hadAnswered = attempt?.outcome === 'answered' && attempt.node === facts.entry.name;
  return placed(atEntry(facts, hadAnswered ? 'answer-lost' : 'broke-off'), 'proved', 'proved');
}

/**
 * The proxy says that all of the answer went out. One that names no length it cannot see cut: it takes the end of the connection for the
 * answer's, so that a node's own log may know better.
 * @type {(trace: import('./place.js').Trace, facts: import('./place.js').Facts, counters: import('./place.js').Counters) => import('./place.js').Placement}
 */
function placePassedOn(trace, facts, counters) {
  const attempt = trace.attempts.at(-1);
  if (!attempt || attempt.outcome === 'answered') return placed(atEntry(facts, 'answer-lost'), 'inferred', 'inferred');
  return attributeAttempt(facts, counters, { node: attempt.node, signal: 'http_response_incomplete', attempt, ...whileWaiting(trace) });
}

/**
 * Where the kernel is told to, it resets what it has no room for; it counts each.
 * @type {import('./place.js').Rule['place']}
 */
function placeOverflow(trace, facts, counters) {
  if (trace.kind !== 'reset' && trace.kind !== 'eof') return null;
  const reset = counters.take(`${facts.entry.name} EmbryonicRsts`, trace.t - AROUND_S, trace.t + 1);
  return reset ? placed(atEntry(facts, 'accept-backlog-overflow'), 'proved', 'timed') : null;
}

/** @type {import('./place.js').Rule['place']} */
function placeTableFull(trace, facts, counters) {
  if (!BROKEN.has(trace.kind) || !facts.front) return null;
  const { 'table-full-idle': idle, 'table-full-new': full } = facts.front.said;
  const moments = [...(idle?.times ?? []), ...(full?.times ?? [])].sort((one, other) => one - other);
  const during = episodes(moments, TABLE_FULL_REACH).map((span) => ({ name: 'full', ...span }));
  if (!overlapping(during, 'full', at(trace))) return null;
  const alarmed = full?.times.some((t) => Math.abs(t - trace.t) <= AROUND_S);
  // Connections that it accepted and could give no slot are counted by the proxy itself.
  const isNew = alarmed && counters.take(`${facts.entry.name} table-full-new`, trace.t - AROUND_S, trace.t + AROUND_S);
  const where = facts.watched.has(facts.entry.name) ? 'proved' : 'timed';
  return placed(atEntry(facts, isNew ? 'connection-table-full-new' : 'connection-table-full-idle'), where, 'timed');
}

/** @type {import('./place.js').Rule['place']} */
function placeInvalid({ kind }, facts) {
  return kind === 'invalid_answer' ? placed(atEntry(facts, 'invalid-answer'), 'proved', 'proved') : null;
}

/** @type {import('./place.js').Rule['place']} */
function placeUnreachable({ kind }, facts) {
  if (!UNCONNECTED.has(kind)) return null;
  return placed(atEntry(facts, kind === 'refused' ? 'refused' : 'unreachable'), 'proved', 'proved');
}

/** Without a descriptor the balancer takes no connection, or drops the one that it has. @type {import('./place.js').Rule['place']} */
function placeBalancerExhausted(trace, facts) {
  if (!BROKEN.has(trace.kind) || !isExhausted(facts, at(trace))) return null;
  return placed(atEntry(facts, 'balancer-exhausted'), 'proved', 'timed');
}

/** A program that accepts a connection and has no descriptor for it closes it. @type {import('./place.js').Rule['place']} */
function placeOutOfDescriptors({ kind, t }, facts) {
  if (!BROKEN.has(kind) || !overlapping(facts.shortages.files, facts.entry.name, { from: t - 1, to: t })) return null;
  return placed(atEntry(facts, 'out-of-descriptors'), facts.watched.has(facts.entry.name) ? 'proved' : 'timed', 'timed');
}

/**
 * A proxy may close a connection without a line where a node broke off: what ended in a node at the time explains it. Which of them it had
 * asked is not on record.
 * @type {import('./place.js').Rule['place']}
 */
function placeUnlogged(trace, facts) {
  // What the generator found closed before it sent anything on it is no such connection.
  if (!BROKEN.has(trace.kind) || trace.kind === 'server_closed_idle' || trace.seen || !facts.front?.silent_close) return null;
  for (const { to: node } of topologyOf(facts).filter(({ from }) => from === facts.entry.name)) {
    const cause = crashDuring(facts, node, at(trace)) ?? (hasLostWorker(facts, node, at(trace)) ? 'worker-crashed' : null);
    if (cause) return placed({ tier: tierOf(facts, node), service: node, cause }, 'timed', 'timed');
  }
  return null;
}

/**
 * It was sent on a connection that the first tier closed, and that tier has no record of it. Where it keeps none, nothing says who closed it;
 * where it closes some without a line, or something contradicts its record, nothing says that it had not read the request.
 * @type {import('./place.js').Rule['place']}
 */
function placeUnread(trace, facts, counters) {
  if (trace.kind === 'server_closed_idle') return placed(atEntry(facts, 'keep-alive-race'), 'proved', 'proved');
  const { name: service } = facts.entry;
  if (!BROKEN.has(trace.kind) || !facts.watched.has(service)) return null;
  if (facts.front?.silent_close) return placed(atEntry(facts, 'broke-connection'), 'inferred', 'inferred');
  const unread = isUnread(counters, { service, late: trace.late, ...at(trace) });
  return placed(atEntry(facts, unread ? 'closed-unread' : 'broke-connection'), 'proved', 'proved');
}
