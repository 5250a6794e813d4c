/**
 * When and why a load ended before its time. A user's script may: its iterations are done, a threshold aborts it, or it does so itself. Its
 * figures are true for the time that it took, so that this is no doubt about the run. The reason is taken from the record, or said to be
 * none.
 */

import { type Ends, loadDuration } from '../../../k6/lib/shapes.js';
import { scenarios } from '../../catalog/scenarios.ts';
import type { LoadEnd } from '../../record/types.js';
import { count, significant } from '../../stats/figure-words.ts';
import { rounded } from '../../stats/numbers.ts';
import type { Raw } from '../read-raw.ts';
import type { Window } from './window.ts';

/** What clocks and the start of k6's users may differ by. */
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
