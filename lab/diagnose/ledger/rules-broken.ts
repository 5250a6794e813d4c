/**
 * Rules for failed requests without an answer: the connection could not be made, or broke.
 */

import { attributeLastAttempt } from './attribute-attempt.ts';
import type { Trace } from './place.ts';
import {
	AROUND_S,
	atEntry,
	crashDuring,
	ENDS,
	hasLostWorker,
	isExhausted,
	overlapping,
	placed,
	rule,
	tierOf,
	whileWaiting,
} from './place.ts';
import { isUnread } from './unread.ts';

/** The other side closed or broke the connection. */
const BROKEN = new Set(['eof', 'reset', 'server_closed_idle', 'broken_pipe']);
/** A connection could not be made. */
const UNCONNECTED = new Set(['refused', 'unreachable', 'lookup']);
const EXHAUSTED = new Set(['no_descriptors', 'no_ports', 'generator_exhausted']);
/**
 * A proxy may say so once a second at most, and a user finds the connection closed only with the next request, which a busy
 * generator may send seconds later.
 */
const TABLE_FULL_REACH = { beforeS: 2, afterS: 6 };

/** A moment, as times are compared with each other. */
const at = ({ t }: Trace) => ({ from: t, to: t });

/** What the generator says of itself. */
export const generatorExhausted = rule('generator', {
	id: 'generator-exhausted',
	says: ['generator-exhausted'],
	facts: ['generator'],
	apply: ({ kind }, { generator }) =>
		EXHAUSTED.has(kind) ? placed({ tier: 'generator', service: generator.name, cause: 'generator-exhausted' }, 'proved', 'proved') : null,
});

export const cutAtEnd = rule('generator', {
	id: 'cut-at-end',
	says: ['cut-at-end'],
	facts: ['generator'],
	apply: ({ kind, attempts, seen }, { generator }) =>
		kind === 'cut_at_end' && !seen && attempts.length === 0
			? placed({ tier: 'generator', service: generator.name, cause: 'cut-at-end' }, 'proved', 'proved')
			: null,
});

export const entryDown = rule('request', {
	id: 'entry-down',
	says: ENDS,
	facts: ['entry', 'restarts'],
	apply(trace, facts) {
		if (trace.status > 0) return null;
		// A dial into the void ends seconds later; a connection breaks at once.
		const isDial = UNCONNECTED.has(trace.kind);
		const crash = crashDuring(facts, facts.entry.name, isDial ? whileWaiting(trace) : at(trace));
		// A tier that was killed took its last lines with it, so that their want proves nothing.
		return crash ? placed(atEntry(facts, crash), trace.attempts.length > 0 || isDial ? 'proved' : 'timed', 'timed') : null;
	},
});

export const workerCrashed = rule('request', {
	id: 'worker-crashed',
	says: ['out-of-memory', 'worker-crashed'],
	facts: ['entry', 'said', 'kills'],
	apply(trace, facts) {
		if (!BROKEN.has(trace.kind) || trace.seen) return null;
		if (!hasLostWorker(facts, facts.entry.name, at(trace))) return null;
		const isKilled = facts.kills.some(({ name, t }) => name === facts.entry.name && Math.abs(t - trace.t) <= AROUND_S);
		return placed(atEntry(facts, isKilled ? 'out-of-memory' : 'worker-crashed'), trace.attempts.length > 0 ? 'proved' : 'timed', 'timed');
	},
});

export const brokenAfterReading = rule('request', {
	id: 'broken-after-reading',
	says: ['broke-off', 'answer-lost'],
	facts: ['entry', 'entryProxy', 'names'],
	asks: ['attempt'],
	apply(trace, facts, ask) {
		if (!BROKEN.has(trace.kind) || (trace.attempts.length === 0 && !trace.seen)) return null;
		// What broke behind the proxy, it may only have passed on.
		const attributed = trace.asked.at(-1)?.message ? attributeLastAttempt(trace, facts, ask) : null;
		if (attributed) return attributed;
		const attempt = trace.attempts.at(-1);
		if (facts.entryProxy?.silent_close && !trace.seen && attempt && attempt.outcome !== 'answered')
			return ask.attempt({ node: attempt.node, signal: null, attempt, ...whileWaiting(trace) });
		if (facts.entryProxy && trace.seen?.outcome === 'answered') {
			// One that names no length it cannot see cut: it takes the end of the connection for the answer's, so that a node's own log may know better.
			if (!attempt || attempt.outcome === 'answered') return placed(atEntry(facts, 'answer-lost'), 'inferred', 'inferred');
			return ask.attempt({ node: attempt.node, signal: 'http_response_incomplete', attempt, ...whileWaiting(trace) });
		}
		if (facts.entryProxy) return placed(atEntry(facts, 'broke-off'), 'proved', trace.seen ? 'inferred' : 'proved');
		const hadAnswered = attempt?.outcome === 'answered' && attempt.node === facts.entry.name;
		return placed(atEntry(facts, hadAnswered ? 'answer-lost' : 'broke-off'), 'proved', 'proved');
	},
});

/** Where the kernel is told to, it resets what it has no room for; it counts each. */
export const acceptQueueOverflow = rule('request', {
	id: 'accept-backlog-overflow',
	says: ['accept-backlog-overflow'],
	facts: ['entry', 'counters'],
	apply(trace, facts) {
		if (trace.kind !== 'reset' && trace.kind !== 'eof') return null;
		const reset = facts.counters.take(`${facts.entry.name} EmbryonicRsts`, trace.t - AROUND_S, trace.t + 1);
		return reset ? placed(atEntry(facts, 'accept-backlog-overflow'), 'proved', 'timed') : null;
	},
});

export const connectionTableFull = rule('request', {
	id: 'connection-table-full',
	says: ['connection-table-full-new', 'connection-table-full-idle'],
	facts: ['entry', 'entryProxy', 'watched', 'counters'],
	apply(trace, facts) {
		if (!BROKEN.has(trace.kind) || !facts.entryProxy) return null;
		const { 'table-full-idle': idle, 'table-full-new': full } = facts.entryProxy.said;
		const { beforeS, afterS } = TABLE_FULL_REACH;
		const isNear = (moment: number) => trace.t > moment - beforeS && trace.t < moment + afterS;
		if (![...(idle?.times ?? []), ...(full?.times ?? [])].some(isNear)) return null;
		const alarmed = full?.times.some((t) => Math.abs(t - trace.t) <= AROUND_S);
		// Connections that it accepted and could give no slot are counted by the proxy itself.
		const isNew = alarmed && facts.counters.take(`${facts.entry.name} table-full-new`, trace.t - AROUND_S, trace.t + AROUND_S);
		const where = facts.watched.has(facts.entry.name) ? 'proved' : 'timed';
		return placed(atEntry(facts, isNew ? 'connection-table-full-new' : 'connection-table-full-idle'), where, 'timed');
	},
});

export const invalidAnswer = rule('request', {
	id: 'invalid-answer',
	says: ['invalid-answer'],
	facts: ['entry'],
	apply: ({ kind }, facts) => (kind === 'invalid_answer' ? placed(atEntry(facts, 'invalid-answer'), 'proved', 'proved') : null),
});

/** Without a descriptor the balancer takes no connection, or drops the one that it has. */
export const balancerExhausted = rule('request', {
	id: 'balancer-exhausted',
	says: ['balancer-exhausted'],
	facts: ['entry', 'entryProxy'],
	apply: (trace, facts) =>
		BROKEN.has(trace.kind) && isExhausted(facts, at(trace)) ? placed(atEntry(facts, 'balancer-exhausted'), 'proved', 'timed') : null,
});

/** A program that accepts a connection and has no descriptor for it closes it. */
export const outOfDescriptors = rule('request', {
	id: 'out-of-descriptors',
	says: ['out-of-descriptors'],
	facts: ['entry', 'exhaustion', 'watched'],
	apply({ kind, t }, facts) {
		if (!BROKEN.has(kind) || !overlapping(facts.exhaustion.files, facts.entry.name, { from: t - 1, to: t })) return null;
		return placed(atEntry(facts, 'out-of-descriptors'), facts.watched.has(facts.entry.name) ? 'proved' : 'timed', 'timed');
	},
});

export const notConnected = rule('request', {
	id: 'unreachable',
	says: ['refused', 'unreachable'],
	facts: ['entry'],
	apply: ({ kind }, facts) =>
		UNCONNECTED.has(kind) ? placed(atEntry(facts, kind === 'refused' ? 'refused' : 'unreachable'), 'proved', 'proved') : null,
});

/**
 * A proxy may close a connection without a line where a node broke off: what ended in a node at the time explains it. Which of them it had
 * asked is not on record.
 */
export const closedUnlogged = rule('request', {
	id: 'closed-unlogged',
	says: [...ENDS, 'worker-crashed'],
	facts: ['entry', 'entryProxy', 'edges', 'tiers', 'restarts', 'said'],
	apply(trace, facts) {
		// What the generator found closed before it sent anything on it is no such connection.
		if (!BROKEN.has(trace.kind) || trace.kind === 'server_closed_idle' || trace.seen || !facts.entryProxy?.silent_close) return null;
		for (const { to: node } of facts.edges.filter(({ from }) => from === facts.entry.name)) {
			const cause = crashDuring(facts, node, at(trace)) ?? (hasLostWorker(facts, node, at(trace)) ? 'worker-crashed' : null);
			if (cause) return placed({ tier: tierOf(facts, node), service: node, cause }, 'timed', 'timed');
		}
		return null;
	},
});

/**
 * It was sent on a connection that the first tier closed, and that tier has no record of it. Where it keeps none, nothing says who closed it;
 * where it closes some without a line, or something contradicts its record, nothing says that it had not read the request.
 */
export const closedUnread = rule('request', {
	id: 'closed-unread',
	says: ['keep-alive-race', 'broke-connection', 'closed-unread'],
	facts: ['entry', 'entryProxy', 'watched', 'counters'],
	apply(trace, facts) {
		if (trace.kind === 'server_closed_idle') return placed(atEntry(facts, 'keep-alive-race'), 'proved', 'proved');
		const { name: service } = facts.entry;
		if (!BROKEN.has(trace.kind) || !facts.watched.has(service)) return null;
		if (facts.entryProxy?.silent_close) return placed(atEntry(facts, 'broke-connection'), 'inferred', 'inferred');
		const unread = isUnread(facts.counters, { service, late: trace.late, ...at(trace) });
		return placed(atEntry(facts, unread ? 'closed-unread' : 'broke-connection'), 'proved', 'proved');
	},
});
