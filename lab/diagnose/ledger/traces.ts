/** What logs of requests say: of each failed request all that is recorded of it, and which logs are not whole. */

import type { Attempt } from '../../adapters/attempt.ts';
import type { Message, UpstreamAttempt } from '../../adapters/contract.ts';
import { lacksOf } from '../damage.ts';
import type { Failed } from '../joins/failed.ts';
import type { Raw } from '../read-raw.ts';
import { receivedBy } from '../time/increments.ts';
import type { EntryProxy, HopRecord, RequestRecord } from './hop-records.ts';
import type { Restart } from './lives.ts';
import { isGap } from './unlisted.ts';

export type Trace = Failed & Followed;

type Followed = {
	/** by the proxy that users talk to */
	seen: RequestRecord | null;
	/** by it, in their order */
	asked: UpstreamAttempt[];
	/** what it said of the request as a whole */
	own: Message[];
	/** of nodes */
	attempts: Attempt[];
	/** what nodes read only after the user had stopped waiting */
	late: Attempt[];
};

type Retried = Pick<Trace, 'attempts'> & { seen: RequestRecord };

export type Logged = {
	/** each failed request */
	traces: Trace[];
	/** requests that were answered well by another node than the first */
	retried: Retried[];
	attempts: Map<string, Attempt[]>;
	/** services that have every request on record, by its id */
	watched: Set<string>;
	/** programs among them that do not say why a request failed */
	silent: Set<string>;
	/** services whose log has fewer requests than they received */
	unlogged: Unlogged[];
};

export function loggedIn(
	raw: Raw,
	{
		hops,
		entryProxy,
		restarts,
	}: {
		hops: HopRecord[];
		entryProxy: EntryProxy | null;
		restarts: Restart[];
	},
): Logged {
	const asked = (entryProxy?.requestRecords ?? []).filter((seen) => seen.asked.length > 1);
	const attempts = attemptsIn(hops, entryProxy?.service ?? null, new Set([...raw.failures, ...asked].map(({ id }) => id)), raw.attempts);
	const traces = tracesOf({ failures: raw.failures, attempts }, entryProxy);
	const unlogged = unloggedIn(raw, entryProxy, restarts);
	const kept = hops.filter(({ coverage }) => coverage.requests === 'full').map(({ service }) => service);
	return {
		traces,
		retried: retriedOf(asked, traces, attempts),
		attempts,
		// What a damaged log lacks may have been there.
		watched: new Set([...kept, ...Object.keys(raw.nodes)].filter((name) => !isGap(unlogged, name) && !lacksOf(raw, name))),
		silent: new Set(hops.filter(isSilent).map(({ service }) => service)),
		unlogged,
	};
}

/** @returns in the order of their ends */
function tracesOf(
	{ failures, attempts }: { failures: Failed[]; attempts: Map<string, Attempt[]> },
	entryProxy: EntryProxy | null,
): Trace[] {
	const wanted = new Set(failures.map(({ id }) => id));
	const requestRecords = new Map((entryProxy?.requestRecords ?? []).filter(({ id }) => wanted.has(id)).map((seen) => [seen.id, seen]));
	return failures
		.map((failed) => {
			const all = attempts.get(failed.id) ?? [];
			// What was answered was read before, whatever the node's clock says.
			const inTime = ({ received, status }: Attempt) => received <= failed.t || (status !== null && status === failed.status);
			const seen = requestRecords.get(failed.id) ?? null;
			return {
				...failed,
				seen,
				asked: seen?.asked ?? [],
				own: seen?.own ?? [],
				attempts: all.filter(inTime),
				late: all.filter((attempt) => !inTime(attempt)),
			};
		})
		.sort((one, other) => one.t - other.t);
}

/**
 * What services logged of single requests, as a node's log tells it. What the proxy logged that users talk to is told apart.
 * @param wanted ids
 * @param known of nodes
 * @returns both
 */
function attemptsIn(hops: HopRecord[], entryProxy: string | null, wanted: Set<string>, known: Raw['attempts']): Raw['attempts'] {
	const all = new Map(known);
	for (const { service, requestRecords } of hops.filter((hop) => hop.service !== entryProxy)) {
		for (const { id, received, ended, outcome, status, error, place } of requestRecords.filter((seen) => wanted.has(seen.id)))
			all.set(id, [...(all.get(id) ?? []), { node: service, received, ended, outcome, status, error, place }]);
	}
	return all;
}

function retriedOf(retried: RequestRecord[], traces: Trace[], attempts: Raw['attempts']): Retried[] {
	const failed = new Set(traces.map(({ id }) => id));
	return retried.filter(({ id }) => !failed.has(id)).map((seen) => ({ seen, attempts: attempts.get(seen.id) ?? [] }));
}

/** requests that it received without a line in its log */
export type Unlogged = { name: string; count: number; share: number };

/** A service that was killed, or one of whose processes was, took its last lines with it. */
function unloggedIn({ unlogged, nodes }: Raw, entryProxy: EntryProxy | null, restarts: Restart[]): Unlogged[] {
	const ofNodes = Object.entries(unlogged).map(([name, count]) => ({ name, count, received: receivedBy(nodes[name]) }));
	return [...ofEntryProxy(entryProxy), ...ofNodes]
		.filter(({ name, count }) => count > 0 && !restarts.some((restart) => restart.name === name))
		.map(({ name, count, received }) => ({ name, count, share: count / received }));
}

/** By a counter of its own beside its log. */
function ofEntryProxy(entryProxy: EntryProxy | null) {
	if (!entryProxy || entryProxy.coverage.requests !== 'full' || entryProxy.received === null || entryProxy.said['worker-died']) return [];
	return [{ name: entryProxy.service, count: entryProxy.received - entryProxy.requestRecords.length, received: entryProxy.received }];
}

/** @param record of a program that says what became of a request, and not why */
const isSilent = ({ tier, coverage }: HopRecord) => tier === 'app' && coverage.requests === 'full' && coverage.reasons !== 'full';
