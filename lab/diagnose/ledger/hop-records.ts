/** What the adapters read of the services of a run. */

import type { Ejection, HopRecord, RequestRecord, UpstreamAttempt } from '../../adapters/contract.ts';
import { countsOf } from '../../adapters/hop-counts.ts';
import { adapterOf } from '../../adapters/registry.ts';
import { NotReadyError } from '../../base/errors.ts';
import type { Signal } from '../../base/signal.ts';
import type { Raw } from '../read-raw.ts';
import type { Window } from '../time/window.ts';

export type { HopRecord, RequestRecord, Ejection };

/**
 * Services of several containers behind one name. A proxy that was given the name logs the name, and not which container it asked: the
 * container that has the request on record says so.
 */
/** what it said of one sort, whichever requests it was about */
type Said = {
	count: number;
	first: string;
	/** seconds since 1970 */
	times: number[];
};

export type Saying = Partial<Record<Signal, Said>>;

export type EntryProxy = Omit<HopRecord, 'ejections' | 'ejected_s'> & { said: Saying; ejections: Ejection[]; ejected_s: number | null };

/** @returns that name the container where it is on record; what none has seen keeps the common name */
export function withReplicas(hops: HopRecord[], replicas: Map<string, string[]>): HopRecord[] {
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

/** Which of these had a request, in the order of time. */
function sightedIn(hops: HopRecord[], names: string[]): Map<string, string[]> {
	const all = hops.filter(({ service }) => names.includes(service)).flatMap(({ requestRecords }) => requestRecords);
	const byId: Map<string, string[]> = new Map();
	for (const { id, service } of all.toSorted((one, other) => one.received - other.received))
		if (id !== '') byId.set(id, [...(byId.get(id) ?? []), service]);
	return byId;
}

/**
 * As many attempts as containers saw are theirs, in their order: all of them, or else those that were answered. Where neither is so many,
 * nobody knows which.
 */
function named(requestRecord: RequestRecord, common: string, saw: string[]) {
	const open = requestRecord.asked.filter(({ to }) => to === common);
	const theirs = [open, open.filter(({ status }) => status !== null)].find(({ length }) => length === saw.length);
	if (open.length === 0 || saw.length === 0 || theirs === undefined) return requestRecord;
	const names = new Map(theirs.map((attempt, index) => [attempt, saw[index]]));
	return { ...requestRecord, asked: requestRecord.asked.map((attempt) => renamed(attempt, names.get(attempt))) };
}

const renamed = (attempt: UpstreamAttempt, to: string | undefined): UpstreamAttempt =>
	to === undefined ? attempt : { ...attempt, to, message: attempt.message === null ? null : { ...attempt.message, to } };

/**
 * @param about names: address to service
 * @throws {NotReadyError} when the record is of a product that no adapter reads
 */
export function hopsIn(
	raw: Raw,
	window: Window,
	{ names, replicas }: { names: Map<string, string>; replicas: Map<string, string[]> },
): HopRecord[] {
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

/** Of a service's requests, that have to have the load's ids, or those that have none are not health checks alone. */
const NAMED_SHARE = 0.5;
/** By a proxy in the place of the load's: 32 hexadecimal digits, or a UUID. */
const MADE_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Where requests are on record by their ids, those without one are not the load's: health checks, or other users. Where most have none, the
 * load's are among them, and the count of all is what is known.
 */
function ofLoad(record: HopRecord): HopRecord {
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

/** With what services say of themselves once a second: a user's own program may keep the same record as the lab's. */
export function withHeartbeats(raw: Raw, hops: HopRecord[]): Raw {
	const reported = hops.flatMap(({ service, heartbeat = [] }) => (heartbeat.length > 0 ? [[service, heartbeat] as const] : []));
	return reported.length === 0 ? raw : { ...raw, nodes: { ...raw.nodes, ...Object.fromEntries(reported) } };
}
