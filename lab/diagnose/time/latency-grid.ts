/** The requests of the load by second and by how long they took: what percentiles of a second do not show, such as two kinds of answers. */

import { EDGES_MS } from '../../record/latency-buckets.ts';
import type { Result, TimelineRow } from '../../record/types.js';
import { sum } from '../../stats/numbers.ts';
import type { PlacedSnapshot } from './seconds.ts';

type LatencyGrid = NonNullable<Result['latency_grid']>;

/** A page has no more pixels for them, and has to stay light: seconds of a longer load are counted together. */
const COLUMNS_MOST = 120;

/** @returns null where no single request was recorded */
export function latencyGridOf(
	snapshots: Pick<PlacedSnapshot, 't_s' | 'latencies'>[],
	timeline: Pick<TimelineRow, 't_s'>[],
): LatencyGrid | null {
	const last = timeline.at(-1)?.t_s ?? 0;
	const step = Math.max(1, Math.ceil(last / COLUMNS_MOST));
	const reported = snapshots.flatMap(({ t_s, latencies }) => (latencies && t_s > 0 && t_s <= last ? [{ t_s, ...latencies }] : []));
	const used = [...EDGES_MS.keys()].filter((row) => reported.some(({ good, failed }) => (good[row] ?? 0) + (failed[row] ?? 0) > 0));
	if (used.length === 0) return null;
	const rows = Array.from({ length: used[used.length - 1] - used[0] + 1 }, (_, at) => used[0] + at);
	const counts = (kind: 'good' | 'failed') => {
		const grid = rows.map(() => new Array<number>(Math.ceil(last / step)).fill(0));
		for (const second of reported) for (const [at, row] of rows.entries()) grid[at][Math.ceil(second.t_s / step) - 1] += second[kind][row];
		return grid;
	};
	const failed = counts('failed');
	return {
		step_s: step,
		edges_ms: EDGES_MS.slice(rows[0], rows[rows.length - 1] + 2),
		good: counts('good'),
		failed: failed.some((row) => sum(row) > 0) ? failed : [],
	};
}
