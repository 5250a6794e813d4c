/** What the proxy gave up, at a node that keeps a record of its requests. */

import { isOfDatabase } from './attribute-database.ts';
import { overlapping, placed, rule, type Spot, tookMost } from './place.ts';

/** For which an answer may be on its way: the least after which a kernel sends again (TCP_RTO_MIN). */
const ON_THE_WAY_S = 0.2;

const atApp = (node: string, cause: string): Spot => ({ tier: 'app', service: node, cause });

export const timeoutAtDatabase = rule('timeout', {
	id: 'timeout-at-database',
	says: [],
	facts: [],
	asks: ['database'],
	apply({ node, attempt, from, to }, _, ask) {
		if (attempt?.place === 'database' || attempt?.place === 'pool')
			return ask.database({ node, error: '', place: attempt.place, from, to });
		return attempt && isOfDatabase(attempt.error) ? ask.database({ node, error: attempt.error, place: '', from, to }) : null;
	},
});

export const timeoutAtStandstill = rule('timeout', {
	id: 'timeout-at-standstill',
	says: ['stood-still'],
	facts: ['stalls'],
	apply: ({ node, from, to }, facts) =>
		overlapping(facts.stalls, node, { from, to }) ? placed(atApp(node, 'stood-still'), 'proved', 'timed') : null,
});

/** It answered in time, by its own log, and the proxy heard nothing. */
export const timeoutOfAnswer = rule('timeout', {
	id: 'timeout-of-answer',
	says: ['answer-lost'],
	facts: [],
	apply: ({ node, attempt, to }) =>
		attempt?.outcome === 'answered' && to - Number(attempt.ended) > ON_THE_WAY_S
			? placed(atApp(node, 'answer-lost'), 'proved', 'proved')
			: null,
});

/** Of a program that says of a request only that it had it. */
export const timeoutOfLoop = rule('timeout', {
	id: 'timeout-of-loop',
	says: ['event-loop-busy'],
	facts: ['silent', 'busyLoops'],
	apply: ({ node, attempt, from, to }, { silent, busyLoops }) =>
		attempt && silent.has(node) && tookMost(busyLoops, node, { from, to })
			? placed(atApp(node, 'event-loop-busy'), 'proved', 'timed')
			: null,
});

/** A kernel takes what is sent to a program that is slow, so that the proxy's had not to send it again. */
export const timeoutOnTheWay = rule('timeout', {
	id: 'timeout-on-the-way',
	says: ['unreachable'],
	facts: ['entry', 'counters'],
	apply: ({ node, attempt, from, to }, facts) =>
		!attempt && facts.counters.take(`${facts.entry.name} TCPTimeouts`, from, to + 1)
			? placed(atApp(node, 'unreachable'), 'proved', 'timed')
			: null,
});

export const timeoutOfNode = rule('timeout', {
	id: 'timeout-of-node',
	says: ['upstream-timeout'],
	facts: [],
	apply: ({ node }) => placed(atApp(node, 'upstream-timeout'), 'proved', 'proved'),
});
