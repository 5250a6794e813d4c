/** The run second by second, from the start of the load; negative seconds are the warm-up. */

import { aggregateOf, countOf, type Snapshot } from '../../record/k6-requests.ts';
import type { TimelineRow } from '../../record/types.js';
import type { Facts } from '../ledger/facts.ts';
import { secondOf } from './seconds.ts';

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
