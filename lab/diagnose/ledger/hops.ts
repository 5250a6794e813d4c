/**
 * The hops of a run: each service with what it recorded of the requests that passed it. Edges, conservation and the flow are
 * loops over these; what a tier's record looks like is known here alone.
 */

import type { Attempt } from '../../adapters/attempt.ts';
import type { HopRecord, RequestRecord } from '../../adapters/contract.ts';
import type { Hop as HopOfTypes, Ledger } from '../../record/types.js';
import { sum } from '../../stats/numbers.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import type { DatabaseFacts } from '../database-rows.ts';
import type { Facts } from './facts.ts';
import type { EntryProxy } from './hop-records.ts';
import type { Trace } from './traces.ts';

/**
 * what
 *  the tiers recorded of a request; kind: how it failed, of one that was not answered well in the end
 */
export type Seen = Pick<Trace, 'seen' | 'attempts'> & { late?: Attempt[]; kind?: string };

export type Hop = {
	/** what it says of itself */
	counts: HopOfTypes;
	/** where its count of what it received comes from */
	received_source: string;
	/** requests that it sent to a service, by its own record */
	sentTo: (to: string) => number | null;
	/** services of several containers that it asked by the name that these have in common */
	asked_by_name?: string[];
	/** requests that it sent to all containers of such a name */
	sentToAll?: (common: string) => number;
	sent_source: string;
	/** how often it asked a service for a request; null: it keeps no record of single requests */
	asked: ((seen: Seen, to: string) => number) | null;
	/** how often it received a request; null: as above */
	saw: ((seen: Seen) => number) | null;
	/** how many good answers it gave for a request; null: as above */
	answered: ((seen: Seen) => number) | null;
	/** good answers that it had from those that it asked */
	good: number | null;
	/** how many of these for a request; null: as above */
	had: ((seen: Seen) => number) | null;
	/** its counts have every request of the load, and no others */
	isComplete: boolean;
};

/** Of one that nobody gave a name. */
const DATABASE = 'database';

/** @returns by the services' names, in the order that requests pass */
export function hopsOf(facts: Facts): Map<string, Hop> {
	const { entryProxy, hops: records, nodes, workers, databases, restarts, replicas } = facts;
	const hasEnded = (name: string) => restarts.some((restart) => restart.name === name);
	const hops = [
		generatorHop(facts),
		...(entryProxy ? [recordedHop(hasEnded(entryProxy.service) ? byLog(entryProxy) : entryProxy, true, replicas)] : []),
		...Object.entries({ ...nodes, ...workers })
			.filter(([name]) => !records.some(({ service }) => service === name))
			.map(([name, increments]) => nodeHop(name, increments)),
		...records.filter(({ service }) => service !== entryProxy?.service).map((record) => recordedHop(record, false, replicas)),
		...databases
			.filter(({ name }) => !records.some(({ service }) => service === name))
			.map((database) => databaseHop(database, facts, hasEnded(database.name ?? DATABASE))),
	];
	return new Map(hops.map((hop) => [hop.counts.service, hop]));
}

function generatorHop({ generator, entries, raw }: Facts): Hop {
	// It counts what it sends, and not to whom.
	const isToOne = entries.size === 1;
	const source = raw.program ? 'its own output' : 'k6 metrics';
	const errors = sum(Object.values(generator.status));
	return {
		counts: {
			tier: 'generator',
			service: generator.name,
			source,
			received: generator.finished,
			answered_ok: generator.ok,
			answered_error: errors,
			aborted: generator.failed - errors,
		},
		received_source: source,
		sentTo: () => (isToOne ? generator.finished : null),
		sent_source: source,
		asked: isToOne ? () => 1 : null,
		saw: null,
		answered: null,
		good: generator.ok,
		had: ({ kind }) => Number(kind === undefined),
		isComplete: true,
	};
}

/** The counter of a service that was started again began anew; its log goes on. */
function byLog(record: EntryProxy) {
	if (record.coverage.requests !== 'full') return record;
	const source = record.source.split(', ').at(-1) ?? record.source;
	return { ...record, received: record.requestRecords.length, source, received_source: source };
}

/** A service whose record its adapter read. */
function recordedHop(record: Omit<HopRecord, 'ejections' | 'ejected_s'>, isEntryProxy: boolean, replicas: Facts['replicas']): Hop {
	const {
		tier,
		service,
		source,
		received_source = source,
		received,
		answered_ok,
		answered_error,
		aborted,
		requestRecords,
		coverage,
		asked_by_name = [],
		hides_asked: hidesAsked = false,
	} = record;
	const isComplete = coverage.requests === 'full';
	const sentSource = source.split(', ').at(-1) ?? source;
	const askedIn = ({ asked }: RequestRecord, service: string) => asked.filter(({ to }) => to === service).length;
	const hidden = asked_by_name.flatMap((common) => replicas.get(common) ?? []);
	return {
		counts: { tier, service, source, received, answered_ok, answered_error, aborted },
		received_source,
		// A program does not say whom it asked for a request, and a proxy not which of several that have one name.
		sentTo: (to) =>
			isComplete && !hidesAsked && tier !== 'app' && !hidden.includes(to)
				? sum(requestRecords.map((requestRecord) => askedIn(requestRecord, to)))
				: null,
		sentToAll: (common) =>
			sum(requestRecords.map((requestRecord) => sum([common, ...(replicas.get(common) ?? [])].map((to) => askedIn(requestRecord, to))))),
		asked_by_name: isComplete ? asked_by_name : [],
		sent_source: sentSource,
		asked: isEntryProxy && isComplete && !hidesAsked ? ({ seen }, to) => (seen ? askedIn(seen, to) : 0) : null,
		saw: isComplete ? (request) => (isEntryProxy ? Number(request.seen !== null) : attemptsAt(request, service).length) : null,
		answered: isComplete
			? (request) => (isEntryProxy ? Number(isGoodAnswer(request.seen)) : attemptsAt(request, service).filter(isGoodAnswer).length)
			: null,
		good: isComplete && isEntryProxy ? requestRecords.filter(isGood).length : null,
		had: isComplete && isEntryProxy ? ({ seen }) => Number(isGood(seen)) : null,
		isComplete,
	};
}

function nodeHop(name: string, node: Facts['nodes'][string]): Hop {
	const ok = node.answered['2xx'] ?? 0;
	return {
		counts: {
			tier: 'app',
			service: name,
			source: 'node record',
			received: node.received,
			answered_ok: ok,
			answered_error: sum(Object.values(node.answered)) - ok,
			aborted: node.aborted,
		},
		received_source: 'node record',
		sentTo: () => node.received,
		sent_source: 'node record',
		asked: null,
		saw: (request) => attemptsAt(request, name).length,
		answered: (request) => attemptsAt(request, name).filter(isGoodAnswer).length,
		good: null,
		had: null,
		isComplete: true,
	};
}

/** @param hasEnded what it had counted went with it */
function databaseHop(database: DatabaseFacts, { generator, raw, store }: Facts, hasEnded: boolean): Hop {
	const counted = generator.created === generator.ok && database.set === null ? database.inserts : database.operations;
	const source = raw.program ? 'its own files' : store.source;
	return {
		counts: {
			tier: 'database',
			service: database.name ?? DATABASE,
			source,
			// Where not every request leaves a document behind, each is one operation of another kind; and of copies each has a part of them.
			received: hasEnded ? null : counted,
			// Documents that were taken away again were stored all the same. A copy has what others were asked to store.
			answered_ok: database.documents === null || database.set !== null ? null : database.documents + (database.deletes ?? 0),
			answered_error: null,
			aborted: null,
		},
		received_source: source,
		sentTo: () => null,
		sent_source: source,
		asked: null,
		saw: null,
		answered: null,
		good: null,
		had: null,
		isComplete: true,
	};
}

const attemptsAt: (request: Seen, service: string) => Attempt[] = ({ attempts, late = [] }, service) =>
	[...attempts, ...late].filter(({ node }) => node === service);

const isGood: (line: { status: number | null } | null) => boolean = (line) =>
	line !== null && line.status !== null && line.status < FIRST_BAD_STATUS;

const isGoodAnswer: (line: { status: number | null; outcome: string } | null) => boolean = (line) =>
	line?.outcome === 'answered' && isGood(line);

/** What each tier says of itself. */
export function hopCounts(facts: Facts, hops: Map<string, Hop>): Ledger['hops'] {
	const counts = [...hops.values()].map((hop) => hop.counts);
	const database = counts.findIndex(({ tier }) => tier === 'database');
	return counts.toSpliced(database < 0 ? counts.length : database, 0, ...poolCounts(facts));
}

/**
 * The pools of all nodes together: inside the nodes, and no hop of their own.
 * @returns none where there is no pool
 */
function poolCounts(facts: Facts): HopOfTypes[] {
	const { database } = facts;
	const nodes = { ...facts.nodes, ...facts.workers };
	const pooled = pooledNodes(facts);
	if (pooled.length === 0 || database.name === null) return [];
	const checkouts = sum(pooled.map((name) => nodes[name].checkouts));
	const refused = sum(pooled.flatMap((name) => Object.values(nodes[name].checkoutsFailed)));
	return [
		{
			tier: 'pool',
			service: 'pool',
			source: 'pool events',
			received: checkouts + refused,
			answered_ok: checkouts,
			answered_error: refused,
			aborted: null,
		},
	];
}

/** Nodes that keep a record of their pools. */
export const pooledNodes = ({ raw }: Facts): string[] => Object.keys(raw.nodes).filter((name) => raw.nodes[name].some(({ pool }) => pool));
