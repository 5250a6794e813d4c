/** Whether the record is whole, and whether what it says fits together. */

import type { Stage as StageOfShapes } from '../../../k6/lib/shapes.js';
import { scenarios } from '../../catalog/scenarios.ts';
import type { TimeLedger } from '../../record/types.js';
import { significant } from '../../stats/figure-words.ts';
import { mean, present } from '../../stats/numbers.ts';
import { damagedLoad } from '../damage.ts';
import { stoodIn } from '../time/standstill.ts';
import type { Window } from '../time/window.ts';
import { generatorLateMs } from './generator-late.ts';
import { count, type Doubt, graded, NEVER, notRecorded, percent, type Span, seconds } from './grade.ts';
import { longestGap } from './span.ts';
import type { ValidityInput } from './validity.ts';

/** Counts that differ by more than 0.1 % do not reconcile; beyond 1 % nothing rests on them. */
const RECONCILE_INVALID = 0.01;
/**
 * Share of a good answer's time that no tier had it and that may be the generator's: a tenth is what clocks may miss, a quarter is as much
 * as a tier. The lab's own choice. Between the generator and the first tier requests also wait in the first tier's sockets, unread, and
 * on the network: that is the system's own, and so is what lies beyond the time by which the generator itself is late.
 */
const TIME_GAP = { suspect: 0.1, invalid: 0.25 };
/** The shipped balancer tells times in milliseconds ($request_time of its log): less than one is no gap. */
const TIME_RESOLUTION_MS = 1;
/** k6's record has every second. Where its users wrote it, all but those in which k6 itself stood still. */
const RECORD_GAP_S = 3;
/** A held stage is one condition: its last third is as fast as its first. The lab's own choice, and the least that thirds of 3 s can tell. */
const DRIFT = { suspect: 0.1, invalid: NEVER };
const LEAST_THIRD_S = 3;

/** Of the requests that k6 counted and its users did not write down. One is a doubt; from 1 % on nothing rests on the run, as for counts. */
const UNWRITTEN = { suspect: 0, invalid: RECONCILE_INVALID };
/** Of a node's requests that its log lacks: the same thousandth and hundredth that counts may differ by. */
const UNLOGGED = { suspect: 0.001, invalid: RECONCILE_INVALID };

export const recordRules: ((input: ValidityInput, span: Span) => Doubt[])[] = [recordGaps, timeGap, drift];

/**
 * What makes every other doubt idle.
 * @returns of the whole run
 */
export function incompleteness({ facts }: ValidityInput): Doubt[] {
	const invalid = (reason: string) => [{ rule: 'incomplete', grade: 'INVALID' as const, reason }];
	// Users who were interrupted did not come to write what they had last.
	if (facts.raw.manifest.interrupted) return invalid('the run was interrupted before its load had ended');
	if (facts.generator.finished === 0)
		return invalid(damagedLoad(facts.raw) ? 'how the requests of the load ended is not on record' : 'no request was finished');
	if (facts.raw.summary === null && facts.raw.program === null) return invalid('the generator left no summary');
	return [];
}

/** @returns of the whole run */
export function irreconcilables({ ledger }: ValidityInput): Doubt[] {
	return ledger.checks
		.filter(({ holds }) => !holds)
		.map(({ statement, left, right, may_differ: mayDiffer = 0, exact }) => ({
			rule: `count: ${statement}`,
			grade: exact || Math.abs(left - right) / Math.max(1, left, right) > RECONCILE_INVALID ? 'INVALID' : 'SUSPECT',
			reason: `counts do not reconcile: ${statement}; ${count(left)} against ${count(right)}${mayDiffer > 0 ? `, and they may differ by ${count(mayDiffer)}` : ''}`,
		}));
}

/** @returns of the whole run */
export const unloggedRequests = ({ facts }: ValidityInput): Doubt[] =>
	facts.unlogged.flatMap(({ name, share }) =>
		graded(`unlogged: ${name}`, share, UNLOGGED, `${name} received ${percent(share)} of its requests without a line in its log`),
	);

/** @returns of the whole run */
export function unwrittenRequests({ facts: { raw } }: ValidityInput): Doubt[] {
	if (raw.written === null || raw.summary === null) return [];
	const { written, counted } = raw.written;
	if (counted === null) return notRecorded('unwritten', "k6's count of the load's requests", 'whether its users wrote all of them down');
	const missing = counted - written;
	const reason =
		missing > 0
			? `of the ${count(counted)} requests of the load that k6 counted its users did not write down ${count(missing)}`
			: `k6's users wrote down ${count(-missing)} requests more than the ${count(counted)} of the load that it counted`;
	return graded('unwritten', Math.abs(missing) / Math.max(1, counted), UNWRITTEN, reason);
}

/** @returns of the whole run */
export function unreadStore({ facts: { raw } }: ValidityInput): Doubt[] {
	const file = scenarios[raw.manifest.scenario]?.written?.file;
	if (file === undefined || raw.writtenLines !== null) return [];
	return notRecorded('unread-store', `what the database kept (${file})`, 'whether it is what was answered');
}

function recordGaps({ facts: { raw, snapshots, window } }: ValidityInput, span: Span): Doubt[] {
	if (raw.program) return [];
	const longest = longestGap(snapshots, window, span);
	return graded(
		'record-gap',
		longest,
		{ suspect: RECORD_GAP_S, invalid: NEVER },
		`k6's own record has a gap of ${seconds(longest)}`,
		seconds,
	);
}

function timeGap({ facts, timeLedger }: ValidityInput, span: Span): Doubt[] {
	const { stage } = span;
	if (!scenarios[facts.raw.manifest.scenario]?.timed || facts.generator.ok === 0) return [];
	if (timeLedger === null) return notRecorded('time-gap', "some tier's time", 'where the time of good answers went');
	const { measured, missing } = stage === null ? wholeGap(timeLedger) : stageGap(timeLedger.stages[stage]);
	// A stage without good answers has no time of theirs to account for.
	if (measured === null || missing === null || Math.abs(missing) <= TIME_RESOLUTION_MS) return [];
	if (missing < 0) {
		const longer = -missing / measured;
		return graded('time-gap', longer, TIME_GAP, `the tiers had good answers for ${percent(longer)} longer than users waited for them`);
	}
	const lateMs = generatorLateMs(facts, span);
	const share = Math.min(missing, lateMs ?? missing) / measured;
	const late =
		lateMs === null ? 'how late the generator was is not recorded' : `the generator was ${lateMs.toFixed(1)} ms late in the mean`;
	const reason = `the generator may have had good answers for ${percent(share)} of the time that users waited for them: no tier had them for ${missing.toFixed(1)} ms, and ${late}`;
	return graded('time-gap', share, TIME_GAP, reason);
}

/** milliseconds */
type TimeGap = { measured: number | null; missing: number | null };

const wholeGap = ({ check }: TimeLedger): TimeGap => ({ measured: check.measured_ms, missing: check.gap_fraction * check.measured_ms });

/** Of a stage it is the part between the client and the first tier. */
const stageGap = (stage: TimeLedger['stages'][number] | undefined): TimeGap => ({
	measured: stage?.measured_ms || null,
	missing: stage?.parts.client ?? null,
});

/** A fault that the user put in, or a surge, before the end of a stage: that its rate changes is then what was asked for. */
const isDisturbed: (manifest: any, window: Window, until: { stage: number; to_s: number }) => boolean = (
	{ faults = [], shape },
	{ from },
	{ stage, to_s: to },
) =>
	faults.some(({ began_s: began }: { began_s: number | null }) => began !== null && began - from < to) ||
	shape.stages.slice(0, stage).some(({ surge }: StageOfShapes) => surge === true);

/** A system that stands still changes its rate, and is told by that. */
function drift({ facts: { raw, window }, stages, timeline, standstill }: ValidityInput, span: Span): Doubt[] {
	const { stage, from_s, to_s } = span;
	const third = Math.floor((to_s - from_s) / 3);
	if (stoodIn(standstill, span)) return [];
	if (stage === null || !stages[stage].held || third < LEAST_THIRD_S || isDisturbed(raw.manifest, window, { stage, to_s })) return [];
	const rate = (after: number, until: number) =>
		mean(present(timeline.filter(({ t_s }) => t_s > after && t_s <= until).map(({ throughput_rps: rps }) => rps)));
	const [first, last] = [rate(from_s, from_s + third), rate(to_s - third, to_s)];
	// Seconds without a reading are gaps in k6's record, which are told there.
	if (first === null || last === null || Math.max(first, last) === 0) return [];
	const change = Math.abs(last - first) / Math.max(first, last);
	const reason = `throughput ${last > first ? 'rose' : 'fell'} from ${significant(first)} to ${significant(last)} requests a second although the load was held, by ${percent(change)} of the higher figure`;
	return graded('drift', change, DRIFT, reason);
}
