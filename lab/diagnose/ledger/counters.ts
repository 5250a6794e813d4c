/**
 * Counters that can decide where a failure belongs: what the kernel, the balancer or the database counted, and when. A failure is placed by a counter only
 * where the counter rose in its time, and never more failures than it counted.
 *
 * @typedef {{ from: number, to: number, left: number }} Increment  by how much a counter rose between two readings; seconds since 1970
 * @typedef {Record<string, Increment[]>} Increments  by a name such as `app-1 ListenOverflows`
 *
 * @import { DatabaseFacts } from '../database-rows.ts'
 * @import { Raw } from '../read-raw.ts'
 * @import { EntryProxy } from './hop-records.ts'
 * @import { Attempt } from './traces.ts'
 */

import { AROUND_S } from './place.ts';

/**
 * How a counter rose from reading to reading.
 * @param {{ t: number, value: number | null | undefined }[]} readings in the order of time
 * @returns {Increment[]} times in which it did not rise are left out; a counter that fell began anew
 */
export function incrementsOf(readings) {
	const known = readings.filter(({ value }) => typeof value === 'number');
	return known.slice(1).flatMap(({ t, value }, index) => {
		const before = known[index];
		const gained = Number(value) - Number(before.value);
		const left = gained < 0 ? Number(value) : gained;
		return left > 0 ? [{ from: before.t, to: t, left }] : [];
	});
}

/** By how much a counter rose in all, those of its lives together. @param {Parameters<typeof incrementsOf>[0]} readings */
export const risenIn = (readings) => incrementsOf(readings).reduce((sum, { left }) => sum + left, 0);

/** How often a node's driver cleared its pool, as counters know it. @type {(node: string) => string} */
export const clearedAt = (node) => `${node} cleared`;

/** How many connections a node's pool handed out, as counters know it. @type {(node: string) => string} */
export const checkedOutBy = (node) => `${node} checked out`;

/** What a node counted of its errors, as counters know it. @type {(node: string, error: string) => string} */
export const answeredBy = (node, error) => `${node} answered ${error}`;

/** Connections that a database refused, as counters know them. @type {(database: string) => string} */
export const refusedBy = (database) => `${database} rejected`;

export class Counters {
	/** @type {Map<string, Increment[]>} */
	#increments;

	/** @param {Increments} increments */
	constructor(increments) {
		this.#increments = new Map(Object.entries(increments).map(([name, own]) => [name, own.map((increment) => ({ ...increment }))]));
	}

	/**
	 * @param {string} name
	 * @param {number} from
	 * @param {number} to
	 * @returns {boolean} whether it rose in that time by more than has been taken; takes one
	 */
	take(name, from, to) {
		const increment = this.#increments.get(name)?.find((one) => one.left > 0 && one.to > from && one.from < to);
		if (!increment) return false;
		increment.left -= 1;
		return true;
	}

	/** When it last rose in a time. @param {string} name @param {number} from @param {number} to @returns {Increment | undefined} */
	last(name, from, to) {
		return this.#increments.get(name)?.findLast((increment) => increment.to > from && increment.from < to);
	}

	/** Whether it rose in that time at all. @param {string} name @param {number} from @param {number} to */
	rose(name, from, to) {
		return (this.#increments.get(name) ?? []).some((increment) => increment.to > from && increment.from < to);
	}
}

/*
 * Whether a service had closed a connection before it read the request that was sent on it. That its log has no line of the request says so
 * where the log has each that it reads; two things beside the log may contradict it.
 */

/** What a service counted of requests that it had read and gave no answer, and has no line of, as counters know it. @param {string} node */
const unloggedAt = (node) => `${node} broke off unlogged`;
/**
 * A kernel resets a connection on which something came that nobody read. A client that finds its connection closed at once may send nothing
 * on it any more, so that there are fewer resets than requests; but where there is none at all, all that came was read.
 */
const RESETS = 'OutRsts';
/** Times of which readings tell how many it reset, as counters know them. @param {string} service */
const resetsReadAt = (service) => `${service} resets read`;
/** Both are counted once a second. */
const COUNTED_EVERY_S = 1;

/**
 * @param {Counters} counters
 * @param {{ service: string, late: Attempt[], from: number, to: number }} closed  a connection for a request that a
 *   service with a log of requests has no line of; late: what was read after the user had stopped waiting
 * @returns {boolean} false where it may have read it
 */
export function isUnread(counters, { service, late, from, to }) {
	if (late.some(({ node }) => node === service)) return false;
	if (counters.take(unloggedAt(service), from - COUNTED_EVERY_S, to + COUNTED_EVERY_S)) return false;
	// A reset from before the first reading is in it, and no rise tells of it.
	const isCounted = counters.rose(resetsReadAt(service), from - COUNTED_EVERY_S, from);
	return !isCounted || counters.rose(`${service} ${RESETS}`, from - AROUND_S, to + COUNTED_EVERY_S);
}

/**
 * What is asked beside logs of requests.
 * @param {Pick<Raw, 'nodes' | 'kernel'>} raw
 * @param {Raw['attempts']} attempts
 * @returns {Increments}
 */
function besideLogs({ nodes, kernel }, attempts) {
	/** @type {Map<string, { t: number, value: number }[]>} */
	const readings = new Map();
	for (const { name, t, counters } of kernel) {
		const own = readings.get(name) ?? [];
		readings.set(name, own);
		if (counters?.[RESETS] !== undefined) own.push({ t, value: own.length });
	}
	const read = [...readings].map(([name, own]) => [resetsReadAt(name), incrementsOf(own)]);
	return { ...unloggedIncrements(nodes, attempts), ...Object.fromEntries(read) };
}

/** A request that came without an id is counted, and so is one whose line was lost. @type {(nodes: Raw['nodes'], attempts: Raw['attempts']) => Increments} */
function unloggedIncrements(nodes, attempts) {
	const broken = [...attempts.values()].flat().filter(({ outcome }) => outcome === 'broken');
	return Object.fromEntries(
		Object.entries(nodes).map(([name, rows]) => {
			const ends = broken.flatMap(({ node, ended }) => (node === name && ended !== null ? [ended] : [])).sort((one, other) => one - other);
			return [unloggedAt(name), incrementsOf(unlogged(rows, ends))];
		}),
	);
}

/** How many more were counted than are in the log, from reading to reading. @type {(rows: any[], ends: number[]) => { t: number, value: number }[]} */
function unlogged(rows, ends) {
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

/**
 * @param {Pick<Raw, 'manifest' | 'kernel' | 'nodes'>} raw
 * @param {object} of
 * @param {EntryProxy | null} of.entryProxy
 * @param {DatabaseFacts[]} of.databases
 * @param {Raw['attempts']} of.attempts
 * @returns {Increments} of all counters that can decide
 */
export function decidingIncrements(raw, { entryProxy, databases, attempts }) {
	return { ...readIncrements(raw, entryProxy, databases), ...besideLogs(raw, attempts) };
}

/** @type {(raw: Pick<Raw, 'manifest' | 'kernel' | 'nodes'>, entryProxy: EntryProxy | null, databases: DatabaseFacts[]) => Increments} */
function readIncrements({ manifest, kernel, nodes }, entryProxy, databases) {
	/** @type {Increments} */
	const increments = {};
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
		const counted = (/** @type {string} */ error) => rows.map(({ t, errors }) => ({ t, value: errors?.[error] ?? 0 }));
		const errors = new Set(rows.flatMap((row) => Object.keys(row.errors ?? {})));
		for (const error of errors) increments[answeredBy(name, error)] = incrementsOf(counted(error));
	}
	for (const { name, refusals } of databases) increments[refusedBy(name ?? '')] = refusals;
	return increments;
}
