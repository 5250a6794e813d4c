/**
 * Why a proxy's attempt to ask a node failed: its own message, compared with what the node logged of that request, and
 * against what happened to the node at the time.
 */

import type { UpstreamAttempt } from '../../adapters/contract.ts';
import type { Signal } from '../../base/signal.ts';
import { FIRST_SERVER_ERROR } from '../../wire/contract.ts';
import { isOfDatabase } from './attribute-database.ts';
import {
	AROUND_S,
	type Asks,
	crashDuring,
	ENDS,
	hasLostWorker,
	isService,
	overlapping,
	type Placement,
	placed,
	type RuleFacts,
	rule,
	type Spot,
	type Trace,
	tierOf,
	whileWaiting,
} from './place.ts';
import { isUnread } from './unread.ts';

/** Why no connection was made. */
const UNCONNECTED: Set<Signal> = new Set(['connection_refused', 'connection_timeout', 'destination_ip_unroutable', 'dns_error']);
const TIMEOUT = 'http_response_timeout';

const atNode: (facts: Pick<RuleFacts, 'tiers'>, node: string, cause: string) => Spot = (facts, node, cause) => ({
	tier: tierOf(facts, node),
	service: node,
	cause,
});

export const proxyExhausted = rule('attempt', {
	id: 'proxy-exhausted',
	says: ['balancer-exhausted'],
	facts: ['entry'],
	apply: ({ signal }, { entry }) =>
		signal === 'proxy_internal_error'
			? placed({ tier: 'load-balancer', service: entry.name, cause: 'balancer-exhausted' }, 'proved', 'proved')
			: null,
});

/** A proxy may take an answer for a failure, and say no more of it. */
export const answerNotTaken = rule('attempt', {
	id: 'answer-not-taken',
	says: ['app-error'],
	facts: ['silent', 'tiers'],
	asks: ['database'],
	apply({ node, signal, attempt, from, to }, facts, ask) {
		if (signal !== null || attempt?.outcome !== 'answered' || Number(attempt.status) < FIRST_SERVER_ERROR) return null;
		if (isOfDatabase(attempt.error)) return ask.database({ node, error: attempt.error, place: '', from, to });
		return placed(atNode(facts, node, 'app-error'), 'proved', facts.silent.has(node) ? 'inferred' : 'proved');
	},
});

export const nodeEnded = rule('attempt', {
	id: 'node-ended',
	says: ENDS,
	facts: ['restarts', 'tiers'],
	apply({ node, from, to }, facts) {
		const crash = crashDuring(facts, node, { from, to });
		return crash ? placed(atNode(facts, node, crash), 'proved', 'timed') : null;
	},
});

/** The proxy's word alone. */
const SAID: Partial<Record<Signal, string>> = {
	connection_refused: 'upstream-refused',
	destination_ip_unroutable: 'unreachable',
	dns_error: 'unreachable',
	http_protocol_error: 'invalid-answer',
};

export const proxySaid = rule('attempt', {
	id: 'proxy-said',
	says: [...new Set(Object.values(SAID))],
	facts: ['tiers'],
	apply({ node, signal }, facts) {
		const cause = signal && SAID[signal];
		return cause ? placed(atNode(facts, node, cause), 'proved', 'proved') : null;
	},
});

export const nodeNotConnected = rule('attempt', {
	id: 'node-not-connected',
	says: ['accept-backlog-overflow', 'unreachable'],
	facts: ['tiers', 'counters'],
	apply({ node, signal, from, to }, facts) {
		if (signal !== 'connection_timeout') return null;
		return facts.counters.take(`${node} ListenOverflows`, from - 1, to + 1)
			? placed(atNode(facts, node, 'accept-backlog-overflow'), 'proved', 'timed')
			: placed(atNode(facts, node, 'unreachable'), 'proved', 'proved');
	},
});

export const nodeLostWorker = rule('attempt', {
	id: 'node-lost-worker',
	says: ['worker-crashed'],
	facts: ['said', 'tiers'],
	apply: ({ node, signal, from, to }, facts) =>
		signal !== TIMEOUT && hasLostWorker(facts, node, { from, to })
			? placed(atNode(facts, node, 'worker-crashed'), 'proved', 'timed')
			: null,
});

/** The node keeps no record of its requests: that it failed is what the proxy says of it. */
export const nodeUnwatched = rule('attempt', {
	id: 'node-unwatched',
	says: ['stood-still', 'upstream-timeout', 'broke-off', 'broke-connection'],
	facts: ['watched', 'stalls', 'tiers'],
	apply({ node, signal, from, to }, facts) {
		if (facts.watched.has(node)) return null;
		const isSlow = signal === TIMEOUT;
		const still = isSlow && overlapping(facts.stalls, node, { from, to });
		const broke = signal === 'http_response_incomplete' ? 'broke-off' : 'broke-connection';
		const cause = still ? 'stood-still' : isSlow ? 'upstream-timeout' : broke;
		const why = still ? 'timed' : isSlow || signal === null ? 'inferred' : 'proved';
		return placed(atNode(facts, node, cause), 'proved', why);
	},
});

export const nodeTimedOut = rule('attempt', {
	id: 'node-timed-out',
	says: [],
	facts: [],
	asks: ['timeout'],
	apply: (failed, _, ask) => (failed.signal === TIMEOUT ? ask.timeout(failed) : null),
});

export const proxySilent = rule('attempt', {
	id: 'proxy-silent',
	says: ['broke-off', 'broke-connection'],
	facts: ['tiers'],
	apply: ({ node, signal, attempt }, facts) =>
		signal === null ? placed(atNode(facts, node, attempt ? 'broke-off' : 'broke-connection'), 'proved', 'inferred') : null,
});

/**
 * The connection broke: the node's log tells whether it had read the request by then, and so does the beginning of an answer, or that it had
 * asked another for it.
 */
export const nodeHadRead = rule('attempt', {
	id: 'node-had-read',
	says: ['broke-off'],
	facts: ['edges', 'tiers'],
	apply({ node, signal, attempt, others = [] }, facts) {
		const hadAsked = others.some((other) => facts.edges.some((edge) => edge.from === node && edge.to === other.node));
		return attempt || hadAsked || signal === 'http_response_incomplete'
			? placed(atNode(facts, node, 'broke-off'), 'proved', 'proved')
			: null;
	},
});

/** Where the kernel is told to, it resets what the node's queue has no room for, and counts each. */
export const nodeOverflowed = rule('attempt', {
	id: 'node-overflowed',
	says: ['accept-backlog-overflow'],
	facts: ['counters', 'tiers'],
	apply: ({ node, from, to }, facts) =>
		facts.counters.take(`${node} EmbryonicRsts`, from - AROUND_S, to + 1)
			? placed(atNode(facts, node, 'accept-backlog-overflow'), 'proved', 'timed')
			: null,
});

export const nodeOutOfDescriptors = rule('attempt', {
	id: 'node-out-of-descriptors',
	says: ['out-of-descriptors'],
	facts: ['exhaustion', 'tiers'],
	apply: ({ node, from, to }, facts) =>
		overlapping(facts.exhaustion.files, node, { from, to }) ? placed(atNode(facts, node, 'out-of-descriptors'), 'proved', 'timed') : null,
});

export const nodeClosed = rule('attempt', {
	id: 'node-closed',
	says: ['closed-unread', 'broke-connection'],
	facts: ['counters', 'tiers'],
	apply({ node, others = [], from, to }, facts) {
		const unread = isUnread(facts.counters, { service: node, late: others, from, to });
		return placed(atNode(facts, node, unread ? 'closed-unread' : 'broke-connection'), 'proved', 'proved');
	},
});

/** Why the last attempt failed of which the proxy says so, or else the last. */
export function attributeLastAttempt(trace: Trace, facts: Pick<RuleFacts, 'names'>, ask: Pick<Asks, 'attempt'>): Placement | null {
	const asked = trace.asked.filter(({ to }) => isService(facts, to));
	const last = asked.findLast(({ message }) => message) ?? asked.at(-1) ?? trace.asked.findLast(isUnconnected);
	if (!last) return null;
	const node = last.to;
	const attempt = trace.attempts.find((candidate) => candidate.node === node);
	const others = [...trace.attempts, ...trace.late];
	return ask.attempt({ node, signal: last.message?.signal ?? null, attempt, others, ...whileWaiting(trace) });
}

/** No service has the address, and none answers there. */
const isUnconnected = ({ message }: UpstreamAttempt) => message !== null && UNCONNECTED.has(message.signal);
