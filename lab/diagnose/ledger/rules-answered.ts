/** Rules for failed requests that were answered: a tier said no, or said that another did not answer it. */

import { errorSignal } from '../../adapters/registry.ts';
import type { Signal } from '../../base/signal.ts';
import { ownOf } from '../../base/values.ts';
import { FIRST_BAD_STATUS, FIRST_SERVER_ERROR } from '../../wire/contract.ts';
import { attributeLastAttempt } from './attribute-attempt.ts';
import { isOfDatabase } from './attribute-database.ts';
import { answeredBy } from './counters.ts';
import type { Ejection } from './hop-records.ts';
import type { Answer, FailedAttempt, RuleFacts } from './place.ts';
import { crashDuring, ENDS, isExhausted, isService, placed, rule, tierOf, whileWaiting } from './place.ts';

/** A proxy's own answers about a service that it asked. */
const ABOUT_A_NODE = new Set([502, 503, 504]);
/** A node writes its record once a second. */
const COUNTED_EVERY_S = 1;
/** The cause that refusals by a node's circuit breaker have. */
const BREAKER_OPEN = 'breaker-open';
/** By which an app says no to a request (lab/catalog/scenarios.ts). */
const REFUSALS = [BREAKER_OPEN, 'shed', 'sold-out', 'not-there', 'taken'];

/** It had a place for the request nowhere. */
const OF_QUEUE: Set<Signal> = new Set(['queue-timeout', 'connection_limit_reached']);

export const answeredByApp = rule('request', {
	id: 'answered-by-the-app',
	says: [],
	facts: ['entryProxy', 'names', 'entry'],
	asks: ['answer'],
	apply(trace, facts, ask) {
		if (trace.status === 0) return null;
		const last = trace.asked.at(-1);
		// A proxy may put another status in the place of an error.
		const answered = last && Number(last.status) >= FIRST_BAD_STATUS ? Number(last.status) : trace.status;
		const attempt = trace.attempts.findLast(({ outcome, status }) => outcome === 'answered' && status === answered);
		// Without a proxy it was the node that answered, whatever is left of its log.
		if (!attempt && facts.entryProxy && last?.status !== answered) return null;
		const node = attempt?.node ?? (last && isService(facts, last.to) ? last.to : facts.entry.name);
		const error = attempt?.error || trace.seen?.error || '';
		return ask.answer({ node, answered, error, opener: attempt?.opener, ...whileWaiting(trace) });
	},
});

/** The cause by which the app refused the request. */
const refusalOf = ({ answered, error }: Answer, { refusals }: Pick<RuleFacts, 'refusals'>): string | undefined =>
	refusals[String(answered)] ?? refusals[error];

/** The fault is that of the request whose failure opened the node's circuit breaker. */
export const breakerOpened = rule('answer', {
	id: 'breaker-opened',
	says: [],
	facts: ['refusals', 'attempts'],
	asks: ['database'],
	apply(answer, facts, ask) {
		const { node, opener = '' } = answer;
		if (refusalOf(answer, facts) !== BREAKER_OPEN) return null;
		const failed = facts.attempts.get(opener)?.find((attempt) => attempt.node === node && isOfDatabase(attempt.error));
		if (!failed) return null;
		const { error, received: from, ended } = failed;
		const trigger = ask.database({ node, error, place: '', from, to: ended ?? from });
		return { ...trigger, where: 'proved', amplifier: { tier: 'app', service: node, cause: BREAKER_OPEN } };
	},
});

export const refusedByApp = rule('answer', {
	id: 'refused-by-the-app',
	says: REFUSALS,
	facts: ['refusals'],
	apply(answer, facts) {
		const cause = refusalOf(answer, facts);
		return cause ? placed({ tier: 'app', service: answer.node, cause }, 'proved', 'proved') : null;
	},
});

export const errorOfDatabase = rule('answer', {
	id: 'error-of-the-database',
	says: [],
	facts: [],
	asks: ['database'],
	apply: ({ node, error, from, to }, _, ask) => (isOfDatabase(error) ? ask.database({ node, error, place: '', from, to }) : null),
});

/** The node says that the queue failed it. */
export const errorOfQueue = rule('answer', {
	id: 'error-of-the-queue',
	says: [...ENDS, 'database-lost'],
	facts: ['edges', 'restarts', 'tiers'],
	apply({ node, error, from, to }, facts) {
		if (errorSignal(error) !== 'queue-failed') return null;
		const queue = facts.edges.find((edge) => edge.from === node && tierOf(facts, edge.to) === 'queue')?.to ?? node;
		const crash = crashDuring(facts, queue, { from, to });
		return placed({ tier: tierOf(facts, queue), service: queue, cause: crash ?? 'database-lost' }, 'proved', crash ? 'timed' : 'inferred');
	},
});

export const errorOfApp = rule('answer', {
	id: 'error-of-the-app',
	says: ['app-error'],
	facts: ['watched', 'silent', 'tiers'],
	apply: ({ node, error }, facts) =>
		error !== '' || (facts.watched.has(node) && !facts.silent.has(node))
			? placed({ tier: tierOf(facts, node), service: node, cause: 'app-error' }, 'proved', 'proved')
			: null,
});

/** The node has no line of the request, but counts its errors by their names, once a second. */
export const errorCounted = rule('answer', {
	id: 'error-counted',
	says: ['app-error', ...REFUSALS],
	facts: ['nodes', 'refusals', 'tiers', 'counters'],
	asks: ['database'],
	apply({ node, from, to }, facts, ask) {
		const names = Object.keys(ownOf(facts.nodes, node)?.errors ?? {});
		const error = names.find((name) => facts.counters.take(answeredBy(node, name), to - COUNTED_EVERY_S, to));
		if (error === undefined) return null;
		if (!isOfDatabase(error))
			return placed({ tier: tierOf(facts, node), service: node, cause: facts.refusals[error] ?? 'app-error' }, 'counted', 'counted');
		const attributed = ask.database({ node, error, place: '', from, to });
		return { ...attributed, where: 'counted', why: attributed.why === 'proved' ? 'counted' : attributed.why };
	},
});

/** What it says is an error; whose it was is on no record of it. */
export const errorUnnamed = rule('answer', {
	id: 'error-unnamed',
	says: ['app-error'],
	facts: ['tiers'],
	apply: ({ node }, facts) => placed({ tier: tierOf(facts, node), service: node, cause: 'app-error' }, 'proved', 'inferred'),
});

/** The balancer had left every node out. The trigger is what made it leave out the last of them. */
export const noLiveUpstream = rule('request', {
	id: 'no-live-upstream',
	says: ['no-live-upstream'],
	facts: ['entry', 'entryProxy', 'names', 'attempts'],
	asks: ['attempt'],
	apply(trace, facts, ask) {
		if (!trace.own.some(({ signal }) => signal === 'destination_unavailable')) return null;
		const amplifier = { tier: 'load-balancer' as const, service: facts.entry.name, cause: 'no-live-upstream' };
		const own = attributeLastAttempt(trace, facts, ask);
		if (own) return { ...own, amplifier };
		const active = (facts.entryProxy?.ejections ?? []).filter(({ from, to }) => from <= trace.t && to >= trace.t);
		const last = active.at(-1);
		if (!last) return placed(amplifier, 'proved', 'proved');
		const attributions = active.map((ejection) => ask.attempt(attemptOfBench(ejection, facts)));
		const trigger = attributions[attributions.length - 1];
		const nodes = active.filter((_, index) => attributions[index].cause === trigger.cause).map(({ node }) => node);
		const service = trigger.tier === 'app' ? [...new Set(nodes)].sort().join(', ') : trigger.service;
		return { ...trigger, service, where: 'proved', why: trigger.why === 'inferred' ? 'inferred' : 'timed', amplifier };
	},
});

/** The one for which the proxy left the node out. */
export function attemptOfBench({ node, trigger, request, from }: Ejection, { attempts }: Pick<RuleFacts, 'attempts'>): FailedAttempt {
	const others = attempts.get(request ?? '') ?? [];
	const attempt = others.find((candidate) => candidate.node === node);
	return { node, signal: trigger, attempt, others, from, to: from + 1 };
}

export const attemptFailed = rule('request', {
	id: 'attempt-failed',
	says: [],
	facts: ['names'],
	asks: ['attempt'],
	apply(trace, facts, ask) {
		const isAnswered = trace.asked.length === 0 || trace.asked[trace.asked.length - 1].status !== null;
		return isAnswered || !ABOUT_A_NODE.has(trace.status) ? null : attributeLastAttempt(trace, facts, ask);
	},
});

/** The proxy answered without having asked anybody. */
export const balancerAnswered = rule('request', {
	id: 'balancer-answered',
	says: ['balancer-refused', 'queue-full', 'connection-table-full-upstream', 'balancer-exhausted'],
	facts: ['entryProxy', 'entry', 'watched'],
	apply(trace, facts) {
		if (trace.status === 0 || !facts.entryProxy) return null;
		const own = (cause: string) => ({ tier: 'load-balancer' as const, service: facts.entry.name, cause });
		if (trace.own.some(({ signal }) => signal === 'http_request_denied')) return placed(own('balancer-refused'), 'proved', 'proved');
		if (trace.own.some(({ signal }) => OF_QUEUE.has(signal))) return placed(own('queue-full'), 'proved', 'proved');
		const full = facts.entryProxy.said['table-full-new'];
		if (trace.status === 500 && full?.times.some((t) => Math.abs(t - trace.t) <= 2))
			return placed(own('connection-table-full-upstream'), 'proved', 'timed');
		if (trace.status >= FIRST_SERVER_ERROR && isExhausted(facts, { from: trace.t, to: trace.t }))
			return placed(own('balancer-exhausted'), 'proved', 'timed');
		return facts.watched.has(facts.entry.name) ? placed(own('balancer-refused'), 'proved', 'inferred') : null;
	},
});
