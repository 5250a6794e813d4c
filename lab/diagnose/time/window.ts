/**
 * The load's window of time, and what each tier's cumulative counters gained in it. A record's line from before the load
 * is subtracted, so the warm-up is in no count.
 *
 * @import { Ends, Shape, Stage } from '../../../k6/lib/shapes.js'
 * @import { LoadEnd, TimelineRow } from '../../record/types.js'
 * @import { Raw } from '../read-raw.ts'
 */

import { loadDuration } from '../../../k6/lib/shapes.js';
import { scenarios } from '../../catalog/scenarios.ts';
import { count, significant } from '../../stats/figure-words.ts';
import { rounded } from '../../stats/numbers.ts';

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

/** Of the user's own, which k6 runs as it is. @param {{ scenario: string }} manifest */
export const isScript = ({ scenario }) => scenarios[scenario]?.isUserScript === true;

/**
 * The seconds by which a count of the load is divided to be a rate. A script takes the time that it takes. The lab's own loads go on for their
 * stages at least, and until the last answer.
 * @param {Raw} raw
 * @param {Window} window
 * @returns {number}
 */
export function secondsOfLoad(raw, window) {
	const took = window.to - window.from;
	return isScript(raw.manifest) || loadEndOf(raw, window) !== null ? took : Math.max(took, loadDuration(raw.manifest.shape));
}

/**
 * @param {Raw} raw
 * @param {Window} window
 * @returns {LoadEnd | null} null where it lasted for all of its time
 */
export function loadEndOf(raw, { from, to }) {
	const { manifest, summary, program } = raw;
	const [took, most] = [to - from, loadDuration(manifest.shape)];
	// A load of the lab's own ends early only where k6 itself does, which then leaves no summary.
	const mayBeShort = isScript(manifest) || manifest.interrupted || summary === null;
	if (program || !mayBeShort || took > most - EARLY_S) return null;
	const why = reasonOf(raw, took);
	const limit = isScript(manifest) ? `at most ${significant(most)}` : significant(most);
	return { after_s: rounded(took, 2) ?? 0, most_s: most, text: `The load ended after ${significant(took)} s of ${limit} s: ${why}.` };
}

/** @param {string[]} said  by k6 itself */
export const wasAborted = (said) => said.some((text) => CROSSED.test(text) || ABORTED.test(text));

/** @type {(raw: Raw, took: number) => string} */
function reasonOf({ manifest, summary, ending: { said } }, took) {
	const matched = (/** @type {RegExp} */ pattern) => said.map((text) => pattern.exec(text)?.[1]).find((text) => text !== undefined);
	if (manifest.interrupted) return 'the run was interrupted';
	const crossed = matched(CROSSED);
	if (crossed !== undefined) return `k6 aborted it, because a threshold of the script was crossed (${thresholdsOf(crossed, summary)})`;
	const aborted = matched(ABORTED);
	if (aborted !== undefined) return `the script aborted it, and said: ${aborted.replace(CONTROL, ' ').slice(0, SAID_MOST)}`;
	if (areDone(manifest.shape.ends, summary, took)) return 'all its iterations were done';
	const code = manifest.generator_exit_code;
	return `why is not on record${summary === null ? '; k6 left no summary' : ''}${code ? `; k6 ended with exit code ${count(code)}` : ''}`;
}

/** Those of these metrics that were not met, or where none is on record the metrics. @param {string} metrics @param {any} summary */
function thresholdsOf(metrics, summary) {
	const missed = metrics.split(', ').flatMap((metric) =>
		Object.entries(summary?.metrics[metric]?.thresholds ?? {})
			.filter(([, { ok }]) => !ok)
			.map(([threshold]) => `${metric}: ${threshold}`),
	);
	return missed.length > 0 ? missed.join('; ') : metrics;
}

/**
 * Whether each scenario has come to its end by itself: by k6's count of its iterations, or by its time.
 * @param {Ends | undefined} ends  a record from before has none
 * @param {any} summary
 * @param {number} took
 */
function areDone(ends, summary, took) {
	const counted = Object.entries(ends?.iterations ?? {});
	const done = (/** @type {string} */ scenario) => summary?.metrics[`iteration_duration{scenario:${scenario}}`]?.values.count ?? 0;
	return counted.length > 0 && counted.every(([scenario, all]) => done(scenario) >= all) && took > (ends?.timed_s ?? 0) - EARLY_S;
}

/**
 * @typedef {object} Window  seconds since 1970
 * @property {number} from   start of the load
 * @property {number} to     the last answer, or the last thing recorded
 * @property {number} warmupFrom
 */

/**
 * @param {Raw} raw
 * @returns {Window | null} null when the load never began
 */
export function windowOf(raw) {
	const { manifest, snapshots, program } = raw;
	if (program) return { from: program.began_s, to: program.ended_s, warmupFrom: program.began_s };
	const from = manifest.load_began_s;
	if (typeof from !== 'number') return null;
	const last = snapshots.filter(({ metrics }) => (metrics.lab_finished?.count ?? 0) > 0).at(-1);
	const to = endedAt(raw) ?? last?.t ?? from;
	if (to <= from) return null;
	return { from, to, warmupFrom: manifest.warmup_began_s };
}

/**
 * When k6 ended the load, by its own time. Of a script that time has its setup and teardown in it, so the script's wrapper tells the moment;
 * and a user who sleeps in k6's graceful stop, after the last answer and beyond the script's time, makes no load.
 * @param {Raw} raw
 * @returns {number | null} seconds since 1970; null where k6 did not come to say
 */
function endedAt({ manifest, summary, ending: { at_s: reported, last_s: last } }) {
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

/** @typedef {{ from_s: number, to_s: number, stage: Stage }} StageSpan */

/**
 * @param {Shape} shape
 * @returns {StageSpan[]} a stage's first second is the one after `from_s`
 */
export function plannedSpans({ stages }) {
	let to = 0;
	return stages.map((stage) => {
		const from = to;
		to += stage.duration_s;
		return { from_s: from, to_s: to, stage };
	});
}

/**
 * @param {Shape} shape
 * @param {TimelineRow[]} timeline
 * @param {number} [took]  seconds that the load took, where it ended before its time
 * @returns {StageSpan[]} only stages that the load reached, the last of them until the second in which the load ended
 */
export const stageSpans = (shape, timeline, took = Number.POSITIVE_INFINITY) =>
	plannedSpans(shape)
		.map((span) => ({ ...span, to_s: Math.min(span.to_s, Math.max(Math.ceil(took), span.from_s)) }))
		.filter(({ from_s, to_s }) => timeline.some(({ t_s }) => t_s > from_s && t_s <= to_s));
