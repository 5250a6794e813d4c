/**
 * Rules for failed requests that were answered: a tier said no, or said that another did not answer it.
 */
import { blameAttempt } from './blame-attempt.js';
import { blameDatabase, isOfDatabase } from './blame-database.js';
import { isExhausted, placed, whileWaiting } from './place.js';

/** Nginx's own answers about a node that it asked. */
const ABOUT_A_NODE = new Set([502, 504]);

/** @type {import('./place.js').Rule[]} */
export const answeredRules = [
  { id: 'answered-by-the-app', place: placeAppAnswer },
  { id: 'no-live-upstream', place: placeNoLiveUpstream },
  { id: 'attempt-failed', place: placeFailedAttempt },
  { id: 'balancer-answered', place: placeBalancerAnswer },
];

/** @type {import('./place.js').Rule['place']} */
function placeAppAnswer(trace, facts, counters) {
  if (trace.status === 0) return null;
  const attempt = trace.attempts.findLast(({ outcome, status }) => outcome === 'answered' && status === trace.status);
  const last = trace.tried.at(-1);
  // Without a balancer it was the node that answered, whatever is left of its log.
  const byLine = facts.balancer ? last?.status === trace.status && !ABOUT_A_NODE.has(trace.status) : true;
  if (!attempt && !byLine) return null;
  const node = attempt?.node ?? facts.names.get(last?.address ?? '') ?? facts.entry.name;
  const refusal = facts.refusals[trace.status];
  if (refusal) return placed({ tier: 'app', service: node, cause: refusal }, 'proved', 'proved');
  const error = attempt?.error || trace.line?.error || '';
  if (isOfDatabase(error)) return blameDatabase(facts, counters, { node, error, place: '', ...whileWaiting(trace) });
  return placed({ tier: 'app', service: node, cause: 'app-error' }, 'proved', 'proved');
}

/**
 * The balancer had left every node out. The trigger is what made it leave out the last of them.
 * @type {import('./place.js').Rule['place']}
 */
function placeNoLiveUpstream(trace, facts, counters) {
  if (!trace.own.some(({ id }) => id === 'no_live_upstreams')) return null;
  const amplifier = { tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name, cause: 'no-live-upstream' };
  const own = blameLastAttempt(trace, facts, counters);
  if (own) return { ...own, amplifier };
  const active = facts.benches.filter(({ from, to }) => from <= trace.t && to >= trace.t);
  const last = active.at(-1);
  if (!last) return placed(amplifier, 'proved', 'proved');
  const blames = active.map((bench) => blameBench(bench, facts, counters));
  const trigger = blames[blames.length - 1];
  const nodes = active.filter((_, index) => blames[index].cause === trigger.cause).map(({ node }) => node);
  const service = trigger.tier === 'app' ? [...new Set(nodes)].sort().join(', ') : trigger.service;
  return { ...trigger, service, where: 'proved', why: trigger.why === 'inferred' ? 'inferred' : 'timed', amplifier };
}

/** @type {(bench: import('./benches.js').Bench, facts: import('./place.js').Facts, counters: import('./place.js').Counters) => import('./place.js').Placement} */
export function blameBench({ node, trigger, request, from }, facts, counters) {
  const attempt = facts.attempts.get(request ?? '')?.find((candidate) => candidate.node === node);
  return blameAttempt(facts, counters, { node, message: trigger, attempt, from, to: from + 1 });
}

/** @type {import('./place.js').Rule['place']} */
function placeFailedAttempt(trace, facts, counters) {
  if (!ABOUT_A_NODE.has(trace.status)) return null;
  return blameLastAttempt(trace, facts, counters);
}

/** @type {import('./place.js').Rule['place']} */
function blameLastAttempt(trace, facts, counters) {
  const asked = trace.tried.filter(({ address }) => facts.names.has(address));
  const last = asked.findLast(({ message }) => message) ?? asked.at(-1);
  if (!last) return null;
  const node = /** @type {string} */ (facts.names.get(last.address));
  const attempt = trace.attempts.find((candidate) => candidate.node === node);
  return blameAttempt(facts, counters, { node, message: last.message?.id ?? 'unknown', attempt, ...whileWaiting(trace) });
}

/** The balancer answered without having asked anybody. @type {import('./place.js').Rule['place']} */
function placeBalancerAnswer(trace, facts) {
  if (trace.status === 0 || !facts.balancer) return null;
  const own = (/** @type {string} */ cause) => ({ tier: /** @type {const} */ ('load-balancer'), service: facts.entry.name, cause });
  if (trace.own.some(({ id }) => id === 'limited')) return placed(own('balancer-refused'), 'proved', 'proved');
  const { table_full: full } = facts.balancer.messages;
  if (trace.status === 500 && full?.times.some((t) => Math.abs(t - trace.t) <= 2))
    return placed(own('connection-table-full-upstream'), 'proved', 'timed');
  if (isExhausted(facts, { from: trace.t, to: trace.t })) return placed(own('balancer-exhausted'), 'proved', 'timed');
  return placed(own('balancer-refused'), 'proved', 'inferred');
}
