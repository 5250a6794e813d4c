/**
 * The rules of the diagnosis in their order: of those that are asked of one subject, the first that has an answer gives it. Beside each stands
 * why it comes before those that follow; `free` is the place of a rule that takes what none after it does. What a rule reads, and which causes it
 * may name, stands where it is made; docs/diagnosis.md has the causes of all in one table.
 */

import * as attempt from './ledger/attribute-attempt.ts';
import * as database from './ledger/attribute-database.ts';
import { Counters } from './ledger/counters.ts';
import type { Facts } from './ledger/facts.ts';
import type { PlacedTrace } from './ledger/ledger.ts';
import type { Asks } from './ledger/place.ts';
import * as ofProxy from './ledger/proxy-timeouts.ts';
import * as answered from './ledger/rules-answered.ts';
import * as broken from './ledger/rules-broken.ts';
import * as waiting from './ledger/rules-waiting.ts';
import type { Row, Rule } from './rule.ts';
import { asksOf } from './rule.ts';

/** What each group of rules is asked of, in words. */
export const ASKED_OF: Record<string, string> = {
	generator: 'A failed request, of any system: what the generator says of itself',
	request: 'A failed request of a shipped system, or of a record without the wire',
	answer: 'An error that a program answered',
	attempt: 'An attempt of a proxy to ask a node that failed',
	timeout: 'An attempt that the proxy gave up, at a node that keeps a record of its requests',
	database: 'A failure of a node at its database, or on the way to it',
	entry: 'A request whose user heard nothing, and that nobody behind the first tier has open',
};

const ORDER: [rule: Rule, before: string][] = [
	[broken.generatorExhausted, 'free: what never left the generator failed at no tier'],
	[broken.cutAtEnd, 'the last: what the generator itself stopped waiting for, and nobody has on record'],

	[answered.answeredByApp, 'who answered has the request on record: nothing that happened at the time says more'],
	[answered.noLiveUpstream, 'it may have asked a node before, whose failure is the trigger and not the cause of its answer'],
	[answered.attemptFailed, 'a proxy that asked a node speaks of that node, not of itself'],
	[answered.balancerAnswered, 'free: only where the proxy has the request on record, and asked nobody'],
	[broken.entryDown, 'what is gone explains whatever else is seen there, and its log lacks its last lines'],
	[broken.workerCrashed, 'a process takes its requests and their lines with it, so that their want proves nothing afterwards'],
	[waiting.waitingAtNode, 'the record of a node stands furthest from the user: where a request was seen last, it stood'],
	[waiting.waitingBeforeNode, 'the proxy had passed it on: it is no longer a matter of the entry'],
	[waiting.waitingAtEntry, 'free: the last of those that were waited for; what follows broke, or was never connected'],
	[broken.brokenAfterReading, 'who has read the request had a place for it, so that nothing was full'],
	[broken.acceptQueueOverflow, 'the kernel counts each; a full table, which its proxy tells once a second, would take them all'],
	[broken.connectionTableFull, 'a proxy with a full table closes what it never read, which looks like each of those that follow'],
	[broken.invalidAnswer, 'free: the client says by itself what was wrong'],
	[broken.balancerExhausted, 'the word of the proxy, before readings once a second of the same want'],
	[broken.outOfDescriptors, 'a program without a descriptor closes what it accepts, which looks unread'],
	[broken.notConnected, 'free: no connection came about, so that nothing was closed'],
	[broken.closedUnlogged, 'what ended behind a proxy explains what it closed without a line'],
	[broken.closedUnread, 'the last: that there is no line is all that is known'],

	[answered.breakerOpened, 'a breaker refuses for a failure before, which is the cause'],
	[answered.refusedByApp, 'a refusal is no error, whatever went on then'],
	[answered.errorOfDatabase, 'the error has a name that says whom it is about'],
	[answered.errorOfQueue, 'as that of the database: named before unnamed'],
	[answered.errorOfApp, 'an error that is on record and named after nobody is its own'],
	[answered.errorCounted, 'counted once a second: only of a request that has no line'],
	[answered.errorUnnamed, 'the last: that there was an error is all that is known'],

	[attempt.proxyExhausted, 'without a descriptor of its own it asked nobody'],
	[attempt.answerNotTaken, 'the node answered: it was there, and connected'],
	[attempt.nodeEnded, 'a node that was gone refuses, resets and keeps silent, as in all that follow'],
	[attempt.proxySaid, 'these words of a proxy have one meaning'],
	[attempt.nodeNotConnected, 'no connection came about, so that no worker had the request'],
	[attempt.nodeLostWorker, 'a process that ended breaks connections and loses lines'],
	[attempt.nodeUnwatched, 'all that follow rest on the log of the node'],
	[attempt.nodeTimedOut, 'it broke nothing off'],
	[attempt.proxySilent, 'without a word of the proxy nothing says that the connection broke'],
	[attempt.nodeHadRead, 'what was read had a place in the queue, and a descriptor'],
	[attempt.nodeOverflowed, 'the kernel counts each; readings of descriptors come once a second'],
	[attempt.nodeOutOfDescriptors, 'a program without a descriptor closes what it accepts, which looks unread'],
	[attempt.nodeClosed, 'the last: that there is no line is all that is known'],

	[ofProxy.timeoutAtDatabase, 'the node says where it had the request'],
	[ofProxy.timeoutAtStandstill, 'who stands still answers nobody, and its times are wrong afterwards'],
	[ofProxy.timeoutOfAnswer, 'it had answered: nothing behind it took too long'],
	[ofProxy.timeoutOfLoop, 'a busy loop reads no answer, however soon it came'],
	[ofProxy.timeoutOnTheWay, 'what was sent again did not come to the node'],
	[ofProxy.timeoutOfNode, 'the last: it was slow by itself'],

	[database.databaseStopping, 'a database that ends answers with errors'],
	[database.databaseError, 'it answered, so that neither pool nor way was at fault'],
	[database.databaseTrouble, 'what befell the database fills pools, clears them and breaks connections'],
	[database.poolBehindDatabase, 'a larger pool would have waited as well'],
	[database.nodeTrouble, 'a node that stands still finds all time-outs of its driver run down, and blames the database'],
	[database.clearedByTimeout, 'who waited without an answer just then made the driver clear the pool'],
	[database.poolSaid, 'what is left of failures before the database'],
	[database.databaseSaid, 'the last: the name of the error'],

	[waiting.entryEnded, 'what is gone stands still, reads nothing and drops packets'],
	[waiting.entryStoodStill, 'before overflows, which its standstill causes'],
	[waiting.answerLost, 'it had the answer, so that it had a place for the request'],
	[waiting.entryOverflowed, 'before packets sent again: users dial again for that too'],
	[waiting.entryExhausted, 'who has no descriptor takes no connection, and the kernel of its client sends again'],
	[waiting.entryUnreachable, 'what did not arrive is on no record of it'],
	[waiting.entryHadRead, 'its record has the request'],
	[waiting.entryNeverRead, 'the last: its record would have the request'],
];

export const RULES: Row[] = ORDER.map(([rule, before]) => ({ ...rule, before }));

/**
 * @param rules in their order
 * @returns with counters of which nothing is taken yet
 */
export const ledgerAsks = (facts: Facts, rules: Row[] = RULES): Asks =>
	asksOf(rules, { ...facts, counters: new Counters(facts.increments) }) as any;

/** @returns each failed request once, in the order of their ends; null where no rule took it */
export function placeAll(facts: Facts): PlacedTrace[] {
	const ask = ledgerAsks(facts);
	return facts.traces.map((trace) => ({ trace, placement: ask.generator(trace) ?? ask.request(trace) }));
}
