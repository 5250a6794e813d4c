/**
 * Whether a run met the thresholds that its user gave, each with the doubts that can move what it reads. Of a run that measured nothing
 * nothing is judged, and nothing is met.
 */
import { EXIT } from '../base/errors.ts';
import { metricOf } from '../catalog/metrics.ts';
import type { Expectation, Operator } from '../options/expect.ts';
import { doubtsAbout, statementsIn, statementsOf } from '../record/touches.ts';
import type { Result } from '../record/types.js';

export type Judged = {
	/** the threshold, as given */
	text: string;
	metric: string;
	/** null when it was not measured, or must not be believed */
	found: number | null;
	met: boolean;
	verdict: 'met' | 'not met' | 'not judged';
	/** what was expected and found, in a sentence without its full stop */
	reason: string;
	/** that can move the figure, in sentences without their full stops */
	doubts: string[];
};

const COMPARE: Record<Operator, (found: number, limit: number) => boolean> = {
	'<': (found, limit) => found < limit,
	'<=': (found, limit) => found <= limit,
	'>': (found, limit) => found > limit,
	'>=': (found, limit) => found >= limit,
};
/** Significant digits of a figure in a sentence, unless more are needed to tell it from its limit. */
const DIGITS_LEAST = 4;
const DIGITS_MOST = 17; // with 17, every double reads back as itself (IEEE 754)
const UNIT_WORDS = { rps: ' rps', ms: ' ms', share: '', count: '', mb_per_s: ' MB/s' };

/** @returns one for each, in the same order */
export const judgeExpectations = (expectations: Expectation[], result: Result): Judged[] =>
	expectations.map((expectation) => judge(expectation, result));

/** The rule of a run that was cut short, finished nothing or left no record (validity/grade.ts). */
const NOTHING_MEASURED = 'incomplete';

const nothingMeasured = ({ validity: { doubts } }: Result) => doubts.find(({ rule }) => rule === NOTHING_MEASURED) ?? null;

/**
 * How the program ends after a run. What measured and was reported is done, whatever is in doubt, unless its user asked for more.
 * @param strict a doubt about what the thresholds read, or without them any doubt, has a code of its own
 */
export function exitCodeOf(result: Result, judged: Judged[], strict: boolean = false): number {
	if (nothingMeasured(result) !== null) return EXIT.failed;
	if (judged.some(({ met }) => !met)) return EXIT.thresholdNotMet;
	const isInDoubt = judged.length === 0 ? result.validity.verdict !== 'VALID' : judged.some(({ doubts }) => doubts.length > 0);
	return strict && isInDoubt ? EXIT.inDoubt : EXIT.done;
}

function judge(expectation: Expectation, result: Result): Judged {
	const { text, metric } = expectation;
	const nothing = nothingMeasured(result);
	if (nothing !== null)
		return { text, metric, found: null, met: false, verdict: 'not judged', reason: `nothing was measured: ${nothing.reason}`, doubts: [] };
	const doubts = doubtsAbout(result.validity, statementsIn(result, statementsOf(metric))).map(({ reason }) => reason);
	const { read, unit, success_only: ofSuccesses } = metricOf(metric);
	const found = read(result);
	const expected = `expected ${metric} ${expectation.operator} ${expectation.limit}${UNIT_WORDS[unit]}`;
	if (found === null || !Number.isFinite(found))
		return {
			text,
			metric,
			found: null,
			met: false,
			verdict: 'not met',
			reason: `${expected}; it could not be measured in this run`,
			doubts,
		};
	const met = COMPARE[expectation.operator](found, expectation.limit);
	const figure = `${distinct(found, expectation)}${UNIT_WORDS[unit]}`;
	const reason = `${expected}; found ${figure}${ofSuccesses ? failedShare(result) : ''}`;
	return { text, metric, found, met, verdict: met ? 'met' : 'not met', reason, doubts };
}

/**
 * A figure that is short, and on the side of the limit on which it was found: 0.0010000001 is not below 0.001, and must not
 * be shown as 0.001.
 */
function distinct(found: number, { limit }: Expectation): number {
	for (let digits = DIGITS_LEAST; digits < DIGITS_MOST; digits += 1) {
		const shown = Number(found.toPrecision(digits));
		if (Math.sign(shown - limit) === Math.sign(found - limit)) return shown;
	}
	return found;
}

/** A balancer that drops requests makes the rest faster, so no latency of successes stands without what was dropped. */
const failedShare = ({ metrics: { failure_rate: rate, failures } }: Result) =>
	failures === 0 ? ' over all requests, for none failed' : ` over good answers alone, while ${percent(rate ?? 0)} of the requests failed`;

/** What is not nothing is not called 0 %. */
const percent = (share: number) => (share < 0.0001 ? '< 0.01 %' : `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`);
