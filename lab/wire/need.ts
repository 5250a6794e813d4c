/**
 * Which edges requests of users need: from the entry on, each whose calls begin while its caller is asked, far more often than else, and not
 * at the pace at which it asks anyway.
 */
import { grouped } from '../base/values.ts';
import type { ObservedEdge, Span, TracedConnection } from './tenancy.ts';

/** What goes on at its own pace begins within requests by chance: as often, by time, as beside them. */
const MORE_OFTEN = 3;
/** Calls beside requests from which a pace is known, and how much of the time without requests it has to fill. */
const PACE_LEAST = 4;
const PACE_SHARE = 0.5;
/** By so much of its distance a clock's work comes sooner or later. */
const UNEVEN_SHARE = 0.2;
/** Times are of one clock, and rounded. */
const NEAR_S = 0.000_01;

/**
 * @param traced connections between services
 * @param users by container of the entry, while requests of users were in it
 * @param life of the record
 * @returns reached: services behind needed edges
 */
export function needOf(
	traced: TracedConnection[],
	users: Map<string, Span[]>,
	life: Span,
): { edges: ObservedEdge[]; reached: Set<string> } {
	const groups = groupsOf(traced);
	const needed = new Set();
	let spans = users;
	let within = new Map();
	// Each round takes in one edge at least, or is the last.
	for (let round = 0; round <= groups.size; round += 1) {
		within = new Map([...groups].map(([key, own]) => [key, countWithin(own, spans)]));
		const found = [...groups].filter(([key, own]) => !needed.has(key) && isNeeded(own, within.get(key), spans, life));
		if (found.length === 0) break;
		for (const [key] of found) needed.add(key);
		spans = together([spans, ...found.map(([, own]) => spansOf(own))]);
	}
	const edges = [...groups].map(([key, own]) => edgeOf(own, { within: within.get(key) ?? 0, needed: needed.has(key) }));
	return { edges, reached: new Set(edges.flatMap(({ to, needed: isOnWay }) => (isOnWay ? [to] : []))) };
}

/** By the services that they are between. */
const groupsOf = (traced: TracedConnection[]): Map<string, TracedConnection[]> =>
	grouped(traced, ({ from, to }) => JSON.stringify([from?.service, to?.service]));

function countWithin(own: TracedConnection[], spans: Map<string, Span[]>) {
	let count = 0;
	for (const { from, calls } of own) {
		const caller = spans.get(from?.name ?? '');
		if (caller) for (const call of calls) if (isIn(call.from, caller)) count += 1;
	}
	return count;
}

/** @param all that began within requests */
function isNeeded(own: TracedConnection[], all: number, spans: Map<string, Span[]>, life: Span) {
	const within = all === 0 ? 0 : all - pacedWithin(own, spans, life);
	if (within === 0) return false;
	const callers = [...new Set(own.map(({ from }) => from?.name ?? ''))];
	const inside = callers.reduce((all, name) => all + lengthOf(spans.get(name) ?? []), 0);
	const outside = Math.max(0, (life.to - life.from) * callers.length - inside);
	const beside = own.reduce((sum, { calls }) => sum + calls.length, 0) - all;
	// within / inside against beside / outside, without a division by nothing.
	return within * outside >= MORE_OFTEN * beside * inside;
}

/**
 * Of the calls within requests, those of a pace at which their caller asks without requests too: a clock of the same second as the probe's
 * meets each of its requests. What requests ask comes between.
 */
function pacedWithin(own: TracedConnection[], spans: Map<string, Span[]>, life: Span) {
	let count = 0;
	for (const name of new Set(own.map(({ from }) => from?.name ?? ''))) {
		const users = spans.get(name) ?? [];
		const moments = own
			.flatMap(({ from, calls }) => (from?.name === name ? calls : []))
			.map(({ from: at }) => ({ at, isWithin: isIn(at, users) }))
			.toSorted((one, other) => one.at - other.at);
		const gaps = moments
			.slice(1)
			.flatMap(({ at, isWithin }, index) => (isWithin || moments[index].isWithin ? [] : [at - moments[index].at]));
		if (gaps.length < PACE_LEAST) continue;
		const pace = gaps.toSorted((one, other) => one - other)[gaps.length >> 1];
		if (gaps.length * pace < (life.to - life.from - lengthOf(users)) * PACE_SHARE) continue;
		const isPaced = (gap: number) => Math.abs(gap - pace) <= pace * UNEVEN_SHARE;
		count += moments.filter(
			({ at, isWithin }, index) =>
				isWithin && [moments[index - 1], moments[index + 1]].every((other) => other === undefined || isPaced(Math.abs(other.at - at))),
		).length;
	}
	return count;
}

/** While each container was asked on an edge. */
function spansOf(own: TracedConnection[]): Map<string, Span[]> {
	const all: Map<string, Span[]> = new Map();
	for (const { to, calls } of own) {
		const known = all.get(to?.name ?? '') ?? [];
		for (const call of calls) known.push(call);
		all.set(to?.name ?? '', known);
	}
	return new Map([...all].map(([name, spans]) => [name, unionOf(spans)]));
}

function together(all: Map<string, Span[]>[]): Map<string, Span[]> {
	const spans: Map<string, Span[]> = new Map();
	for (const own of all) for (const [name, list] of own) spans.set(name, unionOf([...(spans.get(name) ?? []), ...list]));
	return spans;
}

function edgeOf(own: TracedConnection[], { within, needed }: { within: number; needed: boolean }): ObservedEdge {
	const count = (of: (one: TracedConnection) => number) => own.reduce((all, one) => all + of(one), 0);
	const protocols: Map<string, number> = new Map();
	for (const { connection } of own)
		if (connection.protocol !== '') protocols.set(connection.protocol, (protocols.get(connection.protocol) ?? 0) + 1);
	const [protocol = ''] = [...protocols].toSorted(([, one], [, other]) => other - one)[0] ?? [];
	return {
		...{ from: own[0].from?.service ?? '', to: own[0].to?.service ?? '', protocol },
		...{ connections: own.length, calls: count(({ calls }) => calls.length), within, beside: count(({ beside }) => beside), needed },
	};
}

/** @returns in their order, none of which meets another */
export function unionOf(spans: Span[]): Span[] {
	const all: Span[] = [];
	for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
		const last = all.at(-1);
		if (last && from <= last.to) last.to = Math.max(last.to, to);
		// Those that were given stay as they are.
		else all.push({ from, to });
	}
	return all;
}

const lengthOf = (spans: Span[]) => spans.reduce((all, { from, to }) => all + to - from, 0);

/** @param spans of unionOf */
export function isIn(at: number, spans: Span[]) {
	let [low, high] = [0, spans.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (spans[middle].from <= at + NEAR_S) low = middle + 1;
		else high = middle;
	}
	return low > 0 && at <= spans[low - 1].to + NEAR_S;
}
