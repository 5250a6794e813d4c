/** Times in which a service was not there, stood still though it ran, or had nothing left of something. */

import { ownOf } from '../../base/values.ts';
import { answersOf } from '../database-rows.ts';
import { isHeldBack, limitBetween } from '../limits/cpu-limit.ts';
import { SATURATED_SHARE } from '../limits/saturation.ts';
import type { Raw } from '../read-raw.ts';
import type { Window } from '../time/window.ts';
import type { Span } from '../waiting/absence.ts';
import { restartedIn } from '../waiting/readings.ts';
import type { EntryProxy } from './hop-records.ts';

/** Times in which a tier was not there, or stood still though it ran. */
/** a time in which a service was not there, seconds since 1970 */
export type Restart = {
	name: string;
	tier: string;
	/** when it said that it was about to end; its end where it did not */
	stopping: number;
	from: number;
	/** its container ran again */
	to: number;
	/** it kept its record again, which it begins when it serves; `to` where it keeps none */
	ready: number;
	exitCode: number | null;
	outOfMemory: boolean;
	/** its file has it started again after such an end, which the run did not */
	isRestarted?: boolean;
	/** it was started again after so many failures, and no more */
	restartsMost?: number;
};

/**
 * a time in which a service did nothing,
 *   though it ran. served: nodes that went on answering well, so that it was not their requests that it held up
 */
export type Stall = { name: string; tier: string; from: number; to: number; served?: string[] };

/** Records are written once a second. On a busy machine the longest gap of 30 healthy runs was 2.0 s; a pause of 5 s shows as 6. */
const STALL_S = 3;
/** Nodes write their record once a second. */
const READING_S = 1;
/** The generator too; one that paused for longer sent nothing that a proxy could have finished. */
const GENERATOR_S = 2;
/** What asking costs a container that cannot answer: a process that is started in it each second. */
const IDLE_CORES = 0.1;
/** Of a gap, how long requests that a node had when it began may take to be answered to nobody. */
const DRAINED_S = 1.5;
/** Docker lets a container that is told to stop take its time, ten seconds unless told otherwise. */
const STOPPING_S = 15;
/** The kernel's message that it killed for lack of memory may come just after the end that it explains. */
const OUT_OF_MEMORY_S = 2;

export type Lives = {
	restarts: Restart[];
	/** of processes, for lack of memory */
	kills: { name: string; t: number }[];
	stalls: Stall[];
	/** times in which a node's event loop had no rest */
	busyLoops: { name: string; from: number; to: number }[];
	/** times in which a service had nothing left of something */
	exhaustion: Exhaustions;
};

export function livesOf(raw: Raw, window: Window, entryProxy: EntryProxy | null): Lives {
	const restarts = restartsOf(raw, window);
	return {
		restarts,
		kills: killsOf(raw),
		stalls: stallsOf(raw, window, { entryProxy, restarts }),
		busyLoops: Object.entries(raw.nodes).flatMap(([name, rows]) => busyTimes(name, rows)),
		exhaustion: resourceExhaustion(raw),
	};
}

/** Ends of one service: more are told together. */
export const APART_MOST = 2;

/** As an absence is told. */
export const spanOfEnd = (end: Restart): Span => ({ away: { ...end, how: 'ended' }, from: end.from, to: end.ready });

/** Services that ended by themselves before the load had ended, each time that they did. */
const restartsOf = (raw: Raw, window: Window): Restart[] =>
	endsOf(raw, (tier) => tier !== 'generator' && tier !== 'observer')
		.map((restart) => ({ ...restart, stopping: stoppingOf(restart, raw), ready: readyAfter(restart, raw) }))
		.filter(({ from, to }) => from > window.warmupFrom && from < window.to && to > window.from);

function endsOf({ finalStates, events, manifest }: Raw, isOf: (tier: string) => boolean): Downtime[] {
	const ofFile = restartedIn(manifest);
	// What the wire shows to be on the way of no request is a job, whatever its container was labelled before the run.
	const tiers = new Map<any, any>((manifest.services ?? []).map(({ name, tier }: any) => [name, tier]));
	return finalStates
		.map((state) => ({ ...state, tier: tiers.get(state.name) ?? state.tier }))
		.filter(({ tier }) => isOf(tier))
		.flatMap((state) => {
			const own = events.filter(({ name }) => name === state.name);
			const reported = own.filter(({ action }) => action === 'die').map((restart) => reportedRestart(restart, own, state));
			const ends = reported.length > 0 ? reported : lastRestart(state);
			return ends.map((end) => ({ ...end, ...ofFile(end.name, end.exitCode) }));
		});
}

type Event = Raw['events'][number];

type Downtime = Omit<Restart, 'stopping' | 'ready'>;

type Gone = Omit<Downtime, 'isRestarted' | 'restartsMost'>;

const stoppingOf = ({ name, from }: Downtime, { databaseStops }: Raw) =>
	databaseStops.find((stop) => stop.name === name && stop.t <= from && from - stop.t < STOPPING_S)?.t ?? from;

/** A program takes its time from its container's start until it serves. */
function readyAfter({ name, tier, to }: Downtime, { nodes, database }: Raw) {
	const rows = tier === 'database' ? answersOf(database, name) : (ownOf(nodes, name) ?? []);
	return rows.find(({ t }) => t >= to)?.t ?? to;
}

/** @param own of the same service */
function reportedRestart({ t, exit_code: exitCode }: Event, own: Event[], { name, tier, out_of_memory: outOfMemory }: any): Gone {
	const back = own.find((event) => event.action === 'start' && event.t > t);
	const killed = own.some((event) => event.action === 'oom' && Math.abs(event.t - t) < OUT_OF_MEMORY_S);
	return {
		name,
		tier,
		from: t,
		to: back?.t ?? Number.POSITIVE_INFINITY,
		exitCode,
		outOfMemory: killed || (back === undefined && outOfMemory),
	};
}

/** What the last state tells of a container whose events were not heard. */
function lastRestart({ name, tier, running, started, finished, exit_code: exitCode, out_of_memory: outOfMemory }: any): Gone[] {
	const from = Date.parse(finished) / 1000;
	// A container that never ended says that it did so in the year 1.
	if (!(from > 0)) return [];
	const to = running ? Date.parse(started) / 1000 : Number.POSITIVE_INFINITY;
	return [{ name, tier, from, to, exitCode: running ? null : exitCode, outOfMemory }];
}

/** Of a process of a container that may have gone on. */
const killsOf = ({ events }: Raw): { name: string; t: number }[] =>
	events.filter(({ action }) => action === 'oom').map(({ name, t }) => ({ name, t }));

/**
 * Times in which a tier's own record pauses: the database answered not even its observer, a node not even its own clock, a service of a
 * user's own not even the lab's question once a second, and did nothing, the proxy finished no request although no tier behind it paused, and no node had a request to work on.
 * @returns those furthest from the client first
 */
function stallsOf(
	raw: Raw,
	window: Window,
	{
		entryProxy,
		restarts,
	}: {
		entryProxy: EntryProxy | null;
		/** what is gone does not stand still */
		restarts: Restart[];
	},
): Stall[] {
	const services = (raw.manifest.services ?? []) as { name: string; tier: string }[];
	const named = (tier: string) => services.filter((service) => service.tier === tier);
	const gapsIn = ({ name, tier }: { name: string; tier: string }, rows: { t: number; lockedOut?: boolean }[]) =>
		rows
			// Who does not let the lab in is asked no more (run/observe/products.ts).
			.flatMap((row, index) => (row.lockedOut ? [] : [{ name, tier, from: row.t, to: rows[index + 1]?.t ?? window.to }]))
			.filter(({ from, to }) => to - from > STALL_S && to > window.from && from < window.to)
			.filter(({ from, to }) => !restarts.some((restart) => restart.name === name && restart.from < to && restart.to > from));
	// Who asks the database once a second may be gone itself.
	const unasked = endsOf(raw, (tier) => tier === 'observer');
	const behind = [
		...named('database').flatMap((service) =>
			gapsIn(service, answersOf(raw.database, service.name))
				.filter((gap) => !unasked.some((end) => end.from < gap.to && end.to > gap.from))
				.map((gap) => ({ ...gap, served: servedIn(raw.nodes, gap) })),
		),
		...named('app').flatMap((service) => gapsIn(service, ownOf(raw.nodes, service.name) ?? [])),
		...raw.adapted.flatMap(({ service: name, tier, files }) =>
			gapsIn({ name, tier }, files.samples).filter((gap) => isIdle(raw.containers, gap) && isAsking(raw.adapted, gap)),
		),
	];
	// Where a node keeps no record, nobody can say that it had nothing to work on.
	const isKnown = entryProxy?.coverage.requests === 'full' && named('app').every(({ name }) => ownOf(raw.nodes, name));
	const finished = (isKnown ? entryProxy.requestRecords : []).flatMap(({ ended }) => (ended === null ? [] : [{ t: ended }]));
	const before = (isKnown ? [{ name: entryProxy.service, tier: entryProxy.tier }] : [])
		.flatMap((service) => gapsIn(service, finished))
		.filter(({ from, to }) => !behind.some((other) => other.from < to && other.to > from))
		.filter(({ from, to }) => !isUnsent(raw, from, to))
		// With the gap's end comes what had waited.
		.filter(({ from, to }) => !isWorkedOn(raw.nodes, from + DRAINED_S, to - READING_S));
	return [...behind, ...before];
}

/**
 * A service that works may have no time for the lab's question, and the machine none to ask it; one that stands still does nothing at all.
 */
function isIdle(rows: Raw['containers'], { name, from, to }: { name: string; from: number; to: number }) {
	const inside = rows.filter((row) => row.name === name && row.t >= from + READING_S && row.t <= to - READING_S);
	const [first, last] = [inside[0], inside.at(-1)];
	return first !== undefined && last.t > first.t && (last.cpu_s - first.cpu_s) / (last.t - first.t) <= IDLE_CORES;
}

/** Whether the lab had answers of others in that time: where all are silent, it is the lab or the engine that did not ask. */
function isAsking(adapted: Raw['adapted'], { name, from, to }: { name: string; from: number; to: number }) {
	const others = adapted.filter(({ service, files }) => service !== name && files.samples.length > 1);
	return others.length === 0 || others.some(({ files }) => files.samples.some(({ t }) => t > from + READING_S && t < to - READING_S));
}

/** An observer on a busy machine may be late by itself. Its last reading may be of a second before the gap's cause began. */
const servedIn = (nodes: Raw['nodes'], { from, to }: { from: number; to: number }) =>
	Object.entries(nodes).flatMap(([name, rows]) => {
		const good = rows.filter(({ t }) => t >= from + READING_S && t <= to).map(({ answered }) => answered['2xx'] ?? 0);
		return good.length > 1 && good.slice(1).every((count, index) => count > good[index]) ? [name] : [];
	});

/** whether the generator paused in a time */
const isUnsent: (raw: Raw, from: number, to: number) => boolean = ({ snapshots }, from, to) =>
	snapshots.some(({ t }, index) => index > 0 && t - snapshots[index - 1].t > GENERATOR_S && snapshots[index - 1].t < to && t > from);

/** Whether a node had requests in a time: what waits there has passed the balancer. */
const isWorkedOn: (nodes: Raw['nodes'], from: number, to: number) => boolean = (nodes, from, to) =>
	Object.values(nodes).some((rows) => rows.some(({ t, in_flight: open }) => t > from && t < to && open > 0));

/**
 * Times in which a service had nothing left of something, by readings taken once a second: of files that it may open, of CPU, of the
 * connections of its pool.
 */
/** seconds since 1970 */
export type Exhaustion = { name: string; from: number; to: number };

type Exhaustions = {
	/** its process had as many open as it may */
	files: Exhaustion[];
	/** it used up its quota of the time */
	cpu: Exhaustion[];
	/** requests stood before a node's pool at each reading */
	queue: Exhaustion[];
	/** a node's pool gave out no connection, though requests waited: none that was out came back */
	pool: Exhaustion[];
};

const LATE_S = 2;
/** For which no connection of a pool came back: the same as for a standstill (lives.ts), which this is of what is behind the pool. */
const HELD_S = 3;

function resourceExhaustion({ manifest, containers, nodes }: Pick<Raw, 'manifest' | 'containers' | 'nodes'>): Exhaustions {
	const services = (manifest.services ?? []) as { name: string; cpu_quota_cores: number | null }[];
	const rowsOf = (name: string) => containers.filter((row) => row.name === name);
	return {
		files: services.flatMap(({ name }) => fullFiles(name, rowsOf(name))),
		cpu: services.flatMap(({ name, cpu_quota_cores: quota }) => usedUp(name, quota, rowsOf(name))),
		queue: Object.entries(nodes).flatMap(([name, rows]) => spansOf(name, rows, hasQueue)),
		pool: Object.entries(nodes).flatMap(([name, rows]) => heldPools(name, rows)),
	};
}

const fullFiles = (name: string, rows: any[]): Exhaustion[] =>
	rows.flatMap(({ t, fds }) =>
		fds && fds.limit !== null && fds.open_files >= fds.limit * SATURATED_SHARE ? [{ name, from: t - READING_S, to: t }] : [],
	);

const usedUp = (name: string, quota: number | null, rows: any[]): Exhaustion[] =>
	rows.slice(1).flatMap((row, index) => {
		const before = rows[index];
		return row.t > before.t && (isLimitUsed(quota, before, row) || isHeldBack(before, row)) ? [{ name, from: before.t, to: row.t }] : [];
	});

function isLimitUsed(planned: number | null, before: any, after: any) {
	const limit = limitBetween(planned, before, after);
	return limit !== null && (after.cpu_s - before.cpu_s) / (after.t - before.t) >= limit * SATURATED_SHARE;
}

/** @param rows of a node */
const heldPools = (name: string, rows: any[]): Exhaustion[] => spansOf(name, rows, isHeld).filter(({ from, to }) => to - from >= HELD_S);

/**
 * @param rows of a node
 * @param is so between two readings
 * @returns each without a break
 */
function spansOf(name: string, rows: any[], is: (before: any, after: any) => boolean): Exhaustion[] {
	const spans: Exhaustion[] = [];
	for (const [index, row] of rows.slice(1).entries()) {
		if (!is(rows[index], row)) continue;
		const from = rows[index].t as number;
		const last = spans.at(-1);
		if (last?.to === from) last.to = row.t;
		else spans.push({ name, from, to: row.t });
	}
	return spans;
}

const hasQueue = (_before: any, { pool }: any) => (pool?.waiting ?? 0) > 0;

/** Between two readings of a node that had time to take what came back. */
function isHeld(before: any, after: any) {
	if (!before.pool || !after.pool || after.event === 'start' || after.t - before.t > LATE_S) return false;
	if (after.busy_share >= SATURATED_SHARE) return false;
	return after.pool.checkouts === before.pool.checkouts && after.pool.in_use > 0 && after.pool.waiting > 0;
}

/** Of the time between two readings of a node's loop. */
const BLOCKED_SHARE = 0.5;

/**
 * A node writes its record once a second, with the share of that second in which its loop was busy, and the longest time for which it served nothing else: one that blocks for two seconds may rest for the third.
 */
const busyTimes = (name: string, rows: any[]) =>
	rows.slice(1).flatMap((row, index) => {
		const from = rows[index].t;
		const isBlocked = Number(row.late_ms?.max) > (row.t - from) * 1000 * BLOCKED_SHARE;
		return row.busy_share >= SATURATED_SHARE || isBlocked ? [{ name, from, to: row.t }] : [];
	});
