/**
 * Rules for failed requests that were answered: a tier said no, or said that another did not answer it.
 */

import { errorSignal } from '../../adapters/registry.js';
import { blameBehind } from './behind.js';
import {
  attributeAttempt,
  attributeBreaker,
  attributeDatabase,
  attributeQueue,
  BREAKER_OPEN,
  blameLastAttempt,
  blameWaiting,
  isOfDatabase,
} from './blame-attempt.js';
import {
  AROUND_S,
  answeredBy,
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
import { topologyOf } from './topology.js';

/** A proxy's own answers about a service that it asked. */
const ABOUT_A_NODE = new Set([502, 503, 504]);
const FIRST_BAD_STATUS = 400;
const FIRST_SERVER_ERROR = 500;
const GATEWAY_TIMEOUT = 504;
/** A node writes its record once a second. */
const COUNTED_EVERY_S = 1;

/** It had a place for the request nowhere. @type {Set<import('../../adapters/contract.js').Signal>} */
const OF_QUEUE = new Set(['queue-timeout', 'connection_limit_reached']);

/** @type {import('./place.js').Rule[]} */
export const answeredRules = [
  { id: 'answered-by-the-app', place: placeAppAnswer },
  { id: 'no-live-upstream', place: placeNoLiveUpstream },
  { id: 'attempt-failed', place: placeFailedAttempt },
  { id: 'balancer-answered', place: placeBalancerAnswer },
  { id: 'answered-unseen', place: placeUnseenAnswer },
];

/** @type {import('./place.js').Rule['place']} */
function placeAppAnswer(trace, facts, counters) {
  if (trace.status === 0) return null;
  const last = trace.asked.at(-1);
  // A proxy may put another status in the place of an error.
  const answered = last && Number(last.status) >= FIRST_BAD_STATUS ? last.status : trace.status;
  const attempt = trace.attempts.findLast(({ outcome, status }) => outcome === 'answered' && status === answered);
  // Without a proxy it was the node that answered, whatever is left of its log.
  if (!attempt && facts.front && last?.status !== answered) return null;
  const node = attempt?.node ?? (last && isService(facts, last.to) ? last.to : facts.entry.name);
  const error = attempt?.error || trace.seen?.error || '';
  const refusal = facts.refusals[String(answered)] ?? facts.refusals[error];
  if (refusal === BREAKER_OPEN) return attributeBreaker(facts, counters, { node, opener: attempt?.opener });
  if (refusal) return placed({ tier: 'app', service: node, cause: refusal }, 'proved', 'proved');
  if (isOfDatabase(error)) return attributeDatabase(facts, counters, { node, error, place: '', ...whileWaiting(trace) });
  if (errorSignal(error) === 'queue-failed') return blameStore(facts, counters, node, whileWaiting(trace));
  const own = { tier: tierOf(facts, node), service: node, cause: 'app-error' };
  if (error !== '' || (facts.watched.has(node) && !facts.silent.has(node))) return placed(own, 'proved', 'proved');
  const counted = placeCountedError(trace, facts, counters, node);
  if (counted) return counted;
  // What it says is an error; whose it was is on record behind it, or nowhere.
  return blameBehind(facts, counters, { service: node, isSlow: false, ...whileWaiting(trace) }) ?? placed(own, 'proved', 'inferred');
}

/** The node says that the queue failed it. @type {(facts: import('./place.js').Facts, counters: import('./place.js').Counters, node: string, span: { from: number, to: number }) => import('./place.js').Placement} */
function blameStore(facts, counters, node, span) {
  const queue = topologyOf(facts).find(({ from, to }) => from === node && tierOf(facts, to) === 'queue')?.to ?? node;
  const known = blameBehind(facts, counters, { service: node, isSlow: false, ...span });
  if (known) return { ...known, where: 'proved' };
  return placed({ tier: tierOf(facts, queue), service: queue, cause: 'database-lost' }, 'proved', 'inferred');
}

/**
 * The node has no line of the request, but counts its errors by their names, once a second.
 * @type {(trace: import('./place.js').Trace, facts: import('./place.js').Facts, counters: import('./place.js').Counters, node: string) => import('./place.js').Placement | null}
 */
function placeCountedError(trace, facts, counters, node) {
  const names = Object.keys(facts.nodes[node]?.errors ?? {});
  const error = names.find((name) => counters.take(answeredBy(node, name), trace.t - COUNTED_EVERY_S, trace.t));
  if (error === undefined) return null;
  if (!isOfDatabase(error))
    return placed({ tier: tierOf(facts, node), service: node, cause: facts.refusals[error] ?? 'app-error' }, 'counted', 'counted');
  const blamed = attributeDatabase(facts, counters, { node, error, place: '', ...whileWaiting(trace) });
  return { ...blamed, where: 'counted', why: blamed.why === 'proved' ? 'counted' : blamed.why };
}

/**
 * The balancer had left every node out. The trigger is what made it leave out the last of them.
 * @type {import('./place.js').Rule['place']}
 */
function placeNoLiveUpstream(trace, facts, counters) {
  if (!trace.own.some(({ signal }) => signal === 'destination_unavailable')) return null;
  const amplifier = { tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name, cause: 'no-live-upstream' };
  const own = blameLastAttempt(trace, facts, counters);
  if (own) return { ...own, amplifier };
  const active = (facts.front?.benches ?? []).filter(({ from, to }) => from <= trace.t && to >= trace.t);
  const last = active.at(-1);
  if (!last) return placed(amplifier, 'proved', 'proved');
  const blames = active.map((bench) => blameBench(bench, facts, counters));
  const trigger = blames[blames.length - 1];
  const nodes = active.filter((_, index) => blames[index].cause === trigger.cause).map(({ node }) => node);
  const service = trigger.tier === 'app' ? [...new Set(nodes)].sort().join(', ') : trigger.service;
  return { ...trigger, service, where: 'proved', why: trigger.why === 'inferred' ? 'inferred' : 'timed', amplifier };
}

/** @type {(bench: import('./front.js').Ejection, facts: import('./place.js').Facts, counters: import('./place.js').Counters) => import('./place.js').Placement} */
export function blameBench({ node, trigger, request, from }, facts, counters) {
  const others = facts.attempts.get(request ?? '') ?? [];
  const attempt = others.find((candidate) => candidate.node === node);
  return attributeAttempt(facts, counters, { node, signal: trigger, attempt, others, from, to: from + 1 });
}

/** @type {import('./place.js').Rule['place']} */
function placeFailedAttempt(trace, facts, counters) {
  const isAnswered = trace.asked.length === 0 || trace.asked[trace.asked.length - 1].status !== null;
  return isAnswered || !ABOUT_A_NODE.has(trace.status) ? null : blameLastAttempt(trace, facts, counters);
}

/** The proxy answered without having asked anybody. @type {import('./place.js').Rule['place']} */
function placeBalancerAnswer(trace, facts, counters) {
  if (trace.status === 0 || !facts.front) return null;
  const own = (/** @type {string} */ cause) => ({ tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name, cause });
  if (trace.own.some(({ signal }) => signal === 'http_request_denied')) return placed(own('balancer-refused'), 'proved', 'proved');
  if (trace.own.some(({ signal }) => OF_QUEUE.has(signal))) return attributeQueue(trace, facts, counters);
  const full = facts.front.said['table-full-new'];
  if (trace.status === 500 && full?.times.some((t) => Math.abs(t - trace.t) <= 2))
    return placed(own('connection-table-full-upstream'), 'proved', 'timed');
  if (trace.status >= FIRST_SERVER_ERROR && isExhausted(facts, { from: trace.t, to: trace.t }))
    return placed(own('balancer-exhausted'), 'proved', 'timed');
  return facts.watched.has(facts.entry.name) ? placed(own('balancer-refused'), 'proved', 'inferred') : null;
}

/** The proxy keeps no record of requests: what answered is not known, but what happened behind it may be. @type {import('./place.js').Rule['place']} */
function placeUnseenAnswer(trace, facts, counters) {
  if (trace.status < FIRST_SERVER_ERROR || facts.watched.has(facts.entry.name)) return null;
  return blameBehind(facts, counters, { service: facts.entry.name, isSlow: trace.status === GATEWAY_TIMEOUT, ...whileWaiting(trace) });
}

/*
 * Rules for requests that their user stopped waiting for, or that were never answered: placed where they stood at the time.
 */

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
  if (isOfDatabase(error)) return attributeDatabase(facts, counters, { node, error, place: '', ...span });
  const crash = crashDuring(facts, node, span);
  if (crash) return placed({ tier: 'app', service: node, cause: crash }, 'proved', 'timed');
  if (place === 'database' || place === 'pool') return attributeDatabase(facts, counters, { node, error: '', place, ...span });
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
  if (trace.seen?.place === 'queue') return attributeQueue(trace, facts, counters);
  if (trace.seen) return placed(atEntry('client-gave-up'), 'proved', 'proved');
  if (facts.watched.has(name)) return placed(atEntry('never-read'), 'proved', 'inferred');
  return blameBehind(facts, counters, { service: name, isSlow: true, ...span });
}
