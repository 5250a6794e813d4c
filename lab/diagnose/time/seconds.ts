/** Places records on the seconds of the load. */

import { arrivalsBy } from '../../../k6/lib/arrivals.js';
import { scenarios } from '../../catalog/scenarios.ts';
import type { Snapshot } from '../../record/k6-requests.ts';
import { aggregateOf, countOf } from '../../record/k6-requests.ts';
import type { TimelineRow } from '../../record/types.js';
import { sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Window } from './window.ts';

/**
 * The second of the load that a moment ends: 1 is the first.
 * @param t seconds since 1970
 */
export const secondOf = (t: number, window: Window) => Math.round(t - window.from);

/**
 * The same for what is recorded once a second. Where its clock ticks at half seconds, two readings round to one second and none to the
 * next; so all are moved by the same part of a second, the one at which that clock mostly ticks.
 * @param rows of one record
 * @returns the second of each row
 */
export function secondsOf(rows: { t: number }[], window: Window): number[] {
	const phase = phaseOf(rows.map(({ t }) => t - window.from));
	return rows.map(({ t }) => Math.round(t - window.from - phase));
}

/** t_s: the second of the load that it ends */
export type PlacedSnapshot = Snapshot & { t_s: number };

export const placedOn = (snapshots: Snapshot[], window: Window): PlacedSnapshot[] =>
	secondsOf(snapshots, window).map((t_s, index) => ({ ...snapshots[index], t_s }));

/**
 * The mean of angles, a second being the full circle.
 * @returns -0.5 to 0.5
 */
function phaseOf(times: number[]): number {
	const turns = times.map((t) => 2 * Math.PI * t);
	const total = (part: (turn: number) => number) => turns.reduce((sum, turn) => sum + part(turn), 0);
	return Math.atan2(total(Math.sin), total(Math.cos)) / (2 * Math.PI);
}

/*
 * The run second by second, from the start of the load; negative seconds are the warm-up.
 */

/** Of a long warm-up the last seconds: all of one that lasts 90 s would take most of every chart. The record keeps the rest. */
const WARMUP_SHOWN_S = 10;

export function timelineOf({ raw, snapshots, window }: Pick<Facts, 'raw' | 'snapshots' | 'window'>): TimelineRow[] {
	const first = Math.max(Math.round(window.warmupFrom - window.from), -WARMUP_SHOWN_S);
	// Nothing is known of what a program did in a second, but of what its store used in it.
	const last = raw.program ? secondOf(window.to, window) : Math.max(...snapshots.filter(isActive).map(({ t_s }) => t_s), 0);
	// At a rate, which few of them make, there may be none in many seconds.
	const areUsersKnown = raw.written !== null && raw.manifest.shape.unit !== 'users';
	const rows: Map<number, TimelineRow> = new Map();
	for (const [index, snapshot] of snapshots.entries()) {
		const { t_s } = snapshot;
		if (t_s < first || t_s > last) continue;
		const seconds = Math.max(0.5, snapshot.t - (snapshots[index - 1]?.t ?? snapshot.t - 1));
		rows.set(t_s, t_s <= 0 ? warmupRow(snapshot, t_s, seconds) : loadRow(snapshot, t_s, { seconds, areUsersKnown }));
	}
	const empty = (t_s: number) => ({ ...emptyRow, t_s, warmup: t_s <= 0 });
	return Array.from({ length: last - first + 1 }, (_, index) => rows.get(first + index) ?? empty(first + index));
}

const emptyRow = {
	t_s: 0,
	warmup: false,
	vus: null,
	throughput_rps: null,
	goodput_rps: null,
	failures_per_s: null,
	latency_ms_p50: null,
	latency_ms_p95: null,
	latency_ms_p99: null,
	latency_ms_p50_ok: null,
	latency_ms_p95_ok: null,
	latency_ms_p99_ok: null,
};

const isActive = (snapshot: Snapshot) => countOf(snapshot, 'lab_finished') > 0 || countOf(snapshot, 'http_reqs') > 0;

function loadRow(snapshot: Snapshot, t_s: number, { seconds, areUsersKnown }: { seconds: number; areUsersKnown: boolean }): TimelineRow {
	const latency = (metric: string, aggregate: string) => aggregateOf(snapshot, metric, aggregate);
	const finished = countOf(snapshot, 'lab_finished');
	return {
		t_s,
		warmup: false,
		// k6's own record says 0 users in a second in which it took no reading. By what users wrote it is the end of a second in which none waited.
		vus: aggregateOf(snapshot, 'vus', 'value') || (finished > 0 && !areUsersKnown ? null : 0),
		throughput_rps: finished / seconds,
		goodput_rps: countOf(snapshot, 'lab_ok') / seconds,
		failures_per_s: countOf(snapshot, 'lab_failed') / seconds,
		latency_ms_p50: latency('lab_latency_all', 'med'),
		latency_ms_p95: latency('lab_latency_all', 'p(95)'),
		latency_ms_p99: latency('lab_latency_all', 'p(99)'),
		latency_ms_p50_ok: latency('lab_latency_ok', 'med'),
		latency_ms_p95_ok: latency('lab_latency_ok', 'p(95)'),
		latency_ms_p99_ok: latency('lab_latency_ok', 'p(99)'),
	};
}

/** The warm-up has k6's built-in metrics alone. */
function warmupRow(snapshot: Snapshot, t_s: number, seconds: number): TimelineRow {
	return {
		...emptyRow,
		t_s,
		warmup: true,
		vus: aggregateOf(snapshot, 'vus', 'value'),
		throughput_rps: countOf(snapshot, 'http_reqs') / seconds,
		latency_ms_p50: aggregateOf(snapshot, 'http_req_duration', 'med'),
		latency_ms_p95: aggregateOf(snapshot, 'http_req_duration', 'p(95)'),
		latency_ms_p99: aggregateOf(snapshot, 'http_req_duration', 'p(99)'),
	};
}

/** What users asked in each second of the load, and what came of it. */
export type AskedSecond = {
	/** that it ends */
	t_s: number;
	/** answers, with those by which the app says that it has not got what was asked for (409 when all is sold) */
	good: number;
	failed: number;
	/** requests that were sent */
	begun: number;
	/** that waited for an answer at its end */
	waiting: number;
	/** there at its end */
	users: number;
	/** arrivals that were meant to come, or where users wait for answers how many of them were there */
	demand: number;
};

/**
 * @returns in the order of time, those after the load's end too; a second in which k6 itself stood still is none of
 * them. null where the record tells no single request
 */
export function askedSeconds({ raw, snapshots }: Pick<Facts, 'raw' | 'snapshots'>): AskedSecond[] | null {
	if (raw.written === null) return null;
	const { shape, scenario } = raw.manifest;
	const refusals = Object.keys(scenarios[scenario]?.refusals ?? {}).map((status) => `lab_failed_status_${status}`);
	let waiting = 0;
	return snapshots.flatMap((snapshot) => {
		const { t_s } = snapshot;
		if (t_s < 1) return [];
		const [begun, finished] = [countOf(snapshot, 'lab_begun'), countOf(snapshot, 'lab_finished')];
		waiting = Math.max(0, waiting + begun - finished);
		const users = aggregateOf(snapshot, 'vus', 'value') ?? 0;
		const demand = shape.unit !== 'users' ? arrivalsBy(shape, t_s) - arrivalsBy(shape, t_s - 1) : Math.max(users, finished > 0 ? 1 : 0);
		const refused = sum(refusals.map((counter) => countOf(snapshot, counter)));
		const [good, failed] = [countOf(snapshot, 'lab_ok') + refused, countOf(snapshot, 'lab_failed') - refused];
		return [{ t_s, good, failed, begun, waiting, users, demand }];
	});
}
