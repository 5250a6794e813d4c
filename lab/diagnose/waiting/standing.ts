/**
 * Where requests stood. This room reads who waited for whom from the record of the wire and from nothing else: no product,
 * no configuration, no id. It is pure, and its work grows with the record's length alone.
 *
 * A request stands in one place at a time. What the generator has asked and not got is in the services that it asked. A service that has more
 * calls in it than it waits for itself keeps the difference; the rest stands behind it, on each edge in the share of the calls that are under
 * way there. Where a service asks several others for one request at a time, or asks for what no request of the generator wants (another
 * client's calls, what goes on after an answer), its calls count for as many requests as are in it. So all that stand sum to what the generator
 * waits for. What could not be read (TLS) hides requests: what is asked behind such a service counts as one request a call.
 *
 * What is being connected stands before the callee. An answer that its asker does not read on stands at the asker (edges.ts). Calls that wait
 * on purpose, heartbeats and calls that nobody asked for are no requests.
 */

import { grouped } from '../../base/values.ts';
import type { WireCall } from '../../wire/record.ts';
import type { Joined } from '../joins/joined.ts';
import { type ConnectionRecord, type Edge, edgesOf, type Spoken, type Waited } from './edges.ts';
import { wayOf } from './way.ts';

/** a value for each step: the mean over the step, where it is no count */
export type Standing = {
	step_s: number;
	/** of the first step, from the begin of the load */
	from_s: number;
	/** in the order of a request's way, the entry first */
	services: { name: string; standing: number[] }[];
	/** in the order of a request's way */
	edges: StandingEdge[];
	/** answers at the entry */
	good: number[];
	/** ends without a good answer there: what was still open at the end in the last step */
	failed: number[];
};

type StandingEdge = {
	from: string;
	to: string;
	port: number;
	/** calls that are waited for, and connections that are being opened */
	waiting: number[];
	connections: Record<ConnectionState, number[]>;
	/** calls that were given up, how many */
	gave_up: number[];
};

type ConnectionState = (typeof CONNECTION_STATES)[number];

/**
 * How many there were at a time, as the mean over each step: what lasts for a part of a step counts for that part. A state at the middle of a
 * step would miss what is shorter than a step, which of a healthy system is nearly all. The sum over the steps is the time that was spent
 * (Little's law), whatever the step.
 */
class Levels {
	#parts;
	#changes;
	#step;

	/** @param steps how many */
	constructor(steps: number, step_s: number) {
		this.#parts = new Float64Array(steps + 1);
		this.#changes = new Float64Array(steps + 2);
		this.#step = step_s;
	}

	/**
	 * @param from seconds from the first step's begin
	 * @param to endless where there is no end
	 */
	add(from: number, to: number) {
		const steps = this.#parts.length - 1;
		const begin = Math.max(0, from / this.#step);
		const end = Math.min(steps, to / this.#step);
		if (!(end > begin)) return;
		const first = Math.floor(begin);
		const last = Math.floor(end);
		if (first === last) {
			this.#parts[first] += end - begin;
			return;
		}
		this.#parts[first] += first + 1 - begin;
		this.#parts[last] += end - last;
		this.#changes[first + 1] += 1;
		this.#changes[last] -= 1;
	}

	/** @returns of each step */
	means(): Float64Array {
		const means = new Float64Array(this.#parts.length - 1);
		let level = 0;
		for (let at = 0; at < means.length; at += 1) {
			level += this.#changes[at];
			means[at] = level + this.#parts[at];
		}
		return means;
	}
}

/**
 * Of a connection. `asking`: an answer is waited for. `unread`: the asker does not read the answer on. `in_transaction`: nothing is asked,
 * and a transaction is open. `idle`: nothing is asked. `opening`: the kernel has not accepted it, or the server has not let the client in.
 * `refused`: how many were, in the step.
 */
const CONNECTION_STATES = ['asking', 'unread', 'in_transaction', 'idle', 'opening', 'refused'] as const;

export const byState = <T>(of: (state: ConnectionState) => T): Record<ConnectionState, T> =>
	Object.fromEntries(CONNECTION_STATES.map((state) => [state, of(state)])) as Record<ConnectionState, T>;

/** As fine as a picture shows. */
export const STEP_S = 0.5;
/** A connection that nobody answers is asked for again after a second (RFC 6298, 2.1), and was wanted at least as long as it was. */
const SYN_AGAIN_S = 1;

export function standingOf(
	joined: Joined,
	{
		from,
		to,
		stepS = STEP_S,
		entry,
		own,
		isFailed = endedBadly,
	}: {
		/** seconds since 1970: the load's begin */
		from: number;
		/** its end */
		to: number;
		/** half a second unless given */
		stepS?: number;
		/** names of the generators: what they ask is what users ask */
		entry: Set<string>;
		/** names of the lab's own services that ask others */
		own?: Set<string>;
		/** of a call at the entry; by its end and answer unless given */
		isFailed?: (call: WireCall) => boolean;
	},
): Standing {
	const steps = Math.max(1, Math.ceil((to - from) / stepS - ROUNDING));
	const time = { from, to, stepS, steps };
	const { edges: all, waited } = edgesOf(joined, own);
	const { services, edges } = wayOf(
		all.map((edge) => ({ ...edge, ...countedOn(edge, waited, time) })),
		entry,
	);
	return {
		step_s: stepS,
		from_s: 0,
		services: standingIn(services, edges, entry, steps),
		edges: edges.map(({ from: asker, to: asked, port, waiting, states, gaveUp }) => ({
			...{ from: asker, to: asked, port, waiting: [...waiting], gave_up: gaveUp },
			connections: byState((state) => [...states[state]]),
		})),
		...answersAt(
			edges.filter((edge) => entry.has(edge.from)),
			waited,
			time,
			isFailed,
		),
	};
}
/** Of a division that is whole. */
const ROUNDING = 1e-9;

const endedBadly = ({ end, bad }: WireCall) => end !== 'answered' || bad;

type Time = { from: number; to: number; stepS: number; steps: number };

type Counted = Edge & { waiting: Float64Array; states: Record<ConnectionState, Float64Array | number[]>; gaveUp: number[] };

function countedOn(edge: Edge, waited: Waited, { from, stepS, steps }: Time) {
	const level = () => new Levels(steps, stepS);
	const waiting = level();
	const states = { asking: level(), unread: level(), in_transaction: level(), idle: level(), opening: level() };
	const [refused, gaveUp] = [new Array(steps).fill(0), new Array(steps).fill(0)];
	const count = (counts: number[], at: number | null) => {
		if (at === null) return;
		const step = Math.floor((at - from) / stepS);
		if (step >= 0 && step < steps) counts[step] += 1;
	};
	for (const spoken of edge.connections) {
		const { connection, calls } = spoken;
		for (let place = 0; place < calls.length; place += 1) {
			const index = calls[place];
			if (waited.isGivenUp[index] === 1) count(gaveUp, waited.calls[index].ended_at);
			if (waited.isBeside[index] === 0) waiting.add(waited.began[index] - from, Math.min(waited.over[index], waited.held[index]) - from);
		}
		if (connection.transport === 'udp') continue;
		if (connection.outcome === 'refused') count(refused, connection.ended_at ?? connection.opened_at);
		const opened = openedAt(connection);
		waiting.add(connection.opened_at - from, opened - from);
		states.opening.add(connection.opened_at - from, opened - from);
		countStates(states, spoken, waited, { from, opened });
	}
	const means = Object.fromEntries(Object.entries(states).map(([state, levels]) => [state, levels.means()]));
	return { waiting: waiting.means(), states: { ...means, refused } as Counted['states'], gaveUp };
}

/** When it was there, or nobody wanted it any more. */
function openedAt({ midway, opened_at: at, accepted_at: accepted, asked_at: asked, ended_at: ended, syns }: ConnectionRecord) {
	if (midway) return at;
	return accepted ?? ended ?? asked ?? at + syns * SYN_AGAIN_S;
}

/**
 * What a connection did from when it was there to its end, one after the other.
 * @param states are changed
 */
function countStates(
	{
		asking,
		unread,
		in_transaction: inTransaction,
		idle,
		opening,
	}: Record<'asking' | 'unread' | 'in_transaction' | 'idle' | 'opening', Levels>,
	{ connection, calls }: Spoken,
	waited: Waited,
	{ from, opened }: { from: number; opened: number },
) {
	const { outcome, ended_at: ended } = connection;
	if (outcome === 'refused' || outcome === 'unanswered') return;
	const end = ended ?? Number.POSITIVE_INFINITY;
	let rest = idle;
	let at = opened;
	for (let place = 0; place < calls.length; place += 1) {
		const index = calls[place];
		const held = waited.held[index];
		const until = Math.min(waited.over[index], end);
		// Several at a time, as HTTP/2 has them, are one.
		const begin = Math.max(at, waited.began[index]);
		if (begin > at) rest.add(at - from, begin - from);
		if (until > begin) {
			(waited.isSetUp[index] === 1 ? opening : asking).add(begin - from, Math.min(until, Math.max(begin, held)) - from);
			if (held < until) unread.add(Math.max(begin, held) - from, until - from);
		}
		at = Math.max(begin, until);
		rest = waited.isWithin[index] === 1 ? inTransaction : idle;
	}
	if (end > at) rest.add(at - from, end - from);
}

/** @param services on a request's way */
function standingIn(services: string[], edges: Counted[], entry: Set<string>, steps: number): Standing['services'] {
	const standing = new Map(services.map((name) => [name, new Float64Array(steps)]));
	/** Requests that a call on an edge counts for, in each step. */
	const weights: Map<Counted, Float64Array> = new Map(edges.map((edge) => [edge, new Float64Array(steps)]));
	const into = grouped(edges, ({ to }) => to);
	const outOf = grouped(edges, ({ from }) => from);
	const known = edges.some(({ from, isRead, waiting }) => entry.has(from) && isRead && waiting.some((level) => level > 0));
	for (const edge of edges) if (entry.has(edge.from) || (!known && !into.has(edge.from))) weights.get(edge)?.fill(1);
	// Without a ring of services that ask each other the second round changes nothing.
	for (let round = 0, moved = 1; round < ROUNDS_MOST && moved > STILL; round += 1) {
		moved = 0;
		for (const name of services) {
			const [incoming, outgoing] = [into.get(name) ?? [], outOf.get(name) ?? []];
			const hides = incoming.some(({ isRead }) => !isRead);
			for (let at = 0; at < steps; at += 1) {
				let [calls, requests, waits] = [0, 0, 0];
				for (const edge of incoming) {
					calls += edge.waiting[at];
					requests += edge.waiting[at] * (weights.get(edge) as Float64Array)[at];
				}
				for (const edge of outgoing) waits += edge.waiting[at];
				const weight = hides ? 1 : waits === 0 ? 0 : requests / Math.max(calls, waits);
				for (const edge of outgoing) (weights.get(edge) as Float64Array)[at] = weight;
				const own = standing.get(name) as Float64Array;
				const stands = Math.max(0, requests - waits * weight);
				moved = Math.max(moved, Math.abs(stands - own[at]));
				own[at] = stands;
			}
		}
	}
	return [...standing].map(([name, means]) => ({ name, standing: [...means] }));
}
/** Each round halves what a ring of two is wrong by. */
const ROUNDS_MOST = 16;
/** Of a request: less is not seen. */
const STILL = 0.001;

function answersAt(edges: Edge[], waited: Waited, { from, to, stepS, steps }: Time, isFailed: (call: WireCall) => boolean) {
	const [good, failed] = [new Array(steps).fill(0), new Array(steps).fill(0)];
	const count = (index: number) => {
		if (waited.isSetUp[index] === 1 || waited.began[index] < from || waited.began[index] > to) return;
		const step = Math.min(steps - 1, Math.floor((waited.over[index] - from) / stepS));
		(isFailed(waited.calls[index]) ? failed : good)[step] += 1;
	};
	for (const { connections } of edges) for (const { calls } of connections) for (const call of calls) count(call);
	return { good, failed };
}
