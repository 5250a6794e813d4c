/**
 * Places records on the seconds of the load.
 *
 * @import { Snapshot } from '../../record/k6-requests.ts'
 * @import { TimelineRow } from '../../record/types.js'
 * @import { Facts } from '../ledger/facts.ts'
 * @import { Window } from './window.ts'
 */

import { arrivalsBy } from '../../../k6/lib/arrivals.js';
import { scenarios } from '../../catalog/scenarios.ts';
import { aggregateOf, countOf } from '../../record/k6-requests.ts';
import { sum } from '../../stats/numbers.ts';

/**
 * The second of the load that a moment ends: 1 is the first.
 * @param {number} t  seconds since 1970
 * @param {Window} window
 */
export const secondOf = (t, window) => Math.round(t - window.from);

/**
 * The same for what is recorded once a second. Where its clock ticks at half seconds, two readings round to one second and none to the
 * next; so all are moved by the same part of a second, the one at which that clock mostly ticks.
 * @param {{ t: number }[]} rows  of one record
 * @param {Window} window
 * @returns {number[]} the second of each row
 */
export function secondsOf(rows, window) {
	const phase = phaseOf(rows.map(({ t }) => t - window.from));
	return rows.map(({ t }) => Math.round(t - window.from - phase));
}

/**
 * @typedef {Snapshot & { t_s: number }} PlacedSnapshot  t_s: the second of the load that it ends
 *
 * @param {Snapshot[]} snapshots
 * @param {Window} window
 * @returns {PlacedSnapshot[]}
 */
export const placedOn = (snapshots, window) => secondsOf(snapshots, window).map((t_s, index) => ({ ...snapshots[index], t_s }));

/** The mean of angles, a second being the full circle. @param {number[]} times @returns {number} -0.5 to 0.5 */
function phaseOf(times) {
	const turns = times.map((t) => 2 * Math.PI * t);
	const total = (/** @type {(turn: number) => number} */ part) => turns.reduce((sum, turn) => sum + part(turn), 0);
	return Math.atan2(total(Math.sin), total(Math.cos)) / (2 * Math.PI);
}

/*
 * The run second by second, from the start of the load; negative seconds are the warm-up.
 */

/** Of a long warm-up the last seconds: all of one that lasts 90 s would take most of every chart. The record keeps the rest. */
const WARMUP_SHOWN_S = 10;

/**
 * @param {Pick<Facts, 'raw' | 'snapshots' | 'window'>} facts
 * @returns {TimelineRow[]}
 */
export function timelineOf({ raw, snapshots, window }) {
	const first = Math.max(Math.round(window.warmupFrom - window.from), -WARMUP_SHOWN_S);
	// Nothing is known of what a program did in a second, but of what its store used in it.
	const last = raw.program ? secondOf(window.to, window) : Math.max(...snapshots.filter(isActive).map(({ t_s }) => t_s), 0);
	// At a rate, which few of them make, there may be none in many seconds.
	const areUsersKnown = raw.written !== null && raw.manifest.shape.unit !== 'users';
	/** @type {Map<number, TimelineRow>} */
	const rows = new Map();
	for (const [index, snapshot] of snapshots.entries()) {
		const { t_s } = snapshot;
		if (t_s < first || t_s > last) continue;
		const seconds = Math.max(0.5, snapshot.t - (snapshots[index - 1]?.t ?? snapshot.t - 1));
		rows.set(t_s, t_s <= 0 ? warmupRow(snapshot, t_s, seconds) : loadRow(snapshot, t_s, { seconds, areUsersKnown }));
	}
	const empty = (/** @type {number} */ t_s) => ({ ...emptyRow, t_s, warmup: t_s <= 0 });
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

/** @param {Snapshot} snapshot */
const isActive = (snapshot) => countOf(snapshot, 'lab_finished') > 0 || countOf(snapshot, 'http_reqs') > 0;

/** @type {(snapshot: Snapshot, t_s: number, of: { seconds: number, areUsersKnown: boolean }) => TimelineRow} */
function loadRow(snapshot, t_s, { seconds, areUsersKnown }) {
	const latency = (/** @type {string} */ metric, /** @type {string} */ aggregate) => aggregateOf(snapshot, metric, aggregate);
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

/** The warm-up has k6's built-in metrics alone. @type {(snapshot: Snapshot, t_s: number, seconds: number) => TimelineRow} */
function warmupRow(snapshot, t_s, seconds) {
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

/**
 * What users asked in each second of the load, and what came of it.
 *
 * @typedef {object} AskedSecond
 * @property {number} t_s      that it ends
 * @property {number} good     answers, with those by which the app says that it has not got what was asked for (409 when all is sold)
 * @property {number} failed
 * @property {number} begun    requests that were sent
 * @property {number} waiting  that waited for an answer at its end
 * @property {number} users    there at its end
 * @property {number} demand   arrivals that were meant to come, or where users wait for answers how many of them were there
 */

/**
 * @param {Pick<Facts, 'raw' | 'snapshots'>} facts
 * @returns {AskedSecond[] | null} in the order of time, those after the load's end too; a second in which k6 itself stood still is none of
 *   them. null where the record tells no single request
 */
export function askedSeconds({ raw, snapshots }) {
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
