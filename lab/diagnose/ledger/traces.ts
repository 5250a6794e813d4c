/**
 * What logs of requests say: of each failed request all that is recorded of it, and which logs are not whole.
 *
 *
 * @import { Message, UpstreamAttempt } from '../../adapters/contract.ts'
 * @import { Raw } from '../read-raw.ts'
 * @import { EntryProxy, HopRecord, RequestRecord } from './hop-records.ts'
 * @import { Restart } from './lives.ts'
 */

import { lacksOf } from '../damage.ts';
import { receivedBy } from '../time/increments.ts';

/**
 * Each failed request with all that is recorded of it: k6's own account, the proxy's record, what the nodes logged. Joined
 * by the id that the request carries, so that a failure can be placed by where it was last seen.
 *
 * @typedef {object} Failed      k6's own account of a failed request
 * @property {string} id
 * @property {number} t          its end, seconds since 1970
 * @property {number} waited_s
 * @property {number} status     0: no HTTP answer
 * @property {number} code       of k6's error
 * @property {string} kind       what k6's error text says; `status` where there was an answer
 *
 * @typedef {Pick<RequestRecord, 'received' | 'ended' | 'outcome' | 'status' | 'error' | 'place'> & { node: string, opener?: string }} Attempt
 *   what a node logged of a request that it received. opener: id of the request whose failure made the node refuse this one, of a refusal that
 *   says so; place: app, pool or database
 *
 * @typedef {Failed & Followed} Trace
 *
 * @typedef {object} Followed
 * @property {RequestRecord | null} seen  by the proxy that users talk to
 * @property {UpstreamAttempt[]} asked  by it, in their order
 * @property {Message[]} own  what it said of the request as a whole
 * @property {Attempt[]} attempts  of nodes
 * @property {Attempt[]} late      what nodes read only after the user had stopped waiting
 *
 * @typedef {Pick<Trace, 'attempts'> & { seen: RequestRecord }} Retried
 *
 * @typedef {object} Logged
 * @property {Trace[]} traces      each failed request
 * @property {Retried[]} retried   requests that were answered well by another node than the first
 * @property {Map<string, Attempt[]>} attempts
 * @property {Set<string>} watched  services that have every request on record, by its id
 * @property {Set<string>} silent   programs among them that do not say why a request failed
 * @property {Unlogged[]} unlogged  services whose log has fewer requests than they received
 */

/**
 * @param {Raw} raw
 * @param {object} of
 * @param {HopRecord[]} of.hops
 * @param {EntryProxy | null} of.entryProxy
 * @param {Restart[]} of.restarts
 * @returns {Logged}
 */
export function loggedIn(raw, { hops, entryProxy, restarts }) {
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

/**
 * @param {{ failures: Failed[], attempts: Map<string, Attempt[]> }} raw
 * @param {EntryProxy | null} entryProxy
 * @returns {Trace[]} in the order of their ends
 */
function tracesOf({ failures, attempts }, entryProxy) {
	const wanted = new Set(failures.map(({ id }) => id));
	const requestRecords = new Map((entryProxy?.requestRecords ?? []).filter(({ id }) => wanted.has(id)).map((seen) => [seen.id, seen]));
	return failures
		.map((failed) => {
			const all = attempts.get(failed.id) ?? [];
			// What was answered was read before, whatever the node's clock says.
			const inTime = (/** @type {Attempt} */ { received, status }) => received <= failed.t || (status !== null && status === failed.status);
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
 * @param {HopRecord[]} hops
 * @param {string | null} entryProxy
 * @param {Set<string>} wanted  ids
 * @param {Raw['attempts']} known  of nodes
 * @returns {Raw['attempts']} both
 */
function attemptsIn(hops, entryProxy, wanted, known) {
	const all = new Map(known);
	for (const { service, requestRecords } of hops.filter((hop) => hop.service !== entryProxy)) {
		for (const { id, received, ended, outcome, status, error, place } of requestRecords.filter((seen) => wanted.has(seen.id)))
			all.set(id, [...(all.get(id) ?? []), { node: service, received, ended, outcome, status, error, place }]);
	}
	return all;
}

/** @type {(retried: RequestRecord[], traces: Trace[], attempts: Raw['attempts']) => Retried[]} */
function retriedOf(retried, traces, attempts) {
	const failed = new Set(traces.map(({ id }) => id));
	return retried.filter(({ id }) => !failed.has(id)).map((seen) => ({ seen, attempts: attempts.get(seen.id) ?? [] }));
}

/*
 * Services whose log is not whole: it has fewer requests than the service counted. What is not in such a log may have been there.
 */

/** Of a service's requests; where more are not in its log, it says nothing that a request is not there. The lab's own choice. */
const UNLOGGED_SHARE = 0.01;

/** @typedef {{ name: string, count: number, share: number }} Unlogged  requests that it received without a line in its log */

/**
 * A service that was killed, or one of whose processes was, took its last lines with it.
 * @param {Raw} raw
 * @param {EntryProxy | null} entryProxy
 * @param {Restart[]} restarts
 * @returns {Unlogged[]}
 */
function unloggedIn({ unlogged, nodes }, entryProxy, restarts) {
	const ofNodes = Object.entries(unlogged).map(([name, count]) => ({ name, count, received: receivedBy(nodes[name]) }));
	return [...ofEntryProxy(entryProxy), ...ofNodes]
		.filter(({ name, count }) => count > 0 && !restarts.some((restart) => restart.name === name))
		.map(({ name, count, received }) => ({ name, count, share: count / received }));
}

/** @param {Unlogged[]} unlogged @param {string} service */
const isGap = (unlogged, service) => unlogged.some(({ name, share }) => name === service && share > UNLOGGED_SHARE);

/** By a counter of its own beside its log. @param {EntryProxy | null} entryProxy */
function ofEntryProxy(entryProxy) {
	if (!entryProxy || entryProxy.coverage.requests !== 'full' || entryProxy.received === null || entryProxy.said['worker-died']) return [];
	return [{ name: entryProxy.service, count: entryProxy.received - entryProxy.requestRecords.length, received: entryProxy.received }];
}

/** @param {HopRecord} record of a program that says what became of a request, and not why */
const isSilent = ({ tier, coverage }) => tier === 'app' && coverage.requests === 'full' && coverage.reasons !== 'full';
