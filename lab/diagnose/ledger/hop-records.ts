/**
 * What the adapters read of the services of a run.
 *
 * @import { Limit, Message, Signal, UpstreamAttempt } from '../../adapters/contract.ts'
 * @import { Raw } from '../read-raw.ts'
 * @import { Window } from '../time/window.ts'
 */

import { countsOf } from '../../adapters/hop-counts.ts';
import { adapterOf } from '../../adapters/registry.ts';
import { NotReadyError } from '../../base/errors.ts';

/**
 * Services of several containers behind one name. A proxy that was given the name logs the name, and not which container it asked: the
 * container that has the request on record says so.
 *
 * @typedef {import('../../adapters/contract.ts').HopRecord} HopRecord
 * @typedef {import('../../adapters/contract.ts').RequestRecord} RequestRecord
 * @typedef {import('../../adapters/contract.ts').Ejection} Ejection
 *
 * @typedef {object} Said          what it said of one sort, whichever requests it was about
 * @property {number} count
 * @property {string} first
 * @property {number[]} times      seconds since 1970
 *
 * @typedef {Partial<Record<Signal, Said>>} Saying
 *
 * @typedef {Omit<HopRecord, 'ejections' | 'ejected_s'> & { said: Saying, ejections: Ejection[], ejected_s: number | null }} EntryProxy
 */

/**
 * @param {HopRecord[]} hops
 * @param {Map<string, string[]>} replicas
 * @returns {HopRecord[]} that name the container where it is on record; what none has seen keeps the common name
 */
export function withReplicas(hops, replicas) {
	if (replicas.size === 0) return hops;
	const seen = new Map([...replicas].map(([common, names]) => [common, sightedIn(hops, names)]));
	return hops.map((record) => {
		const common = [...replicas.keys()].filter((name) => record.requestRecords.some(({ asked }) => asked.some(({ to }) => to === name)));
		if (common.length === 0) return record;
		const requestRecords = record.requestRecords.map((requestRecord) =>
			common.reduce((known, name) => named(known, name, seen.get(name)?.get(requestRecord.id) ?? []), requestRecord),
		);
		return { ...record, requestRecords, asked_by_name: common };
	});
}

/** Which of these had a request, in the order of time. @param {HopRecord[]} hops @param {string[]} names @returns {Map<string, string[]>} */
function sightedIn(hops, names) {
	const all = hops.filter(({ service }) => names.includes(service)).flatMap(({ requestRecords }) => requestRecords);
	/** @type {Map<string, string[]>} */
	const byId = new Map();
	for (const { id, service } of all.toSorted((one, other) => one.received - other.received))
		if (id !== '') byId.set(id, [...(byId.get(id) ?? []), service]);
	return byId;
}

/**
 * As many attempts as containers saw are theirs, in their order: all of them, or else those that were answered. Where neither is so many,
 * nobody knows which.
 * @param {RequestRecord} requestRecord @param {string} common @param {string[]} saw
 */
function named(requestRecord, common, saw) {
	const open = requestRecord.asked.filter(({ to }) => to === common);
	const theirs = [open, open.filter(({ status }) => status !== null)].find(({ length }) => length === saw.length);
	if (open.length === 0 || saw.length === 0 || theirs === undefined) return requestRecord;
	const names = new Map(theirs.map((attempt, index) => [attempt, saw[index]]));
	return { ...requestRecord, asked: requestRecord.asked.map((attempt) => renamed(attempt, names.get(attempt))) };
}

/** @param {UpstreamAttempt} attempt @param {string | undefined} to @returns {UpstreamAttempt} */
const renamed = (attempt, to) =>
	to === undefined ? attempt : { ...attempt, to, message: attempt.message === null ? null : { ...attempt.message, to } };

/**
 * @param {Raw} raw
 * @param {Window} window
 * @param {{ names: Map<string, string>, replicas: Map<string, string[]> }} about  names: address to service
 * @returns {HopRecord[]}
 * @throws {NotReadyError} when the record is of a product that no adapter reads
 */
export function hopsIn(raw, window, { names, replicas }) {
	const adapted = raw.adapted.map(({ service, tier, product, level, files }) => {
		const adapter = adapterOf(product);
		if (adapter === null)
			throw new NotReadyError(
				`manifest: expected a product that Doubletake knows for ${service}; found "${product}".`,
				'analyse it with the version that measured it.',
			);
		return ofLoad(adapter.read(files, { service, tier, level, names, window }));
	});
	return withReplicas(adapted, replicas);
}

/** Of a service's requests, that have to have the load's ids, or those that have none are not health checks alone. The lab's own choice. */
const NAMED_SHARE = 0.5;
/** By a proxy in the place of the load's: 32 hexadecimal digits, or a UUID. */
const MADE_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Where requests are on record by their ids, those without one are not the load's: health checks, or other users. Where most have none, the
 * load's are among them, and the count of all is what is known.
 * @param {HopRecord} record
 * @returns {HopRecord}
 */
function ofLoad(record) {
	if (record.coverage.requests !== 'full' || record.only_load) return record;
	const { service, coverage, uncovered } = record;
	const requestRecords = record.requestRecords.filter(({ id }) => id !== '' && !MADE_ID.test(id));
	if (requestRecords.length >= record.requestRecords.length * NAMED_SHARE)
		return { ...record, ...countsOf(requestRecords), requestRecords };
	const without = `${record.requestRecords.length - requestRecords.length} of ${record.requestRecords.length} requests`;
	return {
		...record,
		coverage: { ...coverage, requests: 'partial' },
		uncovered: [
			`${without} reached ${service} without the id that the load gave them (X-Request-Id): they cannot be told apart`,
			...uncovered,
		],
	};
}

/**
 * With what services say of themselves once a second: a user's own program may keep the same record as the lab's.
 * @param {Raw} raw
 * @param {HopRecord[]} hops
 * @returns {Raw}
 */
export function withHeartbeats(raw, hops) {
	const reported = hops.flatMap(({ service, heartbeat = [] }) =>
		heartbeat.length > 0 ? [/** @type {const} */ ([service, heartbeat])] : [],
	);
	return reported.length === 0 ? raw : { ...raw, nodes: { ...raw.nodes, ...Object.fromEntries(reported) } };
}

/*
 * The proxy that users talk to first, where there is one: its record, and that of single requests by their ids.
 */

/**
 * @param {HopRecord[]} hops
 * @param {Window} window
 * @param {{ name: string, tier: string }} entry
 * @returns {EntryProxy | null} null where users talk to something else than a proxy
 */
export function entryProxyOf(hops, window, entry) {
	const record = entry.tier === 'load-balancer' ? hops.find(({ service }) => service === entry.name) : undefined;
	if (!record) return null;
	return {
		...record,
		said: saidIn(record.messages),
		ejections: (record.ejections ?? reportedEjections(record.messages, window)).filter(({ to }) => to > window.from),
		ejected_s: record.ejected_s ?? null,
	};
}

/** Where its messages stand, as evidence names it. @param {Pick<HopRecord, 'service' | 'log_source'>} record */
export const logOf = ({ service, log_source: log = 'log' }) => `${service} ${log}`;

/** Its connection table, of all workers together. @param {Pick<HopRecord, 'limits'>} record @returns {Limit | null} null where none is on record */
export const tableOf = ({ limits }) => limits.find(({ resource }) => resource === 'connection slots') ?? null;

/** @param {Message[]} messages @returns {Saying} */
export function saidIn(messages) {
	/** @type {Saying} */
	const said = {};
	for (const { signal, t, text } of messages) {
		const known = said[signal] ?? { count: 0, first: text, times: [] };
		said[signal] = known;
		known.count += 1;
		known.times.push(t);
	}
	return said;
}

/**
 * From the message that a service was ejected to the message that it was reinstated.
 * @type {(messages: Message[], window: { to: number }) => Ejection[]}
 */
function reportedEjections(messages, window) {
	return messages.flatMap(({ signal, t, to: node, text }, index) => {
		if (signal !== 'ejected' || node === undefined) return [];
		const back = messages.slice(index).find((other) => other.signal === 'reinstated' && other.to === node);
		return [{ node, from: t, to: back?.t ?? window.to, trigger: null, line: text, request: null }];
	});
}

/** How long what it speaks of took, where it says so. @param {string} text */
export const secondsIn = (text) => Number(/(\d+(?:\.\d+)?) (?:ms|milliseconds)\b/.exec(text)?.[1] ?? 0) / 1000;
