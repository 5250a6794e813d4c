/**
 * Rules for failed requests that were answered: a tier said no, or said that another did not answer it.
 */

import { errorSignal } from '../../adapters/registry.js';
import { blameBehind } from './behind.js';
import { blameAttempt, blameLastAttempt } from './blame-attempt.js';
import { BREAKER_OPEN, blameBreaker } from './blame-breaker.js';
import { blameDatabase, isOfDatabase } from './blame-database.js';
import { blameQueue } from './blame-queue.js';
import { answeredBy } from './counters.js';
import { isExhausted, isService, placed, tierOf, whileWaiting } from './place.js';
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
  if (refusal === BREAKER_OPEN) return blameBreaker(facts, counters, { node, opener: attempt?.opener });
  if (refusal) return placed({ tier: 'app', service: node, cause: refusal }, 'proved', 'proved');
  if (isOfDatabase(error)) return blameDatabase(facts, counters, { node, error, place: '', ...whileWaiting(trace) });
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
  const blamed = blameDatabase(facts, counters, { node, error, place: '', ...whileWaiting(trace) });
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

/** @type {(bench: import('./front.js').Bench, facts: import('./place.js').Facts, counters: import('./place.js').Counters) => import('./place.js').Placement} */
export function blameBench({ node, trigger, request, from }, facts, counters) {
  const others = facts.attempts.get(request ?? '') ?? [];
  const attempt = others.find((candidate) => candidate.node === node);
  return blameAttempt(facts, counters, { node, signal: trigger, attempt, others, from, to: from + 1 });
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
  if (trace.own.some(({ signal }) => OF_QUEUE.has(signal))) return blameQueue(trace, facts, counters);
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
