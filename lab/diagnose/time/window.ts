/**
 * The load's window of time, and what each tier's cumulative counters gained in it. A record's line from before the load
 * is subtracted, so the warm-up is in no count.
 */

import type { Ends, Shape, Stage } from '../../../k6/lib/shapes.js';
import { loadDuration } from '../../../k6/lib/shapes.js';
import { scenarios } from '../../catalog/scenarios.ts';
import type { LoadEnd, TimelineRow } from '../../record/types.js';
import { count, significant } from '../../stats/figure-words.ts';
import { rounded } from '../../stats/numbers.ts';
import type { Raw } from '../read-raw.ts';

/*
 * When and why a load ended before its time. A user's script may: its iterations are done, a threshold aborts it, or it does so itself. Its
 * figures are true for the time that it took, so that this is no doubt about the run. The reason is taken from the record, or said to be
 * none.
 */

/** What clocks and the start of k6's users may differ by; the lab's own choice. */
const EARLY_S = 0.5;
/** Of what a script says when it aborts itself. */
const SAID_MOST = 160;
const CROSSED = /^thresholds on metrics '(.+)' were crossed; at least one has abortOnFail enabled/;
const ABORTED = /^test aborted: (.+?)(?: at \S+ \(.*)?$/s;
const CONTROL = /\p{Cc}+/gu;

/** Of the user's own, which k6 runs as it is. */
export const isScript = ({ scenario }: { scenario: string }) => scenarios[scenario]?.isUserScript === true;

/**
 * The seconds by which a count of the load is divided to be a rate. A script takes the time that it takes. The lab's own loads go on for their
 * stages at least, and until the last answer.
 */
export function secondsOfLoad(raw: Raw, window: Window): number {
	const took = window.to - window.from;
	return isScript(raw.manifest) || loadEndOf(raw, window) !== null ? took : Math.max(took, loadDuration(raw.manifest.shape));
}

/** @returns null where it lasted for all of its time */
export function loadEndOf(raw: Raw, { from, to }: Window): LoadEnd | null {
	const { manifest, summary, program } = raw;
	const [took, most] = [to - from, loadDuration(manifest.shape)];
	// A load of the lab's own ends early only where k6 itself does, which then leaves no summary.
	const mayBeShort = isScript(manifest) || manifest.interrupted || summary === null;
	if (program || !mayBeShort || took > most - EARLY_S) return null;
	const why = reasonOf(raw, took);
	const limit = isScript(manifest) ? `at most ${significant(most)}` : significant(most);
	return { after_s: rounded(took, 2) ?? 0, most_s: most, text: `The load ended after ${significant(took)} s of ${limit} s: ${why}.` };
}

/** @param said by k6 itself */
export const wasAborted = (said: string[]) => said.some((text) => CROSSED.test(text) || ABORTED.test(text));

function reasonOf({ manifest, summary, ending: { said } }: Raw, took: number): string {
	const matched = (pattern: RegExp) => said.map((text) => pattern.exec(text)?.[1]).find((text) => text !== undefined);
	if (manifest.interrupted) return 'the run was interrupted';
	const crossed = matched(CROSSED);
	if (crossed !== undefined) return `k6 aborted it, because a threshold of the script was crossed (${thresholdsOf(crossed, summary)})`;
	const aborted = matched(ABORTED);
	if (aborted !== undefined) return `the script aborted it, and said: ${aborted.replace(CONTROL, ' ').slice(0, SAID_MOST)}`;
	if (areDone(manifest.shape.ends, summary, took)) return 'all its iterations were done';
	const code = manifest.generator_exit_code;
	return `why is not on record${summary === null ? '; k6 left no summary' : ''}${code ? `; k6 ended with exit code ${count(code)}` : ''}`;
}

/** Those of these metrics that were not met, or where none is on record the metrics. */
function thresholdsOf(metrics: string, summary: any) {
	const missed = metrics.split(', ').flatMap((metric) =>
		Object.entries<any>(summary?.metrics[metric]?.thresholds ?? {})
			.filter(([, { ok }]) => !ok)
			.map(([threshold]) => `${metric}: ${threshold}`),
	);
	return missed.length > 0 ? missed.join('; ') : metrics;
}

/**
 * Whether each scenario has come to its end by itself: by k6's count of its iterations, or by its time.
 * @param ends a record from before has none
 */
function areDone(ends: Ends | undefined, summary: any, took: number) {
	const counted = Object.entries(ends?.iterations ?? {});
	const done = (scenario: string) => summary?.metrics[`iteration_duration{scenario:${scenario}}`]?.values.count ?? 0;
	return counted.length > 0 && counted.every(([scenario, all]) => done(scenario) >= all) && took > (ends?.timed_s ?? 0) - EARLY_S;
}

/** seconds since 1970 */
export type Window = {
	/** start of the load */
	from: number;
	/** the last answer, or the last thing recorded */
	to: number;
	warmupFrom: number;
};

/** A load takes no longer: there is a row for each second of it. The lab's own choice. */
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

/*
 * The load stage by stage: a ramp has no steady state, so its figures are read in pieces.
 */

type StageSpan = { from_s: number; to_s: number; stage: Stage };

/** @returns a stage's first second is the one after `from_s` */
export function plannedSpans({ stages }: Shape): StageSpan[] {
	let to = 0;
	return stages.map((stage) => {
		const from = to;
		to += stage.duration_s;
		return { from_s: from, to_s: to, stage };
	});
}

/**
 * @param took seconds that the load took, where it ended before its time
 * @returns only stages that the load reached, the last of them until the second in which the load ended
 */
export const stageSpans = (shape: Shape, timeline: TimelineRow[], took: number = Number.POSITIVE_INFINITY): StageSpan[] =>
	plannedSpans(shape)
		.map((span) => ({ ...span, to_s: Math.min(span.to_s, Math.max(Math.ceil(took), span.from_s)) }))
		.filter(({ from_s, to_s }) => timeline.some(({ t_s }) => t_s > from_s && t_s <= to_s));
