/** Whose fault it is that a request failed at the database or before it: in its pool, on the way, or at the node that waits for it. */

import { errorSignal } from '../../adapters/registry.ts';
import type { Signal } from '../../base/signal.ts';
import { ownOf } from '../../base/values.ts';
import { answeredBy, checkedOutBy, clearedAt, refusedBy } from './counters.ts';
import type { Stall } from './lives.ts';
import type { DatabaseFailure, RuleFacts, Span } from './place.ts';
import { AROUND_S, overlapping, placed, restartDuring, rule, tookMost } from './place.ts';

/** What the name of an error may say of the pool, of the database, or of the way to it. */
const OF_DATABASE: Set<Signal | null> = new Set([
	'pool-timeout',
	'pool-cleared',
	'connect-failed',
	'connection-broken',
	'store-timeout',
	'store-error',
	'store-failed',
]);

/** @param error by name, as a node logs it */
export const isOfDatabase = (error: string) => OF_DATABASE.has(errorSignal(error));

const says: (error: string, signals: Signal[]) => boolean = (error, signals) => signals.some((signal) => signal === errorSignal(error));
const isAnswered = (error: string) => says(error, ['store-error']);
const isPoolCleared = (error: string) => says(error, ['pool-cleared']);
const isPoolWait = (error: string) => says(error, ['pool-timeout']);
const isTimedOut = (error: string) => says(error, ['store-timeout']);
const isBroken = (error: string) => says(error, ['connection-broken']);
const isConnectError = (error: string) => says(error, ['connection-broken', 'connect-failed']);

/**
 * Signs that what was sent between the two did not arrive, in the namespace where nothing else gives them: the database talks to its
 * nodes alone, and a node dials nobody but the database. A node's own time-outs may be its users'.
 */
const LOST_BY_DATABASE = 'TCPTimeouts';
const LOST_BY_NODE = 'TCPSynRetrans';
const SENT_AGAIN = [LOST_BY_DATABASE, LOST_BY_NODE];
/** The database is asked once a second, and a node writes its record as often. */
const ASKED_EVERY_S = 1;

const namesOf = ({ databases }: Pick<RuleFacts, 'databases'>) => databases.map(({ name }) => name ?? 'database');

/** Of several it is not known which. */
const inDatabase = (facts: Pick<RuleFacts, 'databases'>, cause: string, service = namesOf(facts).join(', ') || 'database') => ({
	tier: 'database' as const,
	service,
	cause,
});

const inPool = (node: string, cause: string) => ({ tier: 'pool' as const, service: node, cause });

const isWait = ({ error, place }: DatabaseFailure) => isPoolWait(error) || place === 'pool';

/** What of the pool made it a failure of this request. */
const amplifierOf = (failure: DatabaseFailure) =>
	isPoolCleared(failure.error) ? inPool(failure.node, 'pool-cleared') : isWait(failure) ? inPool(failure.node, 'pool-wait') : null;

/** In which what is at fault happened. */
const spanOf = ({ node, error, from, to }: DatabaseFailure, facts: Pick<RuleFacts, 'store' | 'counters'>): Span =>
	isPoolCleared(error) ? sinceCleared(facts, { node, from, to }) : { from, to };

/** What it answered as it ended. */
export const databaseStopping = rule('database', {
	id: 'database-stopping',
	says: ['database-down'],
	facts: ['databases', 'restarts'],
	apply({ error, from, to }, facts) {
		const stopping = isAnswered(error) ? namesOf(facts).find((service) => isStopping(facts, service, { from, to })) : undefined;
		return stopping === undefined ? null : placed(inDatabase(facts, 'database-down', stopping), 'proved', 'timed');
	},
});

export const databaseError = rule('database', {
	id: 'database-error',
	says: ['database-error'],
	facts: ['databases'],
	apply: ({ error }, facts) => (isAnswered(error) ? placed(inDatabase(facts, 'database-error'), 'proved', 'proved') : null),
});

/** What happened to the database, or on the way to it. */
export const databaseTrouble = rule('database', {
	id: 'database-trouble',
	says: ['out-of-memory', 'database-down', 'database-unreachable', 'database-slow', 'database-refused'],
	facts: ['databases', 'restarts', 'stalls', 'observers', 'store', 'counters'],
	apply(failure, facts) {
		const { node } = failure;
		const amplifier = amplifierOf(failure);
		const span = spanOf(failure, facts);
		for (const service of namesOf(facts)) {
			const trigger = troubleOf(facts, { node, service, span, amplified: amplifier !== null, isWait: isWait(failure) });
			if (trigger) return placed(inDatabase(facts, trigger, service), 'proved', 'timed', amplifier);
		}
		return null;
	},
});

/** A larger pool would have waited for the same, and so would one whose queue is what is left of that. */
export const poolBehindDatabase = rule('database', {
	id: 'pool-behind-database',
	says: ['database-slow'],
	facts: ['databases', 'exhaustion'],
	apply(failure, facts) {
		if (!isWait(failure)) return null;
		const { node, from, to } = failure;
		const { exhaustion } = facts;
		const waited = { from, to };
		const queue = { from: overlapping(exhaustion.queue, node, waited)?.from ?? from, to };
		const short = namesOf(facts).find((service) => [waited, queue].some((time) => tookMost(exhaustion.cpu, service, time)));
		return short !== undefined || tookMost(exhaustion.pool, node, waited)
			? placed(inDatabase(facts, 'database-slow', short), 'proved', 'timed', amplifierOf(failure))
			: null;
	},
});

/**
 * What kept the node itself from the database, or from its answer, which lies in the node's socket until the node reads it. A
 * node that stood still finds all its driver's time-outs run down at once, and the driver then says that the database was late.
 */
export const nodeTrouble = rule('database', {
	id: 'node-trouble',
	says: ['stood-still', 'out-of-descriptors', 'event-loop-busy'],
	facts: ['stalls', 'busyLoops', 'exhaustion', 'store', 'counters'],
	apply(failure, facts) {
		const { node, error, from, to } = failure;
		const { stalls, busyLoops, exhaustion } = facts;
		const at = (cause: string) => placed({ tier: 'app', service: node, cause }, 'proved', 'timed', amplifierOf(failure));
		const [waited, span] = [{ from, to }, spanOf(failure, facts)];
		if (isPoolCleared(error) ? overlapping(stalls, node, span) : !isBroken(error) && tookMost(stalls, node, waited))
			return at('stood-still');
		// It could open no socket to the database.
		if ((isConnectError(error) || isPoolCleared(error)) && overlapping(exhaustion.files, node, span)) return at('out-of-descriptors');
		return error === '' && tookMost(busyLoops, node, waited) ? at('event-loop-busy') : null;
	},
});

/** Another request of the node had waited for the database without an answer just as the driver cleared the pool, by the node's own counts. */
export const clearedByTimeout = rule('database', {
	id: 'cleared-by-timeout',
	says: ['database-slow'],
	facts: ['databases', 'nodes', 'store', 'counters'],
	apply(failure, facts) {
		const { node, error, from, to } = failure;
		if (!isPoolCleared(error)) return null;
		const { nodes, store, counters } = facts;
		const clear = counters.last(clearedAt(node), from - store.search_s, to);
		const errors = Object.keys(ownOf(nodes, node)?.errors ?? {}).filter(isTimedOut);
		return clear !== undefined && errors.some((name) => counters.rose(answeredBy(node, name), clear.from - ASKED_EVERY_S, clear.to))
			? placed(inDatabase(facts, 'database-slow'), 'proved', 'timed', amplifierOf(failure))
			: null;
	},
});

/** What the node says of its pool, or where it had the request. */
export const poolSaid = rule('database', {
	id: 'pool-said',
	says: ['pool-cleared', 'pool-wait-timeout', 'pool-wait'],
	facts: [],
	apply({ node, error, place }) {
		const cause = isPoolCleared(error) ? 'pool-cleared' : isPoolWait(error) ? 'pool-wait-timeout' : place === 'pool' ? 'pool-wait' : null;
		return cause && placed(inPool(node, cause), 'proved', 'proved');
	},
});

/** What the node says of the database. */
export const databaseSaid = rule('database', {
	id: 'database-said',
	says: ['database-lost', 'database-slow'],
	facts: ['databases'],
	apply({ error }, facts) {
		if (isConnectError(error)) return placed(inDatabase(facts, 'database-lost'), 'proved', 'proved');
		if (error === '' || isTimedOut(error)) return placed(inDatabase(facts, 'database-slow'), 'proved', 'proved');
		return placed(inDatabase(facts, 'database-lost'), 'proved', 'inferred');
	},
});

/** What cleared the pool happened before it did; where nobody counted that, at any time at which the driver may have begun to search. */
function sinceCleared({ store, counters }: Pick<RuleFacts, 'store' | 'counters'>, { node, from, to }: Span & { node: string }): Span {
	const clear = counters.last(clearedAt(node), from - store.search_s, to);
	return { from: clear ? Math.min(from, clear.from) - AROUND_S : from - store.search_s, to };
}

/** Whether it had said that it would end, and answers what it then interrupts with an error. */
const isStopping: (facts: Pick<RuleFacts, 'restarts'>, service: string, span: Span) => boolean = ({ restarts }, service, { from, to }) =>
	restarts.some((restart) => restart.name === service && restart.stopping < restart.from && restart.stopping <= to && restart.from >= from);

/** What happened to the database, or on the way to it, while the request was there. */
function troubleOf(
	facts: Pick<RuleFacts, 'databases' | 'restarts' | 'stalls' | 'observers' | 'store' | 'counters'>,
	{ node, service, span, amplified, isWait }: { node: string; service: string; span: Span; amplified: boolean; isWait: boolean },
): string | null {
	const { stalls, databases, store, counters } = facts;
	const restart = restartDuring(facts, service, span);
	if (restart) return restart.outOfMemory ? 'out-of-memory' : 'database-down';
	const stall = overlapping(stalls, service, span);
	// A node that went on answering was not held up; where there are several databases, another may have answered it.
	const isSpared = databases.length === 1 && stall?.served?.includes(node);
	if (stall && !isSpared) return isCutOff(facts, { node, stall }) ? 'database-unreachable' : 'database-slow';
	const rejected = refusedBy(service);
	// One refusal fails one request, unless the pool made many of it.
	if (amplified ? counters.rose(rejected, span.from - 1, span.to + 1) : counters.take(rejected, span.from - 1, span.to + 1))
		return 'database-refused';
	// Connections that came back to the last had reached it: a packet that was lost is not what a full pool waits for.
	if (isWait && counters.rose(checkedOutBy(node), Math.max(span.from, span.to - ASKED_EVERY_S), span.to)) return null;
	const rose = (counter: string) => counters.rose(counter, span.from - store.retry_s, span.to + 1);
	const lost = rose(`${service} ${LOST_BY_DATABASE}`) || rose(`${node} ${LOST_BY_NODE}`);
	const answered = databases.find(({ name }) => name === service)?.answered ?? [];
	const alive = answered.some((t) => t >= span.from - ASKED_EVERY_S && t <= span.to + ASKED_EVERY_S);
	return lost && alive ? 'database-unreachable' : null;
}

/**
 * Whether what was sent to it did not arrive while it answered nobody. A kernel takes what is sent to a program that stands still; and its
 * observer talks to the database alone.
 */
function isCutOff(
	{ observers, counters }: Pick<RuleFacts, 'observers' | 'counters'>,
	{ node, stall: { from, to } }: { node: string; stall: Stall },
): boolean {
	const hasLost = (name: string) => SENT_AGAIN.some((counter) => counters.rose(`${name} ${counter}`, from, to + 1));
	return hasLost(node) && observers.some(hasLost);
}
