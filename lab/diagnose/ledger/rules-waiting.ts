/** Rules for requests that their user stopped waiting for, or that were never answered: placed where they stood at the time. */

import { isOfDatabase } from './attribute-database.ts';
import type { RuleFacts, Trace } from './place.ts';
import {
	AROUND_S,
	atEntry,
	crashDuring,
	ENDS,
	isExhausted,
	isService,
	overlapping,
	placed,
	restartDuring,
	rule,
	tierOf,
	tookMost,
	whileWaiting,
} from './place.ts';

const WAITED = new Set(['timeout', 'unanswered', 'dial_timeout', 'cut_at_end']);

/** Signs in the generator's network namespace that what it sent did not arrive. */
const LOST_PACKETS = ['TCPTimeouts', 'TCPSynRetrans'];
/** Of the first tier's queue of connections to be accepted. */
const OVERFLOWS = ['ListenOverflows', 'ListenDrops'];

export const waitingAtNode = rule('request', {
	id: 'waiting-at-a-node',
	says: [...ENDS, 'stood-still', 'event-loop-busy', 'client-gave-up'],
	facts: ['restarts', 'stalls', 'silent', 'busyLoops'],
	asks: ['database'],
	apply(trace, facts, ask) {
		const attempt = trace.attempts.at(-1);
		// What was answered in time was lost on its way back.
		if (!WAITED.has(trace.kind) || !attempt || (attempt.outcome === 'answered' && Number(attempt.ended) <= trace.t)) return null;
		const { node, place, error } = attempt;
		const span = whileWaiting(trace);
		if (isOfDatabase(error)) return ask.database({ node, error, place: '', ...span });
		const crash = crashDuring(facts, node, span);
		if (crash) return placed({ tier: 'app', service: node, cause: crash }, 'proved', 'timed');
		if (place === 'database' || place === 'pool') return ask.database({ node, error: '', place, ...span });
		const isBusy = facts.silent.has(node) && tookMost(facts.busyLoops, node, span);
		const cause = overlapping(facts.stalls, node, span) ? 'stood-still' : isBusy ? 'event-loop-busy' : 'client-gave-up';
		return placed({ tier: 'app', service: node, cause }, 'proved', cause === 'client-gave-up' ? 'proved' : 'timed');
	},
});

/** The proxy passed it on, and the node has no record of it. */
export const waitingBeforeNode = rule('request', {
	id: 'waiting-before-a-node',
	says: [...ENDS, 'stood-still', 'client-gave-up', 'never-read', 'accept-backlog-overflow', 'unreachable'],
	facts: ['names', 'tiers', 'restarts', 'stalls', 'watched', 'counters'],
	apply(trace, facts) {
		const last = trace.asked.at(-1);
		if (!WAITED.has(trace.kind) || !last || !isService(facts, last.to)) return null;
		const node = last.to;
		if (trace.attempts.some((attempt) => attempt.node === node)) return null;
		const atNode = (cause: string) => ({ tier: tierOf(facts, node), service: node, cause });
		const span = whileWaiting(trace);
		const crash = crashDuring(facts, node, span);
		// What could not be connected for longer before its end was lost for something else, such as the way to its host.
		const wasGone = last.connected || Number(restartDuring(facts, node, span)?.stopping) - AROUND_S <= span.from;
		if (crash && wasGone) return placed(atNode(crash), 'proved', 'timed');
		if (overlapping(facts.stalls, node, span)) return placed(atNode('stood-still'), 'proved', 'timed');
		if (last.connected && !facts.watched.has(node)) return placed(atNode('client-gave-up'), 'proved', 'inferred');
		if (last.connected) return placed(atNode('never-read'), 'proved', 'proved');
		const overflow = facts.counters.take(`${node} ListenOverflows`, span.from - 1, span.to + 1);
		return overflow ? placed(atNode('accept-backlog-overflow'), 'proved', 'timed') : placed(atNode('unreachable'), 'proved', 'proved');
	},
});

/** No tier behind the first has a record of it, so it never got further; or one has, and its answer came no further. */
export const waitingAtEntry = rule('request', {
	id: 'waiting-at-the-entry',
	says: [],
	facts: [],
	asks: ['entry'],
	apply: (trace, _, ask) => (WAITED.has(trace.kind) && (trace.attempts.length === 0 || isAnswered(trace)) ? ask.entry(trace) : null),
});

/** By the tier behind. */
const isAnswered = ({ attempts }: Trace) => attempts.at(-1)?.outcome === 'answered';

/** Where its queue overflows, dialling again is what that looks like from the generator. */
function hasOverflowed(trace: Trace, { entry, counters }: Pick<RuleFacts, 'entry' | 'counters'>) {
	const { from, to } = whileWaiting(trace);
	return OVERFLOWS.some((counter) => counters.rose(`${entry.name} ${counter}`, from, to + 1));
}

const lostPackets = ({ generator }: Pick<RuleFacts, 'generator'>) => LOST_PACKETS.map((counter) => `${generator.name} ${counter}`);

export const entryEnded = rule('entry', {
	id: 'entry-ended',
	says: ENDS,
	facts: ['entry', 'restarts'],
	apply(trace, facts) {
		const crash = crashDuring(facts, facts.entry.name, whileWaiting(trace));
		return crash ? placed(atEntry(facts, crash), 'proved', 'timed') : null;
	},
});

/** That a proxy finished nothing is all that is known of its standstill; a kernel takes what is sent to a program that stands still. */
export const entryStoodStill = rule('entry', {
	id: 'entry-stood-still',
	says: ['unreachable', 'stood-still'],
	facts: ['entry', 'stalls', 'entryProxy', 'generator', 'counters'],
	apply(trace, facts) {
		const span = whileWaiting(trace);
		if (!overlapping(facts.stalls, facts.entry.name, span, AROUND_S)) return null;
		const hasLost =
			!hasOverflowed(trace, facts) && lostPackets(facts).some((counter) => facts.counters.rose(counter, span.from, span.to + 1));
		return placed(atEntry(facts, hasLost && facts.entryProxy ? 'unreachable' : 'stood-still'), 'proved', 'timed');
	},
});

export const answerLost = rule('entry', {
	id: 'answer-lost',
	says: ['answer-lost'],
	facts: ['entry'],
	apply: (trace, facts) => (isAnswered(trace) ? placed(atEntry(facts, 'answer-lost'), 'proved', 'proved') : null),
});

/** It had no room left for connections that waited to be accepted. */
export const entryOverflowed = rule('entry', {
	id: 'entry-overflowed',
	says: ['accept-backlog-overflow'],
	facts: ['entry', 'counters'],
	apply(trace, facts) {
		const { from, to } = whileWaiting(trace);
		return OVERFLOWS.some((counter) => facts.counters.take(`${facts.entry.name} ${counter}`, from, to + 1))
			? placed(atEntry(facts, 'accept-backlog-overflow'), 'proved', 'timed')
			: null;
	},
});

export const entryExhausted = rule('entry', {
	id: 'entry-exhausted',
	says: ['balancer-exhausted', 'out-of-descriptors'],
	facts: ['entry', 'entryProxy', 'exhaustion'],
	apply(trace, facts) {
		const span = whileWaiting(trace);
		if (isExhausted(facts, span)) return placed(atEntry(facts, 'balancer-exhausted'), 'proved', 'timed');
		return !trace.seen && tookMost(facts.exhaustion.files, facts.entry.name, span)
			? placed(atEntry(facts, 'out-of-descriptors'), 'proved', 'timed')
			: null;
	},
});

/** What does not arrive is sent again, each at least once. */
export const entryUnreachable = rule('entry', {
	id: 'entry-unreachable',
	says: ['unreachable'],
	facts: ['entry', 'generator', 'counters'],
	apply(trace, facts) {
		const { from, to } = whileWaiting(trace);
		if (!hasOverflowed(trace, facts) && lostPackets(facts).some((counter) => facts.counters.take(counter, from, to + 1)))
			return placed(atEntry(facts, 'unreachable'), 'proved', 'timed');
		return trace.kind === 'dial_timeout' ? placed(atEntry(facts, 'unreachable'), 'proved', 'proved') : null;
	},
});

/** Its own record has the request. */
export const entryHadRead = rule('entry', {
	id: 'entry-had-read',
	says: ['client-gave-up', 'queue-full'],
	facts: ['entry'],
	apply: ({ seen }, facts) =>
		seen ? placed(atEntry(facts, seen.place === 'queue' ? 'queue-full' : 'client-gave-up'), 'proved', 'proved') : null,
});

export const entryNeverRead = rule('entry', {
	id: 'entry-never-read',
	says: ['never-read'],
	facts: ['entry', 'watched'],
	apply: (_, facts) => (facts.watched.has(facts.entry.name) ? placed(atEntry(facts, 'never-read'), 'proved', 'inferred') : null),
});
