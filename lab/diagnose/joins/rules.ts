import { grouped } from '../../base/values.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import type { WireCall } from '../../wire/record.ts';
import type { Spans } from './call-columns.ts';
import { some } from './grouped.ts';
import { Profile } from './profile.ts';

/** Packets of two connections may be recorded in another order than they were sent in: on one machine by less than this. */
export const TOLERANCE_S = 0.0003;

/** By what a call is joined to the one that it was made for. */
export const BY_ID = 1;
export const BY_ORDER = 2;

/**
 * What the generator took for good was good, whatever its status.
 * @param call of its own, answered
 * @param failedIds by its record; null where it has none
 */
export const isBadAnswer = ({ id, bad }: { id?: string; bad: boolean }, failedIds: Set<string> | null) =>
	failedIds !== null && id !== undefined ? failedIds.has(id) : bad;

/**
 * What each kind of request asks, learned from those that were alone in their service: whatever that began meanwhile is of that one. So are the
 * requests of the probe, which are sent one after the other, and many of a light load.
 *
 * Alone it is not quite what it is under load: caches are cold or warm, lists are shorter, nothing fails. So it is a likelihood and no law.
 *
 */

/** What a service does after its answer begins so soon after it, and would be taken for the next request's. */
const QUIET_S = 0.005;
/** As often as the probe sends each: the first may fill a cache or open a pool, and fewer than two others do not say what is usual. */
const ALONE_LEAST = 3;
/** More tell no more. */
const ALONE_MOST = 500;

/**
 * @param containers of one service; made: without what goes on beside requests
 * @returns by the kind of request
 */
export function profilesOf(spans: Spans, containers: { served: number[]; made: number[] }[]): Map<number, Profile> {
	const alone = containers.flatMap(({ served, made }) => aloneIn(spans, served, made));
	const kinds = [...grouped(alone, ({ request }) => spans.way[request])].filter(([, all]) => all.length >= ALONE_LEAST);
	return new Map(kinds.map(([kind, all]) => [kind, new Profile(spans, some(all, ALONE_MOST))]));
}

/**
 * @param served in the order of their beginnings
 * @param made in the order of their beginnings
 * @returns good ones, during which the service had no other
 */
function aloneIn(
	{ began, over, worked, calls, length_s: length }: Spans,
	served: number[],
	made: number[],
): { request: number; calls: number[] }[] {
	const alone = [];
	let [until, next] = [Number.NEGATIVE_INFINITY, 0];
	for (let index = 0; index < served.length; index += 1) {
		const request = served[index];
		const from = began[request];
		const to = Math.min(worked[request], length);
		const isFirst = from >= until + QUIET_S;
		until = Math.max(until, to);
		const after = served[index + 1];
		if (!isFirst || (after !== undefined && began[after] <= to + TOLERANCE_S) || !isGood(calls[request])) continue;
		while (next < made.length && began[made[next]] < from - TOLERANCE_S) next += 1;
		const own = [];
		for (let at = next; at < made.length && began[made[at]] <= to; at += 1) if (over[made[at]] <= to + TOLERANCE_S) own.push(made[at]);
		alone.push({ request, calls: own });
	}
	return alone;
}

const isGood = ({ end, bad, status }: WireCall) => end === 'answered' && !bad && (status ?? 0) < FIRST_BAD_STATUS;

/**
 * What lies in one transaction of a connection belongs to one request, where it lies within it: a pooler serves each statement by itself.
 */
/**
 * of a call on its connection, -1 of none; first: of its
 *   transaction
 */
export type Neighbours = { before: Int32Array; after: Int32Array; first: Int32Array };

/**
 * @param made by containers, each in the order of their beginnings
 * @returns of calls that a transaction connects
 */
export function neighboursOf({ calls, connection: connectionOf }: Spans, made: number[][]): Neighbours {
	const row = () => new Int32Array(calls.length).fill(-1);
	const neighbours = { before: row(), after: row(), first: row() };
	/** Of each connection, by its id. */
	const last: number[] = [];
	for (const own of made)
		for (let place = 0; place < own.length; place += 1) {
			const call = own[place];
			const connection = connectionOf[call];
			const before = last[connection];
			last[connection] = call;
			if (before === undefined || !isInTransaction(calls[before])) continue;
			neighbours.before[call] = before;
			neighbours.after[before] = call;
			neighbours.first[call] = neighbours.first[before] < 0 ? before : neighbours.first[before];
		}
	return neighbours;
}

const isInTransaction = ({ state }: WireCall) => state === 'transaction' || state === 'failed-transaction';
