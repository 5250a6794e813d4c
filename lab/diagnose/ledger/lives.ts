/**
 * Times in which a service was not there, stood still though it ran, or had nothing left of something.
 *
 *
 * @import { Raw } from '../read-raw.ts'
 * @import { Window } from '../time/window.ts'
 * @import { Span } from '../waiting/absence.ts'
 * @import { EntryProxy } from './hop-records.ts'
 */

import { ownOf } from '../../base/values.ts';
import { answersOf } from '../database-rows.ts';
import { isHeldBack, limitBetween, SATURATED_SHARE } from '../limits/saturation.ts';
import { restartedIn } from '../waiting/readings.ts';

/**
 * Times in which a tier was not there, or stood still though it ran.
 *
 * @typedef {object} Restart       a time in which a service was not there, seconds since 1970
 * @property {string} name
 * @property {string} tier
 * @property {number} stopping   when it said that it was about to end; its end where it did not
 * @property {number} from
 * @property {number} to         its container ran again
 * @property {number} ready      it kept its record again, which it begins when it serves; `to` where it keeps none
 * @property {number | null} exitCode
 * @property {boolean} outOfMemory
 * @property {boolean} [isRestarted]  its file has it started again after such an end, which the run did not
 * @property {number} [restartsMost]  it was started again after so many failures, and no more
 *
 * @typedef {{ name: string, tier: string, from: number, to: number, served?: string[] }} Stall  a time in which a service did nothing,
 *   though it ran. served: nodes that went on answering well, so that it was not their requests that it held up
 */

/** Records are written once a second. On a busy machine the longest gap of 30 healthy runs was 2.0 s; a pause of 5 s shows as 6. */
const STALL_S = 3;
/** Nodes write their record once a second. */
const READING_S = 1;
/** The generator too; one that paused for longer sent nothing that a proxy could have finished. */
const GENERATOR_S = 2;
/** What asking costs a container that cannot answer: a process that is started in it each second. The lab's own choice. */
const IDLE_CORES = 0.1;
/** Of a gap, how long requests that a node had when it began may take to be answered to nobody. */
const DRAINED_S = 1.5;
/** Docker lets a container that is told to stop take its time, ten seconds unless told otherwise. */
const STOPPING_S = 15;
/** The kernel's message that it killed for lack of memory may come just after the end that it explains. */
const OUT_OF_MEMORY_S = 2;

/**
 * @typedef {object} Lives
 * @property {Restart[]} restarts
 * @property {{ name: string, t: number }[]} kills  of processes, for lack of memory
 * @property {Stall[]} stalls
 * @property {{ name: string, from: number, to: number }[]} busyLoops  times in which a node's event loop had no rest
 * @property {Exhaustions} exhaustion  times in which a service had nothing left of something
 */

/**
 * @param {Raw} raw
 * @param {Window} window
 * @param {EntryProxy | null} entryProxy
 * @returns {Lives}
 */
export function livesOf(raw, window, entryProxy) {
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

/** As an absence is told. @param {Restart} end @returns {Span} */
export const spanOfEnd = (end) => ({ away: { ...end, how: 'ended' }, from: end.from, to: end.ready });

/**
 * Services that ended by themselves before the load had ended, each time that they did.
 * @param {Raw} raw
 * @param {Window} window
 * @returns {Restart[]}
 */
const restartsOf = (raw, window) =>
	endsOf(raw, (tier) => tier !== 'generator' && tier !== 'observer')
		.map((restart) => ({ ...restart, stopping: stoppingOf(restart, raw), ready: readyAfter(restart, raw) }))
		.filter(({ from, to }) => from > window.warmupFrom && from < window.to && to > window.from);

/** @type {(raw: Raw, isOf: (tier: string) => boolean) => Downtime[]} */
function endsOf({ finalStates, events, manifest }, isOf) {
	const ofFile = restartedIn(manifest);
	// What the wire shows to be on the way of no request is a job, whatever its container was labelled before the run.
	const tiers = new Map((manifest.services ?? []).map((/** @type {any} */ { name, tier }) => [name, tier]));
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

/** @typedef {Raw['events'][number]} Event */
/** @typedef {Omit<Restart, 'stopping' | 'ready'>} Downtime */
/** @typedef {Omit<Downtime, 'isRestarted' | 'restartsMost'>} Gone */

/** @param {Downtime} restart @param {Raw} raw */
const stoppingOf = ({ name, from }, { databaseStops }) =>
	databaseStops.find((stop) => stop.name === name && stop.t <= from && from - stop.t < STOPPING_S)?.t ?? from;

/** A program takes its time from its container's start until it serves. @param {Downtime} restart @param {Raw} raw */
function readyAfter({ name, tier, to }, { nodes, database }) {
	const rows = tier === 'database' ? answersOf(database, name) : (ownOf(nodes, name) ?? []);
	return rows.find(({ t }) => t >= to)?.t ?? to;
}

/** @param {Event} restart @param {Event[]} own of the same service @param {any} state @returns {Gone} */
function reportedRestart({ t, exit_code: exitCode }, own, { name, tier, out_of_memory: outOfMemory }) {
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

/** What the last state tells of a container whose events were not heard. @param {any} state @returns {Gone[]} */
function lastRestart({ name, tier, running, started, finished, exit_code: exitCode, out_of_memory: outOfMemory }) {
	const from = Date.parse(finished) / 1000;
	// A container that never ended says that it did so in the year 1.
	if (!(from > 0)) return [];
	const to = running ? Date.parse(started) / 1000 : Number.POSITIVE_INFINITY;
	return [{ name, tier, from, to, exitCode: running ? null : exitCode, outOfMemory }];
}

/** Of a process of a container that may have gone on. @param {Raw} raw @returns {{ name: string, t: number }[]} */
const killsOf = ({ events }) => events.filter(({ action }) => action === 'oom').map(({ name, t }) => ({ name, t }));

/**
 * Times in which a tier's own record pauses: the database answered not even its observer, a node not even its own clock, a service of a
 * user's own not even the lab's question once a second, and did nothing, the proxy finished no request although no tier behind it paused, and no node had a request to work on.
 * @param {Raw} raw
 * @param {Window} window
 * @param {object} about
 * @param {EntryProxy | null} about.entryProxy
 * @param {Restart[]} about.restarts  what is gone does not stand still
 * @returns {Stall[]} those furthest from the client first
 */
function stallsOf(raw, window, { entryProxy, restarts }) {
	const services = /** @type {{ name: string, tier: string }[]} */ (raw.manifest.services ?? []);
	const named = (/** @type {string} */ tier) => services.filter((service) => service.tier === tier);
	const gapsIn = (/** @type {{ name: string, tier: string }} */ { name, tier }, /** @type {{ t: number, lockedOut?: boolean }[]} */ rows) =>
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
 * @param {Raw['containers']} rows @param {{ name: string, from: number, to: number }} gap
 */
function isIdle(rows, { name, from, to }) {
	const inside = rows.filter((row) => row.name === name && row.t >= from + READING_S && row.t <= to - READING_S);
	const [first, last] = [inside[0], inside.at(-1)];
	return first !== undefined && last.t > first.t && (last.cpu_s - first.cpu_s) / (last.t - first.t) <= IDLE_CORES;
}

/**
 * Whether the lab had answers of others in that time: where all are silent, it is the lab or the engine that did not ask.
 * @param {Raw['adapted']} adapted @param {{ name: string, from: number, to: number }} gap
 */
function isAsking(adapted, { name, from, to }) {
	const others = adapted.filter(({ service, files }) => service !== name && files.samples.length > 1);
	return others.length === 0 || others.some(({ files }) => files.samples.some(({ t }) => t > from + READING_S && t < to - READING_S));
}

/**
 * An observer on a busy machine may be late by itself. Its last reading may be of a second before the gap's cause began.
 * @param {Raw['nodes']} nodes @param {{ from: number, to: number }} gap
 */
const servedIn = (nodes, { from, to }) =>
	Object.entries(nodes).flatMap(([name, rows]) => {
		const good = rows.filter(({ t }) => t >= from + READING_S && t <= to).map(({ answered }) => answered['2xx'] ?? 0);
		return good.length > 1 && good.slice(1).every((count, index) => count > good[index]) ? [name] : [];
	});

/** @type {(raw: Raw, from: number, to: number) => boolean} whether the generator paused in a time */
const isUnsent = ({ snapshots }, from, to) =>
	snapshots.some(({ t }, index) => index > 0 && t - snapshots[index - 1].t > GENERATOR_S && snapshots[index - 1].t < to && t > from);

/** Whether a node had requests in a time: what waits there has passed the balancer. @type {(nodes: Raw['nodes'], from: number, to: number) => boolean} */
const isWorkedOn = (nodes, from, to) =>
	Object.values(nodes).some((rows) => rows.some(({ t, in_flight: open }) => t > from && t < to && open > 0));

/**
 * Times in which a service had nothing left of something, by readings taken once a second: of files that it may open, of CPU, of the
 * connections of its pool.
 *
 * @typedef {{ name: string, from: number, to: number }} Exhaustion  seconds since 1970
 *
 * @typedef {object} Exhaustions
 * @property {Exhaustion[]} files  its process had as many open as it may
 * @property {Exhaustion[]} cpu    it used up its quota of the time
 * @property {Exhaustion[]} queue  requests stood before a node's pool at each reading
 * @property {Exhaustion[]} pool   a node's pool gave out no connection, though requests waited: none that was out came back
 */

const LATE_S = 2;
/** For which no connection of a pool came back: the same as for a standstill (lives.ts), which this is of what is behind the pool. */
const HELD_S = 3;

/** @param {Pick<Raw, 'manifest' | 'containers' | 'nodes'>} raw @returns {Exhaustions} */
function resourceExhaustion({ manifest, containers, nodes }) {
	const services = /** @type {{ name: string, cpu_quota_cores: number | null }[]} */ (manifest.services ?? []);
	const rowsOf = (/** @type {string} */ name) => containers.filter((row) => row.name === name);
	return {
		files: services.flatMap(({ name }) => fullFiles(name, rowsOf(name))),
		cpu: services.flatMap(({ name, cpu_quota_cores: quota }) => usedUp(name, quota, rowsOf(name))),
		queue: Object.entries(nodes).flatMap(([name, rows]) => spansOf(name, rows, hasQueue)),
		pool: Object.entries(nodes).flatMap(([name, rows]) => heldPools(name, rows)),
	};
}

/** @param {string} name @param {any[]} rows @returns {Exhaustion[]} */
const fullFiles = (name, rows) =>
	rows.flatMap(({ t, fds }) =>
		fds && fds.limit !== null && fds.open_files >= fds.limit * SATURATED_SHARE ? [{ name, from: t - READING_S, to: t }] : [],
	);

/** @param {string} name @param {number | null} quota @param {any[]} rows @returns {Exhaustion[]} */
const usedUp = (name, quota, rows) =>
	rows.slice(1).flatMap((row, index) => {
		const before = rows[index];
		return row.t > before.t && (isLimitUsed(quota, before, row) || isHeldBack(before, row)) ? [{ name, from: before.t, to: row.t }] : [];
	});

/** @param {number | null} planned @param {any} before @param {any} after */
function isLimitUsed(planned, before, after) {
	const limit = limitBetween(planned, before, after);
	return limit !== null && (after.cpu_s - before.cpu_s) / (after.t - before.t) >= limit * SATURATED_SHARE;
}

/** @param {string} name @param {any[]} rows of a node @returns {Exhaustion[]} */
const heldPools = (name, rows) => spansOf(name, rows, isHeld).filter(({ from, to }) => to - from >= HELD_S);

/**
 * @param {string} name @param {any[]} rows of a node
 * @param {(before: any, after: any) => boolean} is  so between two readings
 * @returns {Exhaustion[]} each without a break
 */
function spansOf(name, rows, is) {
	/** @type {Exhaustion[]} */
	const spans = [];
	for (const [index, row] of rows.slice(1).entries()) {
		if (!is(rows[index], row)) continue;
		const from = /** @type {number} */ (rows[index].t);
		const last = spans.at(-1);
		if (last?.to === from) last.to = row.t;
		else spans.push({ name, from, to: row.t });
	}
	return spans;
}

/** @param {any} _before @param {any} after */
const hasQueue = (_before, { pool }) => (pool?.waiting ?? 0) > 0;

/** Between two readings of a node that had time to take what came back. @param {any} before @param {any} after */
function isHeld(before, after) {
	if (!before.pool || !after.pool || after.event === 'start' || after.t - before.t > LATE_S) return false;
	if (after.busy_share >= SATURATED_SHARE) return false;
	return after.pool.checkouts === before.pool.checkouts && after.pool.in_use > 0 && after.pool.waiting > 0;
}

/** Of the time between two readings of a node's loop; the lab's own choice. */
const BLOCKED_SHARE = 0.5;

/**
 * A node writes its record once a second, with the share of that second in which its loop was busy, and the longest time for which it served nothing else: one that blocks for two seconds may rest for the third.
 * @param {string} name @param {any[]} rows
 */
const busyTimes = (name, rows) =>
	rows.slice(1).flatMap((row, index) => {
		const from = rows[index].t;
		const isBlocked = Number(row.late_ms?.max) > (row.t - from) * 1000 * BLOCKED_SHARE;
		return row.busy_share >= SATURATED_SHARE || isBlocked ? [{ name, from, to: row.t }] : [];
	});
