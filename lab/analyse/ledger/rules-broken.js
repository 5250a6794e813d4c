/**
 * Rules for failed requests without an answer: the connection could not be made, or broke.
 */
import { episodes } from './episodes.js';
import { AROUND_S, crashDuring, isExhausted, overlapping, placed } from './place.js';

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
 * What never got to a tier, or to one that was gone: before it is asked where a request waited.
 * @type {import('./place.js').Rule[]}
 */
export const goneRules = [
  { id: 'generator-exhausted', place: placeExhausted },
  { id: 'cut-at-end', place: placeCutAtEnd },
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
  { id: 'unreachable', place: placeUnreachable },
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
  const crash = crashDuring(facts, facts.entry.name, at(trace));
  // A tier that was killed took its last lines with it, so that their want proves nothing.
  return crash
    ? placed(atEntry(facts, crash), trace.attempts.length > 0 || UNCONNECTED.has(trace.kind) ? 'proved' : 'timed', 'timed')
    : null;
}

/** @type {import('./place.js').Rule['place']} */
function placeCrashedWorker(trace, facts) {
  if (!BROKEN.has(trace.kind) || trace.seen) return null;
  const died = facts.said.get(facts.entry.name)?.['worker-died']?.times.some((t) => Math.abs(t - trace.t) <= AROUND_S);
  return died ? placed(atEntry(facts, 'worker-crashed'), trace.attempts.length > 0 ? 'proved' : 'timed', 'timed') : null;
}

/** @type {import('./place.js').Rule['place']} */
function placeReadAndBroken(trace, facts) {
  if (!BROKEN.has(trace.kind) || (trace.attempts.length === 0 && !trace.seen)) return null;
  const attempt = trace.attempts.at(-1);
  if (facts.front) return placed(atEntry(facts, 'broke-off'), 'proved', trace.seen ? 'inferred' : 'proved');
  return placed(atEntry(facts, attempt?.outcome === 'answered' ? 'answer-lost' : 'broke-off'), 'proved', 'proved');
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

/**
 * It was sent on a connection that the first tier closed, and that tier has no record of it. Where it keeps none, nothing says that it
 * had not read the request.
 * @type {import('./place.js').Rule['place']}
 */
function placeUnread({ kind }, facts) {
  if (kind === 'server_closed_idle') return placed(atEntry(facts, 'keep-alive-race'), 'proved', 'proved');
  if (!BROKEN.has(kind) || !facts.watched.has(facts.entry.name)) return null;
  return placed(atEntry(facts, 'closed-unread'), 'proved', 'proved');
}
