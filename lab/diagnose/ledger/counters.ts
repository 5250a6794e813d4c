/**
 * Counters that can decide where a failure belongs: what the kernel, the balancer or the database counted, and when. A failure is placed by a counter only
 * where the counter rose in its time, and never more failures than it counted.
 */

import type { DatabaseFacts } from '../database-rows.ts';
import type { Raw } from '../read-raw.ts';
import type { EntryProxy } from './hop-records.ts';
import { AROUND_S } from './place.ts';
import type { Attempt } from './traces.ts';

/** by how much a counter rose between two readings; seconds since 1970 */
export type Increment = { from: number; to: number; left: number };

/** by a name such as `app-1 ListenOverflows` */
export type Increments = Record<string, Increment[]>;

/**
 * How a counter rose from reading to reading.
 * @param readings in the order of time
 * @returns times in which it did not rise are left out; a counter that fell began anew
 */
export function incrementsOf(readings: { t: number; value: number | null | undefined }[]): Increment[] {
	const known = readings.filter(({ value }) => typeof value === 'number');
	return known.slice(1).flatMap(({ t, value }, index) => {
		const before = known[index];
		const gained = Number(value) - Number(before.value);
		const left = gained < 0 ? Number(value) : gained;
		return left > 0 ? [{ from: before.t, to: t, left }] : [];
	});
}

/** By how much a counter rose in all, those of its lives together. */
export const risenIn = (readings: Parameters<typeof incrementsOf>[0]) => incrementsOf(readings).reduce((sum, { left }) => sum + left, 0);

/** How often a node's driver cleared its pool, as counters know it. */
export const clearedAt: (node: string) => string = (node) => `${node} cleared`;

/** How many connections a node's pool handed out, as counters know it. */
export const checkedOutBy: (node: string) => string = (node) => `${node} checked out`;

/** What a node counted of its errors, as counters know it. */
export const answeredBy: (node: string, error: string) => string = (node, error) => `${node} answered ${error}`;

/** Connections that a database refused, as counters know them. */
export const refusedBy: (database: string) => string = (database) => `${database} rejected`;

export class Counters {
	#increments: Map<string, Increment[]>;

	constructor(increments: Increments) {
		this.#increments = new Map(Object.entries(increments).map(([name, own]) => [name, own.map((increment) => ({ ...increment }))]));
	}

	/** @returns whether it rose in that time by more than has been taken; takes one */
	take(name: string, from: number, to: number): boolean {
		const increment = this.#increments.get(name)?.find((one) => one.left > 0 && one.to > from && one.from < to);
		if (!increment) return false;
		increment.left -= 1;
		return true;
	}

	/** When it last rose in a time. */
	last(name: string, from: number, to: number): Increment | undefined {
		return this.#increments.get(name)?.findLast((increment) => increment.to > from && increment.from < to);
	}

	/** Whether it rose in that time at all. */
	rose(name: string, from: number, to: number) {
		return (this.#increments.get(name) ?? []).some((increment) => increment.to > from && increment.from < to);
	}
}

/*
 * Whether a service had closed a connection before it read the request that was sent on it. That its log has no line of the request says so
 * where the log has each that it reads; two things beside the log may contradict it.
 */

/** What a service counted of requests that it had read and gave no answer, and has no line of, as counters know it. */
const unloggedAt = (node: string) => `${node} broke off unlogged`;
/**
 * A kernel resets a connection on which something came that nobody read. A client that finds its connection closed at once may send nothing
 * on it any more, so that there are fewer resets than requests; but where there is none at all, all that came was read.
 */
const RESETS = 'OutRsts';
/** Times of which readings tell how many it reset, as counters know them. */
const resetsReadAt = (service: string) => `${service} resets read`;
/** Both are counted once a second. */
const COUNTED_EVERY_S = 1;

/**
 * @param closed a connection for a request that a
 * service with a log of requests has no line of; late: what was read after the user had stopped waiting
 * @returns false where it may have read it
 */
export function isUnread(
	counters: Counters,
	{ service, late, from, to }: { service: string; late: Attempt[]; from: number; to: number },
): boolean {
	if (late.some(({ node }) => node === service)) return false;
	if (counters.take(unloggedAt(service), from - COUNTED_EVERY_S, to + COUNTED_EVERY_S)) return false;
	// A reset from before the first reading is in it, and no rise tells of it.
	const isCounted = counters.rose(resetsReadAt(service), from - COUNTED_EVERY_S, from);
	return !isCounted || counters.rose(`${service} ${RESETS}`, from - AROUND_S, to + COUNTED_EVERY_S);
}

/** What is asked beside logs of requests. */
function besideLogs({ nodes, kernel }: Pick<Raw, 'nodes' | 'kernel'>, attempts: Raw['attempts']): Increments {
	const readings: Map<string, { t: number; value: number }[]> = new Map();
	for (const { name, t, counters } of kernel) {
		const own = readings.get(name) ?? [];
		readings.set(name, own);
		if (counters?.[RESETS] !== undefined) own.push({ t, value: own.length });
	}
	const read = [...readings].map(([name, own]) => [resetsReadAt(name), incrementsOf(own)]);
	return { ...unloggedIncrements(nodes, attempts), ...Object.fromEntries(read) };
}

/** A request that came without an id is counted, and so is one whose line was lost. */
function unloggedIncrements(nodes: Raw['nodes'], attempts: Raw['attempts']): Increments {
	const broken = [...attempts.values()].flat().filter(({ outcome }) => outcome === 'broken');
	return Object.fromEntries(
		Object.entries(nodes).map(([name, rows]) => {
			const ends = broken.flatMap(({ node, ended }) => (node === name && ended !== null ? [ended] : [])).sort((one, other) => one - other);
			return [unloggedAt(name), incrementsOf(unlogged(rows, ends))];
		}),
	);
}

/** How many more were counted than are in the log, from reading to reading. */
function unlogged(rows: any[], ends: number[]): { t: number; value: number }[] {
	let counted = 0;
	let before = 0;
	let logged = 0;
	let most = 0;
	return rows.map(({ t, aborted }) => {
		const now = aborted ?? before;
		// A process that was started again counts anew.
		counted += now < before ? now : now - before;
		before = now;
		while (logged < ends.length && ends[logged] <= t) logged += 1;
		// A line may lie on the other side of a reading than its count.
		most = Math.max(most, counted - logged);
		return { t, value: most };
	});
}
/** Kernel counters that rules look at. */
const DECISIVE = [
	'ListenOverflows',
	'ListenDrops',
	'RetransSegs',
	'TCPTimeouts',
	'TCPSynRetrans',
	'OutRsts',
	'EstabResets',
	'EmbryonicRsts',
];

/** @returns of all counters that can decide */
export function decidingIncrements(
	raw: Pick<Raw, 'manifest' | 'kernel' | 'nodes'>,
	{
		entryProxy,
		databases,
		attempts,
	}: {
		entryProxy: EntryProxy | null;
		databases: DatabaseFacts[];
		attempts: Raw['attempts'];
	},
): Increments {
	return { ...readIncrements(raw, entryProxy, databases), ...besideLogs(raw, attempts) };
}

function readIncrements(
	{ manifest, kernel, nodes }: Pick<Raw, 'manifest' | 'kernel' | 'nodes'>,
	entryProxy: EntryProxy | null,
	databases: DatabaseFacts[],
): Increments {
	const increments: Increments = {};
	for (const { name } of manifest.services ?? []) {
		const own = kernel.filter((row) => row.name === name);
		for (const counter of DECISIVE)
			increments[`${name} ${counter}`] = incrementsOf(own.map(({ t, counters }) => ({ t, value: counters[counter] })));
	}
	for (const [counter, readings] of Object.entries(entryProxy?.counters ?? {}))
		increments[`${entryProxy?.service} ${counter}`] = incrementsOf(readings);
	for (const [name, rows] of Object.entries(nodes)) {
		increments[clearedAt(name)] = incrementsOf(rows.map(({ t, pool }) => ({ t, value: pool?.cleared })));
		increments[checkedOutBy(name)] = incrementsOf(rows.map(({ t, pool }) => ({ t, value: pool?.checkouts })));
		const counted = (error: string) => rows.map(({ t, errors }) => ({ t, value: errors?.[error] ?? 0 }));
		const errors = new Set(rows.flatMap((row) => Object.keys(row.errors ?? {})));
		for (const error of errors) increments[answeredBy(name, error)] = incrementsOf(counted(error));
	}
	for (const { name, refusals } of databases) increments[refusedBy(name ?? '')] = refusals;
	return increments;
}
