/**
 * The load's window of time, and what each tier's cumulative counters gained in it. A record's line from before the load
 * is subtracted, so the warm-up is in no count.
 */

import { loadDuration } from '../../../k6/lib/shapes.js';
import type { Raw } from '../read-raw.ts';
import { isScript } from './load-end.ts';

/** seconds since 1970 */
export type Window = {
	/** start of the load */
	from: number;
	/** the last answer, or the last thing recorded */
	to: number;
	warmupFrom: number;
};

/** A load takes no longer: there is a row for each second of it. */
export const LONGEST_S = 7 * 24 * 60 * 60;

/** @returns null when the load never began */
export function windowOf(raw: Raw): Window | null {
	const { manifest, snapshots, program } = raw;
	if (program) return { from: program.began_s, to: program.ended_s, warmupFrom: program.began_s };
	const from = manifest.load_began_s;
	if (typeof from !== 'number') return null;
	const last = snapshots.filter(({ metrics }) => (metrics.lab_finished?.count ?? 0) > 0).at(-1);
	const to = Math.min(endedAt(raw) ?? last?.t ?? from, from + LONGEST_S);
	if (to <= from) return null;
	return { from, to, warmupFrom: manifest.warmup_began_s };
}

/**
 * When k6 ended the load, by its own time. Of a script that time has its setup and teardown in it, so the script's wrapper tells the moment;
 * and a user who sleeps in k6's graceful stop, after the last answer and beyond the script's time, makes no load.
 * @returns seconds since 1970; null where k6 did not come to say
 */
function endedAt({ manifest, summary, ending: { at_s: reported, last_s: last } }: Raw): number | null {
	const byK6 = summary === null ? null : manifest.warmup_began_s + summary.state.testRunDurationMs / 1000;
	if (!isScript(manifest)) return byK6;
	const planned = manifest.load_began_s + loadDuration(manifest.shape);
	// An earlier record does not tell the moment; then k6 had ended at least.
	const ended = reported ?? (byK6 === null ? null : Math.min(byK6, manifest.load_ended_s ?? byK6));
	return ended === null ? null : Math.min(ended, Math.max(planned, last ?? ended));
}
