/**
 * Time-outs, as the wire shows them: a service that gave up on calls, closed them, or answered them with an error of its own after equal
 * times. Of a chain in which all go away together, the first who went has it.
 */

import type { WireEdge, WireTimeout } from '../record/types.js';
import { equalTimes, equalWithin } from '../stats/equal-times.ts';
import { rounded, upTo } from '../stats/numbers.ts';
import type { WireCall } from '../wire/record.ts';
import { unreadBytes } from '../wire/turns.ts';
import type { Joined } from './joins/joined.ts';
import { TOLERANCE_S } from './joins/rules.ts';
import { isTurnedAway } from './joins/spans.ts';
import type { Trees } from './wire-requests/trees.ts';

export type EdgeTimeout = WireTimeout & { from: string; to: string; port: number };

type Edge = {
	from: string;
	to: string;
	port: number;
};

type Group = Edge & { how: WireTimeout['how']; waits: { call: number; began: number; took: number }[] };

/** A program that is busy closes its calls that much after its own caller has gone: the lab's own choice. */
const JUST_BEFORE_S = 1;
/** What ends sooner ends by itself: no program waits so shortly, and of what it does by itself a few milliseconds are equal by chance. */
const LEAST_S = { 'gave-up': 0.05, connect: 0.05, closed: 0.25, answered: 0.25 };
/**
 * Of those that ended so and good ones that waited as long. Where a service takes that long anyway, errors come after equal times as good
 * answers do; beyond a time-out, only those wait that waited for something else before.
 */
const MOST_SHARE = 0.5;
const MILLI = 1000;
/** Services one behind another. */
const DEEP_MOST = 32;

/**
 * @param trees of it
 * @param window of the load: what began in it counts
 * @returns the most frequent first; of: calls that ended by one, and those that they
 * were made for, as far as they are joined
 */
export function timeoutsOf(
	joined: Joined,
	trees: Trees,
	window: { from: number; to: number },
): { timeouts: EdgeTimeout[]; of: Map<WireCall, EdgeTimeout> } {
	const { lineOf } = joined;
	const groups = groupsOf(trees, joined, window);
	const ended = new Set(groups.flatMap(({ waits }) => waits.map(({ call }) => call)));
	const found: { timeout: EdgeTimeout; calls: number[] }[] = [];
	for (const { how, waits, ...edge } of groups)
		for (const { took, members } of equalTimes(waits)) {
			const calls = members.map((index) => waits[index].call);
			if (isOutlasted(trees, lineOf, edge, { own: calls, took, ended })) continue;
			const by = how === 'gave-up' || how === 'connect' ? edge.from : edge.to;
			const share = rounded(calls.length / waits.length, 4) ?? 0;
			found.push({ timeout: { ...edge, by, how, after_ms: rounded(took * MILLI, 1) ?? 0, count: calls.length, share }, calls });
		}
	found.sort((one, other) => other.calls.length - one.calls.length);
	return { timeouts: found.map(({ timeout }) => timeout), of: withRequests(trees, found) };
}

/** Each of their calls, and what those were made for: where a join is ambiguous, its others ended in the same way. */
function withRequests({ calls: all, joins }: Trees, found: { timeout: EdgeTimeout; calls: number[] }[]) {
	const of = new Map(found.flatMap(({ timeout, calls }) => calls.map((call) => [all[call], timeout])));
	for (const { timeout, calls } of found)
		for (const call of calls)
			for (let [at, steps] = [call, 0]; at >= 0 && steps < DEEP_MOST; steps += 1) {
				if (!of.has(all[at])) of.set(all[at], timeout);
				at = joins.parent[at];
			}
	return of;
}

/** @returns each with its own */
export const withTimeouts = ({ edges }: { edges: WireEdge[] }, timeouts: EdgeTimeout[]): WireEdge[] =>
	edges.map((edge) => ({
		...edge,
		timeouts: timeouts.flatMap(({ from, to, port, ...timeout }) => (keyOf({ from, to, port }) === keyOf(edge) ? [timeout] : [])),
	}));

const keyOf = ({ from, to, port }: Edge) => `${from} ${to} ${port}`;

type LineOf = Joined['lineOf'];

function groupsOf(trees: Trees, { lines, lineOf, began: begins }: Joined, window: { from: number; to: number }): Group[] {
	const isLeft = leavingOf(trees, lineOf);
	// What they ask there is not on record.
	const asksUnread = new Set(lines.filter(({ connection }) => unreadBytes(connection) > 0).map(({ from }) => from));
	const groups: Map<string, Group> = new Map();
	// Those beyond the joined have no connection.
	for (let index = 0; index < begins.length; index += 1) {
		const line = lineOf(index);
		const began = begins[index];
		if (line === undefined || began < window.from || began > window.to) continue;
		const call = trees.calls[index];
		if ((call.role ?? 'call') !== 'call' && !isTurnedAway(call)) continue;
		const { from, to, connection } = line;
		// Whether a caller counts from its question or from its asking for a connection is its own affair.
		if (connection.syns > 1 && began === connection.asked_at) continue;
		const end = enoughOf(trees, index, isLeft, () => asksUnread.has(to));
		if (end === null || end.at - began < LEAST_S[end.how]) continue;
		const edge = { from, to, port: connection.server_port };
		const key = `${keyOf(edge)} ${end.how}`;
		const group = groups.get(key) ?? { ...edge, how: end.how, waits: [] };
		groups.set(key, group);
		group.waits.push({ call: index, began, took: end.at - began });
	}
	return [...groups.values()];
}

/**
 * Who had enough of a call, and when.
 * @returns null where nobody had, or another before
 */
function enoughOf(
	{ calls, joins, below, endOf }: Trees,
	index: number,
	isLeft: (call: number, at: number) => boolean,
	asksUnread: () => boolean,
): { how: WireTimeout['how']; at: number } | null {
	const { end, by, bad, raced, ended_at: at } = calls[index];
	const parent = joins.parent[index] < 0 ? null : calls[joins.parent[index]];
	const answeredAt = parent?.end === 'answered' && parent.bad ? (parent.first_at ?? parent.ended_at) : null;
	if (calls[index].role === 'connect' && endOf(index) === 'unanswered')
		return answeredAt === null ? null : { how: 'connect', at: answeredAt };
	if (answeredAt !== null && (at === null || at > answeredAt + TOLERANCE_S)) return { how: 'gave-up', at: answeredAt };
	if (at === null || raced) return null;
	if (by === 'client' && (end === 'given-up' || end === 'cut'))
		return isLeft(index, at) ? null : { how: isTurnedAway(calls[index]) ? 'connect' : 'gave-up', at };
	const how = by === 'server' && (end === 'closed' || end === 'reset') ? 'closed' : end === 'answered' && bad ? 'answered' : null;
	return how !== null && !asksUnread() && isAlone({ calls, below, joins }, index, at) ? { how, at } : null;
}

/**
 * Whether whoever was asked waited for nobody for most of a time. A good answer that may be another request's says nothing: where a place
 * becomes free as others wait no longer, it is used at once.
 */
function isAlone({ calls, below, joins }: Pick<Trees, 'calls' | 'below' | 'joins'>, index: number, until: number) {
	const half = (calls[index].began_at + until) / 2;
	return below(index)
		.slice(1)
		.every(({ call }) => {
			const { end, bad, ended_at: at } = calls[call];
			return (joins.ambiguous[call] === 1 && end === 'answered' && !bad) || (at ?? until) <= half;
		});
}

/**
 * Whether whoever made a call had been left itself just before: by the request that it was made for, or, where that is not known, by any.
 */
function leavingOf({ calls, joins }: Trees, lineOf: LineOf): (call: number, at: number) => boolean {
	const left: Map<string, number[]> = new Map();
	for (let index = 0; index < calls.length; index += 1) {
		const { by, end, ended_at: at } = calls[index];
		if (by !== 'client' || at === null || (end !== 'given-up' && end !== 'cut')) continue;
		const to = lineOf(index)?.to ?? '';
		const own = left.get(to);
		if (own) own.push(at);
		else left.set(to, [at]);
	}
	for (const own of left.values()) own.sort((one, other) => one - other);
	const isJustBefore = (one: number, at: number) => one >= at - JUST_BEFORE_S && one <= at + TOLERANCE_S;
	return (call, at) => {
		const parent = joins.parent[call];
		if (parent >= 0 && joins.ambiguous[call] === 0) {
			const { by, end, ended_at: endedAt } = calls[parent];
			return by === 'client' && endedAt !== null && (end === 'given-up' || end === 'cut') && isJustBefore(endedAt, at);
		}
		const own = left.get(lineOf(call)?.from ?? '') ?? [];
		const last = own[upTo(own, at + TOLERANCE_S) - 1];
		return last !== undefined && isJustBefore(last, at);
	};
}

/**
 * Whether good calls for the same waited longer for their first byte.
 * @param rule own: calls that ended by it; ended: all of which somebody had enough, answered
 * later or not
 */
function isOutlasted(
	{ calls }: Trees,
	lineOf: LineOf,
	{ from, to, port }: Edge,
	{ own, took, ended }: { own: number[]; took: number; ended: Set<number> },
) {
	const asked = new Set(own.map((call) => askedFor(calls[call])));
	const least = took - equalWithin(took) / 2;
	let longer = 0;
	for (let index = 0; index < calls.length; index += 1) {
		const call = calls[index];
		const { first_at: first } = call;
		if (first === null || first - call.began_at < least || (call.role ?? 'call') !== 'call') continue;
		if (call.end !== 'answered' || call.bad || ended.has(index)) continue;
		const line = lineOf(index);
		if (line?.from === from && line.to === to && line.connection.server_port === port && asked.has(askedFor(call))) longer += 1;
	}
	return own.length <= (own.length + longer) * MOST_SHARE;
}

const askedFor = ({ verb, template }: WireCall) => `${verb} ${template}`;
